"""The answer for a buyer: shopping list, utilisation, first overloads, next cheaper platform."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from eyewall_sidecar.model import Solution

from eyewall_papers.provisioning.methods import METHODS
from eyewall_papers.provisioning.problem import Machine, MachineType, ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.utilisation import (
    Utilisation,
    overloads_at,
    sustained_throughput,
    utilisation,
)

MORE = 1.2
"""Factor on the throughput at which overloads are reported."""


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
class CheaperPlatform:
    """A platform that costs less, and its throughput.

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
class PlatformAnswer:
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
    uses: tuple[Utilisation, ...] = ()
    breaks: tuple[Utilisation, ...] = ()
    sustained: float | None = None
    cheaper: CheaperPlatform | None = None


def not_needed(
    problem: ProvisioningProblem, machines: tuple[Machine, ...], stay_on: Collection[str] = ()
) -> tuple[str, ...]:
    """Name the machines of an existing platform that can be switched off.

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


FindProvision = Callable[[ProvisioningProblem], Provision | None]
"""Finds a valid provision for a problem, or none."""

ACCURACY = 1e-3
"""Rates are searched for to this fraction of the problem's."""


def next_cheaper(
    problem: ProvisioningProblem, provision: Provision, method: FindProvision
) -> CheaperPlatform | None:
    """Bisect for the largest rate for which `method` finds a platform that costs less.

    What a method finds for a rate often sustains more: the search goes on from there. None if no
    cheaper platform was found for a thousandth of the rate. With an exact method the answer's rate
    is the largest there is, to `ACCURACY`.
    """
    low, high = 0.0, problem.throughput
    best: CheaperPlatform | None = None
    while high - low > ACCURACY * problem.throughput:
        rate = (low + high) / 2
        found = method(problem.at(rate))
        if found is not None and found.price < provision.price:
            best = CheaperPlatform(found.machines, sustained_throughput(problem, found))
            low = max(rate, min(best.throughput, high))
        else:
            high = rate
    return best


TRIES = 10
"""Throughputs tried for the next cheaper platform: bisection to a thousandth takes 2⁻¹⁰."""


def find_platform(
    problem: ProvisioningProblem,
    method_name: str,
    *,
    time_limit: float,
    seed: int,
    clock: Callable[[], float],
) -> PlatformAnswer:
    """Find the platform and the next cheaper one.

    Parameters
    ----------
    method_name
        A key of METHODS.
    time_limit
        Seconds for the platform; as many again at most for the next cheaper one.
    seed
        The same seed gives the same answer unless the time limit cuts in.
    """
    method = METHODS[method_name]
    found = method(problem, time_limit=time_limit, seed=seed, clock=clock)
    if found.provision is None:
        return PlatformAnswer(found.solution)

    ends_at = clock() + time_limit

    def find_within_share(other: ProvisioningProblem) -> Provision | None:
        if clock() >= ends_at:  # a large topology takes some seconds more than its share
            return None
        share = time_limit / TRIES
        return method(other, time_limit=share, seed=seed, clock=clock).provision

    return PlatformAnswer(
        found.solution,
        found.provision,
        uses=utilisation(problem, found.provision),
        breaks=overloads_at(problem, found.provision, MORE),
        sustained=sustained_throughput(problem, found.provision),
        cheaper=next_cheaper(problem, found.provision, find_within_share),
    )


@dataclass(frozen=True, slots=True)
class PlatformTask:
    """A provisioning problem with its method and seed, for the solver pool."""

    problem: ProvisioningProblem
    method: str
    seed: int

    lane: ClassVar[str] = "platforms"
    grace: ClassVar[float] = 60.0
    """The paper's heuristics and the building of the model ignore the time limit."""

    def solve(self, time_limit: float) -> PlatformAnswer:
        """Return what to buy; half of the seconds are for the next cheaper platform."""
        return find_platform(
            self.problem, self.method, time_limit=time_limit / 2, seed=self.seed, clock=monotonic
        )
