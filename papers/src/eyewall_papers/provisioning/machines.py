"""What can be bought, and what was: machine types and machines (paper 003, sections 2.2, 5.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf

from eyewall_sidecar.model.errors import ProblemError, require_amount
from eyewall_sidecar.model.limits import MOST, MOST_OFFERED
from eyewall_sidecar.model.resources import Node


@dataclass(frozen=True, slots=True)
class MachineType:
    """A class c of machines; one that is there already is a class with a count of 1 (section 5.2).

    Parameters
    ----------
    name
        The name that answers use.
    cpu
        s_c: what operators' `cpu` is counted in, by the second (cores, GHz); infinite: no limit.
    card
        Bp_c: bytes/s that its network card sends and receives together.
    price
        cost_c: what having it costs, in the catalogue's currency.
    memory
        Bytes.
    count
        How many can be had: a whole number from 1, or infinite.
    """

    name: str
    cpu: float
    card: float
    price: float
    memory: float = inf
    count: float = inf

    def __post_init__(self) -> None:
        owner = f"machine type {self.name}"
        for name in ("cpu", "card", "memory"):
            require_amount(owner, name, getattr(self, name), MOST_OFFERED, unlimited=True)
        require_amount(owner, "price", self.price, MOST)
        if not (isinf(self.count) or (self.count >= 1 and self.count == int(self.count))):
            raise ProblemError(
                f"{owner}: count is {self.count:g}; it must be a whole number from 1, or infinite"
            )


def machine_name(types: Sequence[MachineType], of: MachineType, number: int) -> str:
    """Name the `number`-th machine of a type: `small-2`; one that is there already as it is called.

    `types` are all that can be had: where there is one of each, they are machines that are there.
    """
    return of.name if all(it.count == 1 for it in types) else f"{of.name}-{number}"


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine of a platform: a node to be, P_(c,u).

    Parameters
    ----------
    id
        Its name in the placement.
    type
        What was bought.
    """

    id: str
    type: MachineType

    @property
    def node(self) -> Node:
        """It as a node that operators are placed on."""
        return Node(self.id, cpu=self.type.cpu, memory=self.type.memory)
