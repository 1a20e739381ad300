"""Where the data comes from: basic objects and the servers that hold them (paper 003, section 2).

An operator that needs a basic object has it downloaded to its machine again and again; all
operators of one machine share that download.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from eyewall_sidecar.model.errors import ProblemError, require_amount, require_unique
from eyewall_sidecar.model.limits import MOST, MOST_OFFERED


@dataclass(frozen=True, slots=True)
class BasicObject:
    """A basic object o_k.

    Parameters
    ----------
    id
        The name that operators and servers use.
    size
        δ_k: bytes.
    frequency
        f_k: downloads per second by each machine that uses it; 1 with a size in bytes/s says that
        it is a constant stream.
    """

    id: str
    size: float
    frequency: float = 1.0

    def __post_init__(self) -> None:
        owner = f"object {self.id}"
        require_amount(owner, "size", self.size, MOST)
        require_amount(owner, "frequency", self.frequency, MOST)

    @property
    def rate(self) -> float:
        """rate_k = δ_k · f_k in bytes/s, whatever the throughput (section 2.1)."""
        return self.size * self.frequency


@dataclass(frozen=True, slots=True)
class DataServer:
    """A server S_l, which holds objects and runs no operators.

    Parameters
    ----------
    id
        The name that answers use.
    objects
        Ids of what it holds, each once.
    card
        Bs_l: bytes/s that it sends at most.
    link
        bs_l: bytes/s from it to any one machine.
    links
        bs_(l,u) by machine type, where it differs from `link` (Non-Constr-Het).
    """

    id: str
    objects: tuple[str, ...]
    card: float = inf
    link: float = inf
    links: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        owner = f"server {self.id}"
        require_amount(owner, "card", self.card, MOST_OFFERED, unlimited=True)
        require_amount(owner, "link", self.link, MOST_OFFERED, unlimited=True)
        for machine_type, bandwidth in self.links.items():
            name = f"link to {machine_type}"
            require_amount(owner, name, bandwidth, MOST_OFFERED, unlimited=True)
        try:
            require_unique("object", self.objects)
        except ProblemError as error:
            raise ProblemError(f"{owner}: {error}") from None

    def link_to(self, machine_type: str) -> float:
        """bs_(l,u) to a machine of this type, bytes/s."""
        return self.links.get(machine_type, self.link)
