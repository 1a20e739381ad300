"""A lower bound on the network usage of a topology, whatever else runs in the cluster."""

import numpy as np
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.links import Matrix

from benchmarks.large.groups import GroupedTopology, Racks


def least_usage(topology: GroupedTopology, racks: Racks) -> float:
    """Return a lower bound of `usage`: for each stream the greater of two, summed."""
    between = racks.per_tuple[~np.eye(len(racks.per_tuple), dtype=np.bool_)]
    near = float(racks.per_tuple.diagonal().min())
    far = max(near, float(between.min(initial=np.inf)) if len(between) else near)
    total = 0.0
    for source, target, rate in zip(
        topology.sources.tolist(), topology.targets.tolist(), topology.rates.tolist(), strict=True
    ):
        together = _together(topology, racks, source, target, near, far)
        apart = max(
            _spread(topology, racks, source, target, racks.per_tuple),
            _spread(topology, racks, target, source, racks.per_tuple.T),
        )
        total += rate * max(together, apart)
    return total


def _together(
    topology: GroupedTopology, racks: Racks, source: int, target: int, near: float, far: float
) -> float:
    """Bound what a tuple/s costs by what of two groups one node, and one rack, can hold.

    Let the groups need S and T nodes of the largest capacity K, S = n·c / K: then at most
    1 / (S + T) of their traffic stays within nodes. For on a node filled to s of it by the one and
    t by the other, s + t ≤ 1, the pairs on it are K²/(c·c') · s·t, and with z = S / (S + T)

        s·t ≤ s·t / (s + t) ≤ (1 − z)² · s + z² · t,

    the tangent of the concave z(1 − z); summed over nodes that is S·T / (S + T) · K²/(c·c'), of
    n·m pairs. The same holds for racks. What is not within a node costs at least what it costs
    within a rack, what is not within a rack at least the cheapest two racks. For a stream from a
    group to itself T is 0.
    """
    groups = sorted({source, target})
    need = topology.requirements[:, groups] @ topology.sizes[groups]
    in_racks = np.stack([np.bincount(racks.rack, weights=row) for row in racks.limits])
    in_node, in_rack = (
        float(np.min(largest[need > 0] / need[need > 0], initial=1.0))
        for largest in (racks.limits.max(axis=1), in_racks.max(axis=1))
    )
    return near * (max(in_rack, in_node) - in_node) + far * (1.0 - max(in_rack, in_node))


def _spread(
    topology: GroupedTopology, racks: Racks, one: int, other: int, per_tuple: Matrix
) -> float:
    """Bound what a tuple/s costs by how far the other group has to spread around each rack.

    Seen from any rack, the other group fills the nearest racks first, as many of it in each as
    whole executors allow; the first group then fills the racks where that costs the least.
    """
    here, there = _shares(topology, racks, one), _shares(topology, racks, other)
    in_node = float(there.max(initial=0.0))
    one_each = np.stack([np.bincount(racks.rack, weights=it) for it in (here, there)])
    tolls = np.empty(len(per_tuple))
    for rack in range(len(per_tuple)):
        costs = np.append(per_tuple[rack], 0.0)
        room = np.append(one_each[1], in_node)
        room[rack] = max(0.0, room[rack] - in_node)
        tolls[rack] = _fill(costs, room)
    return _fill(tolls, one_each[0])


def _shares(topology: GroupedTopology, racks: Racks, group: int) -> Floats:
    """Return [node]: the share of the group that an empty node holds, at most."""
    need = topology.requirements[:, group]
    number = np.min(racks.limits[need > 0] / need[need > 0, None], axis=0, initial=np.inf)
    whole = np.minimum(np.floor(number * (1 + 1e-9) + 1e-9), topology.sizes[group])
    return np.asarray(whole / topology.sizes[group], dtype=np.float64)


def _fill(costs: Floats, room: Floats) -> float:
    """Return what filling the cheapest first costs until 1 is placed; all there is if less fits."""
    order = np.argsort(costs, kind="stable")
    taken = np.diff(np.minimum(np.cumsum(room[order]), 1.0), prepend=0.0)
    return float(costs[order] @ taken)
