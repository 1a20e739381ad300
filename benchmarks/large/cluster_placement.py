"""Places all topologies of a cluster one after the other, each where it costs the least."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.violations import TOLERANCE

from benchmarks.large.exchange import trade
from benchmarks.large.groups import Counts, GroupedTopology, Racks, usage
from benchmarks.large.node_fill import fill_evenly, fill_in_order, improve_group

PASSES = 4
"""Most passes of improving each group."""
MOST_CHUNKS = 1000
"""Groups times nodes in use, beyond which trades of each with each take too long."""
FINALISTS = 3
"""Number of starts that are improved."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacementRound:
    """The placements of one round.

    Parameters
    ----------
    counts
        For each topology, in order: [group, node], or None if there was no room.
    costs
        For each topology: its `usage`; infinite if there was no room.
    """

    counts: tuple[Counts | None, ...]
    costs: tuple[float, ...]


def place_all(
    topologies: Sequence[GroupedTopology], racks: Racks, *, rounds: int = 2
) -> PlacementRound:
    """Place the largest first, then each again with all others in place.

    Parameters
    ----------
    rounds
        Number of placements of each topology; a later one must be cheaper.
    """
    free = _FreeNodes(racks)
    placed: list[Counts | None] = [None] * len(topologies)
    costs = [np.inf] * len(topologies)
    whole = racks.limits.sum(axis=1)
    sizes = [float((topology.demand / np.maximum(whole, 1e-300)).max()) for topology in topologies]
    for _ in range(rounds):
        for at in sorted(range(len(topologies)), key=lambda it: -sizes[it]):
            topology, old = topologies[at], placed[at]
            if old is not None:
                free.release(topology, old)
            cost, counts = free.best(topology, old)
            if counts is not None:
                free.reserve(topology, counts)
                placed[at], costs[at] = counts, cost
    return PlacementRound(tuple(placed), tuple(costs))


@dataclass(slots=True)
class _FreeNodes:
    """The nodes and their free resources."""

    racks: Racks
    left: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.racks.limits + TOLERANCE * np.maximum(1.0, self.racks.limits)

    def reserve(self, topology: GroupedTopology, counts: Counts) -> None:
        self.left = self.left - topology.requirements @ counts

    def release(self, topology: GroupedTopology, counts: Counts) -> None:
        self.left = self.left + topology.requirements @ counts

    def best(self, topology: GroupedTopology, old: Counts | None) -> tuple[float, Counts | None]:
        """Return the cheapest placement found, the old one among them."""
        if (node := self._tightest(topology)) is not None:
            counts = np.zeros((len(topology.sizes), len(self.racks.rack)), dtype=np.int64)
            counts[:, node] = topology.sizes
            return 0.0, counts
        starts = [] if old is None else [(usage(topology, self.racks, old), old)]
        order = _by_traffic(topology)
        for rack in range(len(self.racks.per_tuple)):
            nodes = self._order_outwards(rack)
            for found, counts in (
                fill_evenly(topology.sizes, topology.requirements, self.left, nodes),
                fill_in_order(topology.sizes, topology.requirements, self.left, nodes, order),
            ):
                if found:
                    starts.append((usage(topology, self.racks, counts), counts))
        starts.sort(key=lambda it: it[0])
        improved = [self._improve_groups(topology, counts) for _, counts in starts[:FINALISTS]]
        if not improved:
            return np.inf, None
        return self._trade(topology, min(improved, key=lambda it: it[0])[1])

    def _tightest(self, topology: GroupedTopology) -> int | None:
        """Return the node that holds the whole topology and is then the fullest."""
        after = self.left - topology.demand[:, None]
        holding = np.flatnonzero((after >= 0).all(axis=0))
        if not len(holding):
            return None
        shares = after[:, holding] / np.maximum(self.racks.limits[:, holding], 1e-300)
        return int(holding[np.argmin(shares.sum(axis=0))])

    def _order_outwards(self, rack: int) -> Places:
        """Return nodes from this rack to the farthest; within a rack the emptiest first."""
        per_tuple = self.racks.per_tuple
        distance = per_tuple[rack] + per_tuple[:, rack]
        distance[rack] = -1.0
        shares = (self.left / np.maximum(self.racks.limits, 1e-300)).min(axis=0)
        return np.lexsort((-shares, distance[self.racks.rack]))

    def _improve_groups(self, topology: GroupedTopology, start: Counts) -> tuple[float, Counts]:
        counts, left = start.copy(), self.left - topology.requirements @ start
        for _ in range(PASSES):
            helped = [
                improve_group(
                    group,
                    counts,
                    topology.sizes,
                    topology.requirements,
                    left,
                    self.racks.rack,
                    self.racks.per_tuple,
                    topology.sources,
                    topology.targets,
                    topology.rates,
                )
                for group in range(len(topology.sizes))
            ]
            if not any(helped):
                break
        return usage(topology, self.racks, counts), counts

    def _trade(self, topology: GroupedTopology, start: Counts) -> tuple[float, Counts]:
        counts, left = start.copy(), self.left - topology.requirements @ start
        if len(topology.sizes) * np.count_nonzero(counts.any(axis=0)) <= MOST_CHUNKS:
            trade(
                counts,
                topology.sizes,
                topology.requirements,
                left,
                self.racks.rack,
                self.racks.per_tuple,
                topology.sources,
                topology.targets,
                topology.rates,
                PASSES,
            )
        return usage(topology, self.racks, counts), counts


def _by_traffic(topology: GroupedTopology) -> Places:
    """Return groups in an order in which each exchanges most with those before it."""
    traffic = np.zeros((len(topology.sizes), len(topology.sizes)))
    np.add.at(traffic, (topology.sources, topology.targets), topology.rates)
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
