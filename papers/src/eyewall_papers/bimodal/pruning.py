"""The partial maps that an agent sends on, and their receivers (paper 004, section 4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from numpy.random import Generator

from eyewall_papers.bimodal.metric import MapMetric
from eyewall_papers.bimodal.partial_map import Hop, PartialMap


class Pruning(Protocol):
    """A mapping policy, as far as it differs from the exact algorithm."""

    def extends(
        self, partial: PartialMap, best: PartialMap | None, metric: MapMetric, rng: Generator
    ) -> bool:
        """Return whether to send the map on; `best` is the best of its length seen here so far."""
        ...

    def receivers(self, hops: Sequence[Hop], rng: Generator) -> Sequence[Hop]:
        """Choose among the links out of this node, before bandwidths are checked."""
        ...


@dataclass(frozen=True, slots=True)
class Exact:
    """Every feasible map, algorithm 1: exponentially many messages."""

    def extends(
        self, _partial: PartialMap, _best: PartialMap | None, _metric: MapMetric, _rng: Generator
    ) -> bool:
        """Send on every map."""
        return True

    def receivers(self, hops: Sequence[Hop], _rng: Generator) -> Sequence[Hop]:
        """Send to all."""
        return hops


@dataclass(frozen=True, slots=True)
class LeastCostMap:
    """Only maps that are better than all of their length seen here before (section 4.1.1)."""

    def extends(
        self, partial: PartialMap, best: PartialMap | None, metric: MapMetric, _rng: Generator
    ) -> bool:
        """Send on maps that are better than the best so far."""
        return best is None or metric.better(partial, best)

    def receivers(self, hops: Sequence[Hop], _rng: Generator) -> Sequence[Hop]:
        """Send to all."""
        return hops


@dataclass(frozen=True, slots=True)
class AnnealedLeastCostMap:
    """LeastCostMap that lets worse maps through while they are short (section 4.1.2).

    Parameters
    ----------
    cooling
        A worse map of length j is sent on with probability cooling^j; from 0 to 1. The paper says
        only that the probability falls exponentially with the length.
    """

    cooling: float = 0.6

    def extends(
        self, partial: PartialMap, best: PartialMap | None, metric: MapMetric, rng: Generator
    ) -> bool:
        """Send on better maps, and sometimes worse ones."""
        if best is None or metric.better(partial, best):
            return True
        return bool(rng.random() < self.cooling**partial.length)

    def receivers(self, hops: Sequence[Hop], _rng: Generator) -> Sequence[Hop]:
        """Send to all."""
        return hops


@dataclass(frozen=True, slots=True)
class RandomNeighbor:
    """Every map, to a few neighbours drawn at random (section 4.1.3).

    Parameters
    ----------
    neighbours
        k: how many; at least 1.
    """

    neighbours: int = 1

    def extends(
        self, _partial: PartialMap, _best: PartialMap | None, _metric: MapMetric, _rng: Generator
    ) -> bool:
        """Send on every map."""
        return True

    def receivers(self, hops: Sequence[Hop], rng: Generator) -> Sequence[Hop]:
        """Draw k of them."""
        if len(hops) <= self.neighbours:
            return hops
        drawn = rng.choice(len(hops), size=self.neighbours, replace=False)
        return [hops[place] for place in sorted(drawn.tolist())]


PRUNINGS: dict[str, Pruning] = {
    "exact": Exact(),
    "least_cost": LeastCostMap(),
    "annealed": AnnealedLeastCostMap(),
    "random_neighbour": RandomNeighbor(),
}
