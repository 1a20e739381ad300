"""What makes one map better than another: additive costs, and algorithm 3's order of three."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Protocol

from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.partial_map import Hop, PartialMap

ALIKE = 0.1
"""Load-balance factors that differ by no more count as the same (paper 004, section 4.3)."""


class MapMetric(Protocol):
    """Compares maps of the same prefix."""

    def charge(self, hop: Hop, bandwidth: float) -> float:
        """Say what one hop of a stream of so many bytes/s adds to a map's cost."""
        ...

    def better(self, one: PartialMap, other: PartialMap) -> bool:
        """Return whether one map is better than the other."""
        ...

    def ranked(self, maps: Iterable[PartialMap]) -> list[PartialMap]:
        """Order maps, the best first, in a way that does not depend on how they came."""
        ...


@dataclass(frozen=True, slots=True)
class Additive:
    """The sum of what each hop costs, W of section 3.1; less is better.

    Parameters
    ----------
    weigh
        (hop, bytes/s of the stream) → W, at least 0.
    """

    weigh: Callable[[Hop, float], float]

    def charge(self, hop: Hop, bandwidth: float) -> float:
        """Say what one hop adds."""
        return self.weigh(hop, bandwidth)

    def better(self, one: PartialMap, other: PartialMap) -> bool:
        """Return whether one map costs less."""
        return one.cost < other.cost

    def ranked(self, maps: Iterable[PartialMap]) -> list[PartialMap]:
        """Order maps by cost; equal ones by the nodes that they visit."""
        return sorted(maps, key=lambda it: (it.cost, _way(it)))


def _delay(hop: Hop, _: float) -> float:
    return hop.delay


def _payment(hop: Hop, bandwidth: float) -> float:
    return hop.price * bandwidth


@dataclass(frozen=True, slots=True)
class Balanced:
    """Load balance, then dedicated links, then few public ones (section 4.3).

    The balance factor is the mean load of the servers in the map; the smaller is better. Factors
    within ALIKE count as equal: then more streams on dedicated links win, then fewer on public
    ones. "Within" is not transitive: of three maps each can beat the next. `ranked` therefore
    compares with the least factor of all, and takes the best of those that are like it.
    """

    def charge(self, _hop: Hop, _bandwidth: float) -> float:
        """Charge nothing: hops are counted, not weighed."""
        return 0.0

    def better(self, one: PartialMap, other: PartialMap) -> bool:
        """Return whether one map is preferred to the other."""
        mine, theirs = balance(one), balance(other)
        if abs(mine - theirs) > ALIKE:
            return mine < theirs
        return _kinds(one) < _kinds(other)

    def ranked(self, maps: Iterable[PartialMap]) -> list[PartialMap]:
        """Order maps: again and again the preferred one of those like the most balanced."""
        left = sorted(maps, key=lambda it: (balance(it), _way(it)))
        alike: list[tuple[int, int, int]] = []
        order: list[PartialMap] = []
        taken = [False] * len(left)
        least = following = 0
        while least < len(left):
            # The least balance only grows, so what was once like it stays so.
            while (
                following < len(left) and balance(left[following]) <= balance(left[least]) + ALIKE
            ):
                heappush(alike, (*_kinds(left[following]), following))
                following += 1
            *_, place = heappop(alike)
            taken[place] = True
            order.append(left[place])
            while least < len(left) and taken[least]:
                least += 1
        return order


DELAY = Additive(_delay)
"""Seconds along all hops: the costs d on the links of the paper's example network."""
PAYMENT = Additive(_payment)
"""What all hops cost in a second: price per byte times bytes/s (section 2.4)."""
METRICS: dict[str, MapMetric] = {"payment": PAYMENT, "delay": DELAY, "balanced": Balanced()}


def balance(partial: PartialMap) -> float:
    """Return the mean load factor of the servers that hold operators, from 0 to 1."""
    return sum(load for _, load in partial.loads) / max(1, len(partial.loads))


def _kinds(partial: PartialMap) -> tuple[int, int]:
    """Return (−streams on dedicated links, streams on public ones): the smaller is preferred."""
    dedicated = {
        stream
        for stream, _, receiver in partial.crossings()
        if receiver.arrived is LinkKind.DEDICATED
    }
    public = sum(visit.arrived is LinkKind.PUBLIC for visit in partial.visits)
    return -len(dedicated), public


def _way(partial: PartialMap) -> tuple[tuple[str, int, str], ...]:
    return tuple((it.node, it.operators, str(it.arrived)) for it in partial.visits)
