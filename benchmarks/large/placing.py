"""All topologies of a cluster on its nodes, one after the other, each where it costs the least."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.violations import TOLERANCE

from benchmarks.large.filling import fill_evenly, fill_in_order, settle_group
from benchmarks.large.groups import Counts, Crowd, Racks, usage
from benchmarks.large.trading import trade

PASSES = 4
"""How often each group is settled anew, at most."""
MOST_CHUNKS = 1000
"""Groups times nodes in use; beyond it trades, of each with each, take too long."""
FINALISTS = 3
"""How many of the starts are improved."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacementRound:
    """What one round placed.

    Parameters
    ----------
    counts
        For each topology, as they came: [group, node], or None where it found no room.
    costs
        For each topology: its `usage`; infinite where it found no room.
    """

    counts: tuple[Counts | None, ...]
    costs: tuple[float, ...]


def place_all(crowds: Sequence[Crowd], racks: Racks, *, rounds: int = 2) -> PlacementRound:
    """Place the largest first, then give each a second chance with all others in place.

    Parameters
    ----------
    rounds
        How often each topology is placed; from the second time on only if it gets cheaper.
    """
    estate = _Estate(racks)
    placed: list[Counts | None] = [None] * len(crowds)
    costs = [np.inf] * len(crowds)
    whole = racks.limits.sum(axis=1)
    sizes = [float((crowd.demand / np.maximum(whole, 1e-300)).max()) for crowd in crowds]
    for _ in range(rounds):
        for at in sorted(range(len(crowds)), key=lambda it: -sizes[it]):
            crowd, old = crowds[at], placed[at]
            if old is not None:
                estate.give_back(crowd, old)
            cost, counts = estate.best(crowd, old)
            if counts is not None:
                estate.take(crowd, counts)
                placed[at], costs[at] = counts, cost
    return PlacementRound(tuple(placed), tuple(costs))


@dataclass(slots=True)
class _Estate:
    """The nodes and what is left of them."""

    racks: Racks
    left: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.racks.limits + TOLERANCE * np.maximum(1.0, self.racks.limits)

    def take(self, crowd: Crowd, counts: Counts) -> None:
        self.left = self.left - crowd.requirements @ counts

    def give_back(self, crowd: Crowd, counts: Counts) -> None:
        self.left = self.left + crowd.requirements @ counts

    def best(self, crowd: Crowd, old: Counts | None) -> tuple[float, Counts | None]:
        """Return the cheapest placement found, the old one among them."""
        if (node := self._tightest(crowd)) is not None:
            counts = np.zeros((len(crowd.sizes), len(self.racks.rack)), dtype=np.int64)
            counts[:, node] = crowd.sizes
            return 0.0, counts
        starts = [] if old is None else [(usage(crowd, self.racks, old), old)]
        order = _by_traffic(crowd)
        for rack in range(len(self.racks.per_tuple)):
            nodes = self._outwards(rack)
            for found, counts in (
                fill_evenly(crowd.sizes, crowd.requirements, self.left, nodes),
                fill_in_order(crowd.sizes, crowd.requirements, self.left, nodes, order),
            ):
                if found:
                    starts.append((usage(crowd, self.racks, counts), counts))
        starts.sort(key=lambda it: it[0])
        settled = [self._settled(crowd, counts) for _, counts in starts[:FINALISTS]]
        if not settled:
            return np.inf, None
        return self._traded(crowd, min(settled, key=lambda it: it[0])[1])

    def _tightest(self, crowd: Crowd) -> int | None:
        """Return the node that holds the whole topology and has the least left afterwards."""
        after = self.left - crowd.demand[:, None]
        holding = np.flatnonzero((after >= 0).all(axis=0))
        if not len(holding):
            return None
        shares = after[:, holding] / np.maximum(self.racks.limits[:, holding], 1e-300)
        return int(holding[np.argmin(shares.sum(axis=0))])

    def _outwards(self, rack: int) -> Places:
        """Return nodes from this rack to the farthest; within a rack the emptiest first."""
        per_tuple = self.racks.per_tuple
        distance = per_tuple[rack] + per_tuple[:, rack]
        distance[rack] = -1.0
        shares = (self.left / np.maximum(self.racks.limits, 1e-300)).min(axis=0)
        return np.lexsort((-shares, distance[self.racks.rack]))

    def _settled(self, crowd: Crowd, start: Counts) -> tuple[float, Counts]:
        counts, left = start.copy(), self.left - crowd.requirements @ start
        for _ in range(PASSES):
            helped = [
                settle_group(
                    group,
                    counts,
                    crowd.sizes,
                    crowd.requirements,
                    left,
                    self.racks.rack,
                    self.racks.per_tuple,
                    crowd.sources,
                    crowd.targets,
                    crowd.rates,
                )
                for group in range(len(crowd.sizes))
            ]
            if not any(helped):
                break
        return usage(crowd, self.racks, counts), counts

    def _traded(self, crowd: Crowd, start: Counts) -> tuple[float, Counts]:
        counts, left = start.copy(), self.left - crowd.requirements @ start
        if len(crowd.sizes) * np.count_nonzero(counts.any(axis=0)) <= MOST_CHUNKS:
            trade(
                counts,
                crowd.sizes,
                crowd.requirements,
                left,
                self.racks.rack,
                self.racks.per_tuple,
                crowd.sources,
                crowd.targets,
                crowd.rates,
                PASSES,
            )
        return usage(crowd, self.racks, counts), counts


def _by_traffic(crowd: Crowd) -> Places:
    """Return groups, each next one that which exchanges most with those before it."""
    traffic = np.zeros((len(crowd.sizes), len(crowd.sizes)))
    np.add.at(traffic, (crowd.sources, crowd.targets), crowd.rates)
    traffic += traffic.T
    np.fill_diagonal(traffic, 0.0)
    order: list[int] = []
    pull = traffic.sum(axis=1) * 1e-9
    for _ in range(len(pull)):
        group = int(np.argmax(pull))
        order.append(group)
        pull = np.where(np.isneginf(pull), pull, pull + traffic[group])
        pull[group] = -np.inf
    return np.array(order, dtype=np.int64)
