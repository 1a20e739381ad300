"""Where operators are placed: nodes and the links between them, G_res of paper 000, section 3.2."""

from dataclasses import dataclass
from math import inf

from eyewall_sidecar.model.errors import ProblemError, require_amount, require_probability
from eyewall_sidecar.model.generic_resources import Amounts, amount_of, require_amounts
from eyewall_sidecar.model.limits import FASTEST, LONGEST, MOST, MOST_OFFERED, SLOWEST


@dataclass(frozen=True, slots=True)
class Node:
    """A node u ∈ V_res; for Storm one supervisor.

    Parameters
    ----------
    id
        The name that links, candidates and placements use.
    cpu
        Cores it offers, up to MOST_OFFERED or infinite.
    memory
        Bytes it offers, likewise.
    reserved
        Cores that it can set aside, up to MOST_OFFERED or infinite; `cpu` is what can be used.
    operators
        How many operators it may hold (C_u with C_i = 1), likewise.
    speedup
        S_u: how much faster than the reference processor, from SLOWEST to FASTEST.
    availability
        A_u: the probability that it is up, in [0, 1].
    coordinates
        Its place in a cost space, for the policies that move in one.
    background
        Cores in use there by others than the topology, from 0 to MOST; not part of `cpu`.
    cores
        All its cores, up to MOST: as measured, or as declared while no demand is measured. None
        means unknown: `cpu` and `background` together are then taken for it.
    generic
        What it offers of generic resources, up to MOST_OFFERED; 0 of all others.
    """

    id: str
    cpu: float = inf
    memory: float = inf
    operators: float = inf
    speedup: float = 1.0
    availability: float = 1.0
    coordinates: tuple[float, ...] | None = None
    background: float = 0.0
    cores: float | None = None
    reserved: float = inf
    generic: Amounts = ()

    def __post_init__(self) -> None:
        owner = f"node {self.id}"
        require_amounts(owner, self.generic, MOST_OFFERED)
        for name in ("cpu", "memory", "operators", "reserved"):
            require_amount(owner, name, getattr(self, name), MOST_OFFERED, unlimited=True)
        if not SLOWEST <= self.speedup <= FASTEST:
            raise ProblemError(
                f"{owner}: speedup is {self.speedup:g}; it must be from {SLOWEST:g} to {FASTEST:g}"
            )
        require_probability(owner, self.availability)
        require_amount(owner, "background", self.background, MOST)
        if self.cores is not None:
            require_amount(owner, "cores", self.cores, MOST)
        if not all(abs(it) <= MOST for it in self.coordinates or ()):
            raise ProblemError(
                f"{owner}: coordinates are {self.coordinates}; they must be from {-MOST:g} to "
                f"{MOST:g}"
            )

    def capacity(self, resource: str) -> float:
        """Return C_u: how much of the resource it holds."""
        return amount_of(self, self.generic, resource)


@dataclass(frozen=True, slots=True)
class Link:
    """A link (u, v) ∈ E_res, one direction.

    Parameters
    ----------
    delay
        d: seconds one way, from 0 to LONGEST.
    availability
        A: the probability that it is up, in [0, 1].
    bandwidth
        B: bytes/s, up to MOST_OFFERED or infinite.
    """

    delay: float
    availability: float = 1.0
    bandwidth: float = inf

    def __post_init__(self) -> None:
        require_amount("link", "delay", self.delay, LONGEST)
        require_probability("link", self.availability)
        require_amount("link", "bandwidth", self.bandwidth, MOST_OFFERED, unlimited=True)


LOOP = Link(delay=0.0)
"""A node to itself: paper 000 takes it as perfect."""
