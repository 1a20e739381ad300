"""What a buyer is told: what to buy, how full it is, what breaks first, what less money gets."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from eyewall_sidecar.model import Solution

from eyewall_papers.provisioning.machines import Machine, MachineType
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.utilisation import Use

MORE = 1.2
"""How many times the throughput it is asked of a platform what would break."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the shopping list."""

    type: MachineType
    count: int

    @property
    def price(self) -> float:
        """What all of them cost."""
        return self.count * self.type.price


@dataclass(frozen=True, slots=True)
class Cheaper:
    """A platform that costs less, and what it gives.

    Parameters
    ----------
    machines
        The platform.
    throughput
        The greatest that was found for it, results/s.
    """

    machines: tuple[Machine, ...]
    throughput: float

    @property
    def price(self) -> float:
        """What its machines cost together."""
        return sum(it.type.price for it in self.machines)


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer to a provisioning problem.

    Parameters
    ----------
    solution
        Status, price (`evaluation.value`), bound and gap, reasons.
    provision
        What to buy and how to use it; None if nothing was found.
    uses
        How full every CPU, card, link and server is.
    breaks
        What would be more than full at `MORE` times the throughput.
    sustained
        The greatest throughput that this very provision carries; None without one.
    cheaper
        The next cheaper platform that was found; None if there is none.
    """

    solution: Solution
    provision: Provision | None = None
    uses: tuple[Use, ...] = ()
    breaks: tuple[Use, ...] = ()
    sustained: float | None = None
    cheaper: Cheaper | None = None


def not_needed(
    problem: ProvisioningProblem, machines: tuple[Machine, ...], stay_on: Collection[str] = ()
) -> tuple[str, ...]:
    """Name the machines that can be switched off, of a platform that is there already.

    Parameters
    ----------
    problem
        Its types are the machines that are there: what a catalogue offers is not switched on.
    machines
        What the provision uses.
    stay_on
        Names of machines that others use.
    """
    kept = {it.type.name for it in machines} | set(stay_on)
    return tuple(it.name for it in problem.types if it.name not in kept)


def shopping_list(machines: tuple[Machine, ...]) -> tuple[Item, ...]:
    """Count the machines by type, the dearest line first."""
    counts = Counter(machine.type for machine in machines)
    items = [Item(it, count) for it, count in counts.items()]
    return tuple(sorted(items, key=lambda it: (-it.price, it.type.name)))
