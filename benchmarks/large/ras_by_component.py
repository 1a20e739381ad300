"""The order of Storm's Resource Aware Scheduler, on counts: a baseline for whole clusters.

The same as policy `ras` (Apache Storm 2.8, `ExecSorterByConnectionCount` and
`NodeSorterHostProximity`), with the racks that a placement problem lacks: first the rack that
holds most of the topology, then the one with most free resources; nodes within a rack likewise.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places

from benchmarks.large.groups import Counts, GroupedTopology, Racks


def place_by_resources(topologies: Sequence[GroupedTopology], racks: Racks) -> list[Counts | None]:
    """Return for each topology its counts [group, node], or None if there was no room."""
    left = racks.limits * (1 + 1e-9)
    placed: list[Counts | None] = []
    for topology in topologies:
        counts = np.zeros((len(topology.sizes), len(racks.rack)), dtype=np.int64)
        after, nodes, last = left.copy(), np.zeros(0, dtype=np.int64), -1
        for group in _turns(topology):
            if group != last:
                nodes, last = _in_order(racks, after, counts.sum(axis=0).astype(np.float64)), group
            needs = topology.requirements[:, group]
            holding = (after[:, nodes] >= needs[:, None]).all(axis=0)
            if not holding.any():
                break
            node = nodes[np.argmax(holding)]
            counts[group, node] += 1
            after[:, node] -= needs
        whole = bool((counts.sum(axis=1) == topology.sizes).all())
        placed.append(counts if whole else None)
        left = after if whole else left
    return placed


def _turns(topology: GroupedTopology) -> Iterator[int]:
    """Yield a group for each executor; a group alternates with its neighbours, as in Storm."""
    neighbours: list[set[int]] = [set() for _ in topology.sizes]
    for source, target in zip(topology.sources.tolist(), topology.targets.tolist(), strict=True):
        if source != target:
            neighbours[source].add(target)
            neighbours[target].add(source)
    size, waiting = topology.sizes.tolist(), topology.sizes.tolist()
    connections = [
        own * sum(size[it] for it in near) for own, near in zip(size, neighbours, strict=True)
    ]
    for current in sorted(range(len(size)), key=lambda it: (-connections[it], it)):
        turn = [current, *sorted(neighbours[current], key=lambda it: (size[it], it))]
        while any(waiting[it] for it in turn):
            for it in turn:
                if waiting[it]:
                    waiting[it] -= 1
                    yield it


def _in_order(racks: Racks, left: Floats, held: Floats) -> Places:
    """Return nodes by rack, then within racks: those that hold most first, then most free."""
    free = np.maximum(left, 0.0)
    count = len(racks.per_tuple)
    free_in = np.array(
        [np.bincount(racks.rack, weights=row, minlength=count) for row in free], dtype=np.float64
    )
    held_in = np.bincount(racks.rack, weights=held, minlength=count).astype(np.float64)
    place = np.empty(count, dtype=np.int64)
    place[_most_first(free_in, held_in)] = np.arange(count)
    by_node = np.empty(len(racks.rack), dtype=np.int64)
    by_node[_most_first(free, held)] = np.arange(len(racks.rack))
    return np.lexsort((by_node, place[racks.rack]))


def _most_first(free: Floats, held: Floats) -> Places:
    shares = free / np.maximum(free.sum(axis=1, keepdims=True), 1e-300)
    return np.lexsort((-shares.min(axis=0), -shares.mean(axis=0), -held))
