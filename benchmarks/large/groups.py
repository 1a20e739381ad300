"""A topology as groups of interchangeable executors, and nodes in racks."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.errors import ProblemError
from eyewall_sidecar.model.links import Matrix

Counts = Places
"""[group, node]: how many of the group's executors are on the node."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupedTopology:
    """One topology.

    Parameters
    ----------
    sizes
        [group]: how many executors the component has, ≥ 1.
    requirements
        [resource, group]: what each of them needs.
    sources, targets, rates
        [stream]: its groups, and the tuples/s that arrive, summed over all executors of the
        target. Each executor of the source sends the same, each of the target gets the same
        from each (shuffle; for `all`, the rate counts every copy; for others, on average).
    """

    sizes: Places
    requirements: Floats
    sources: Places
    targets: Places
    rates: Floats

    @property
    def demand(self) -> Floats:
        """[resource]: what all executors need together."""
        return np.asarray(self.requirements @ self.sizes, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Racks:
    """Nodes whose distance is that of their racks.

    Parameters
    ----------
    limits
        [resource, node]: what a node holds.
    rack
        [node]: the place of its rack.
    per_tuple
        [rack, rack]: what one tuple/s between two nodes there costs; on the diagonal, between two
        different nodes of one rack. On one node it costs nothing.
    """

    limits: Floats
    rack: Places
    per_tuple: Matrix

    @classmethod
    def of(cls, limits: Floats, rack: Places, delays: Matrix) -> Self:
        """Take the racks' costs from delays between nodes, [node, node] in seconds.

        Raises
        ------
        ProblemError
            Delays between two racks, or within one, that are not all the same.
        """
        count = int(rack.max(initial=-1)) + 1
        per_tuple = np.zeros((count, count))
        members = [np.flatnonzero(rack == place) for place in range(count)]
        for one in range(count):
            for other in range(count):
                block = delays[np.ix_(members[one], members[other])]
                if one == other:
                    block = block[~np.eye(len(block), dtype=np.bool_)]
                if block.size:
                    per_tuple[one, other] = block.flat[0]
                    if np.ptp(block) > 1e-9:
                        raise ProblemError(
                            f"racks {one} and {other}: delays between their nodes go from "
                            f"{block.min():g} s to {block.max():g} s; nodes of a rack must be "
                            "equally far from those of another"
                        )
        return cls(limits, rack, per_tuple)


def usage(topology: GroupedTopology, racks: Racks, counts: Counts) -> float:
    """Return Σ λ · Σ_(u,v) (x_u / n) · (y_v / m) · per_tuple[u, v] over streams.

    With delays as costs this is the network usage N (paper 000, equation 20) of the executors'
    streams, λ / (n · m) on each.
    """
    shares = counts / topology.sizes[:, None]
    by_rack = shares_by_rack(racks, shares)
    within = racks.per_tuple.diagonal()[racks.rack]
    total = 0.0
    for source, target, rate in zip(
        topology.sources, topology.targets, topology.rates, strict=True
    ):
        apart = by_rack[source] @ racks.per_tuple @ by_rack[target]
        total += float(rate * (apart - (within * shares[source]) @ shares[target]))
    return total


def shares_by_rack(racks: Racks, shares: Floats) -> Floats:
    """Return [group, rack]: the share of the group's executors that is in the rack."""
    return np.stack(
        [np.bincount(racks.rack, weights=row, minlength=len(racks.per_tuple)) for row in shares]
    )


def slowest_path(
    topology: GroupedTopology, racks: Racks, counts: Counts, order: list[int]
) -> float:
    """Return the longest path over pairs of nodes that are both in use, in units of `per_tuple`.

    Parameters
    ----------
    order
        Groups in topological order; streams against it close cycles and are left out.
    """
    position = {group: place for place, group in enumerate(order)}
    done = np.where(counts > 0, 0.0, -np.inf)
    inputs: dict[int, list[int]] = {}
    for source, target in zip(topology.sources.tolist(), topology.targets.tolist(), strict=True):
        if position[source] < position[target]:
            inputs.setdefault(target, []).append(source)
    for group in order:
        for source in inputs.get(group, []):
            used = np.flatnonzero(counts[source])
            for node in np.flatnonzero(counts[group]):
                hops = racks.per_tuple[racks.rack[used], racks.rack[node]] * (used != node)
                done[group, node] = max(done[group, node], (done[source, used] + hops).max())
    return float(done.max(initial=0.0))
