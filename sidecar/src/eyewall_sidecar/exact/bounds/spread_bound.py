"""What it costs at least that operators do not all fit around one another: for uneven operators.

Both bounds look at what operators need in each resource, not at how many there are, and hold for
any placement x that no node holds more of than it can. W_v is what node v can hold.

**What adds up.** The pairs that streams join are each given to one of their ends, the hub. A hub h
on u pays Σ_i λ_hi · D(u, x_i) for the neighbours i given to it, with D the lesser of the costs of
the two directions, so that

    cost(x)  ≥  Σ_h min_u min { Σ_{i,v} λ_hi · D(u, v) · y_iv  :
                                Σ_v y_iv = 1, Σ_i C_i · y_iv ≤ W_v }

where W_u is without C_h. Each pair counts once, and y = x is one choice. The inner minimum has one
resource at a time (a relaxation), and is then that of a transport problem with costs λ_i · D_v: the
neighbours with the most λ_i / C_i have the nearest nodes (rearrangement inequality).

**The longest path.** Let s(u, v) be the shortest way between two nodes over any others. If i lies
on a path after h, the longest path takes at least s(x_h, x_i), and if it lies before h at least
s(x_i, x_h). All of them have to find room, so that with h on u

    R  ≥  the least θ such that the nodes with min(s(u, v), s(v, u)) ≤ θ have room for all, and
    R  ≥  the same θ for those before h alone, plus that for those after h alone.

For a source a on u and a sink b on z, what lies between them on paths finds room on nodes with
s(u, v) + s(v, z) ≤ θ.

**Parts.** See `parts_bound`.
"""

from math import inf, isfinite

import numpy as np

from eyewall_sidecar.exact.bounds.parts_bound import least_parts
from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import kernel, subroutine
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objectives.costs import Costs

SLACK = 1e-6
"""By this fraction nodes hold more, so that rounding makes no bound too high."""

MOST_NODES = 200
"""Above this the pairs of nodes for a source and a sink take too long."""

MOST_PAIRS = 6
"""Of sources and sinks, those with the most between them."""


def spread_bound(arrays: ProblemArrays, costs: Costs) -> float:
    """Return what any placement costs at least, in the units of `Costs`."""
    requirements, limits = arrays.requirements, arrays.limits * (1 + SLACK)
    total = 0.0
    if costs.per_operator.any():
        total += float(
            np.where(arrays.allowed, costs.per_operator, inf).min(axis=1, initial=inf).sum()
        )
    for amounts, matrix in (
        (costs.data_rates, costs.per_rate),
        (np.ones(len(arrays.sources)), costs.per_stream),
    ):
        if matrix.any():
            joined = np.zeros((arrays.operators, arrays.operators))
            np.add.at(joined, (arrays.sources, arrays.targets), amounts)
            joined += joined.T
            np.fill_diagonal(joined, 0.0)
            finite = np.where(np.isfinite(matrix), matrix, matrix[np.isfinite(matrix)].max())
            cheaper = np.minimum(finite, finite.T)
            stars = least_stars(joined, cheaper, requirements, limits, arrays.allowed)
            apart = cheaper[~np.eye(arrays.nodes, dtype=np.bool_)].min(initial=inf)
            parts = 0.0
            if isfinite(apart):
                parts = least_parts(joined, requirements, limits, float(apart))
            total += max(stars, parts)
    if costs.response and arrays.nodes <= MOST_NODES:
        total += costs.response * longest_spread(arrays, requirements, limits)
    return total * (1 - 1e-10)


def least_stars(
    joined: Matrix, between: Matrix, requirements: Floats, limits: Floats, allowed: Flags
) -> float:
    """Return the sum over hubs of what each pays at least; the end with more around it is the hub.

    Parameters
    ----------
    joined
        [operator, operator]: how much of what counts is between the two.
    between
        [node, node]: what one of it costs in the cheaper direction; finite, 0 on the diagonal.
    requirements, limits
        [resource, operator] and [resource, node].
    """
    operators, nodes = allowed.shape
    largest = limits.max(axis=1)
    shares = requirements[largest > 0] / largest[largest > 0, None]
    volume = (joined > 0) @ shares.max(axis=0, initial=0.0)
    own_first = between.copy()
    np.fill_diagonal(own_first, -1.0)
    nearest = np.argsort(own_first, axis=1, kind="stable")
    total, numbers = 0.0, np.arange(operators)
    for hub in range(operators):
        given = (volume[hub] > volume) | ((volume[hub] == volume) & (hub < numbers))
        density = np.zeros_like(requirements)
        np.divide(joined[hub], requirements, out=density, where=given & (requirements > 0))
        if not density.any():
            continue
        least = np.zeros(nodes)
        order = np.argsort(-density, axis=1, kind="stable")
        _stars(order, density, requirements, limits, hub, nearest, between, least)
        best = least[allowed[hub]].min(initial=inf)
        total += float(best) if best < inf else 0.0
    return total


@kernel
def _stars(
    order: Indices,
    density: Floats,
    requirements: Floats,
    limits: Floats,
    hub: int,
    nearest: Indices,
    between: Matrix,
    least: Floats,
) -> None:
    """Raise [node] `least` to what the hub there pays at least for its neighbours.

    Parameters
    ----------
    order, density
        [resource, rank] and [resource, operator]: neighbours by falling amount per requirement; 0
        ends them.
    nearest
        [node, rank]: nodes by rising cost.
    """
    for resource in range(len(limits)):
        for node in range(len(least)):
            least[node] = max(
                least[node],
                _star(
                    order[resource],
                    density[resource],
                    requirements[resource],
                    limits[resource],
                    requirements[resource, hub],
                    nearest[node],
                    between[node],
                ),
            )


@subroutine
def _star(
    order: Indices,
    density: Floats,
    required: Floats,
    limits: Floats,
    taken: float,
    nearest: Indices,
    costs: Floats,
) -> float:
    """Return what a hub that needs `taken` pays on the first of the nearest nodes, at least."""
    rank, total = 0, 0.0
    left = max(0.0, limits[nearest[0]] - taken)
    for place in range(len(order)):
        other = order[place]
        if density[other] <= 0:
            break
        needed = required[other]
        while needed > 0:
            amount = min(needed, left)
            total += density[other] * amount * costs[nearest[rank]]
            needed -= amount
            left -= amount
            if needed > 0:
                rank += 1
                if rank == len(nearest):
                    return float(total)
                left = max(0.0, limits[nearest[rank]])
    return total


def longest_spread(arrays: ProblemArrays, requirements: Floats, limits: Floats) -> float:
    """Return what the longest path takes at least, in seconds, execution times left out."""
    ways = arrays.delays.copy()
    np.fill_diagonal(ways, 0.0)
    for over in range(arrays.nodes):
        np.minimum(ways, ways[:, over, None] + ways[over], out=ways)
    after = _followers(arrays)
    room = np.maximum(0.0, limits)
    farthest_to, farthest_from, farthest = (
        _Farthest(it, room) for it in (ways, ways.T, np.minimum(ways, ways.T))
    )
    longest = 0.0
    for hub in arrays.path_order.tolist():
        following, leading = after[hub].copy(), after[:, hub].copy()
        following[hub] = leading[hub] = True
        on, back = requirements @ following, requirements @ leading
        least = np.maximum(
            farthest_to.of(on) + farthest_from.of(back),
            farthest.of(requirements @ (following | leading)),
        )[arrays.allowed[hub]].min(initial=inf)
        longest = max(longest, float(least) if least < inf else 0.0)
    return max(longest, _longest_between_ends(arrays, after, ways, requirements, room))


class _Farthest:
    """How far away the nodes are around each node that together have room for a need."""

    def __init__(self, ways: Matrix, room: Floats) -> None:
        order = np.argsort(ways, axis=1, kind="stable")
        self._ways = np.take_along_axis(ways, order, axis=1)
        self._room = np.cumsum(room[:, order], axis=2)

    def of(self, need: Floats) -> Floats:
        """Return [node]: the least θ such that nodes within θ have room; all nodes' if none do."""
        enough: Flags = np.all(self._room >= need[:, None, None], axis=0)
        enough[:, -1] = True
        rank = enough.argmax(axis=1)[:, None]
        return np.take_along_axis(self._ways, rank, axis=1)[:, 0]


def _followers(arrays: ProblemArrays) -> Flags:
    """Return [operator, other]: whether the other comes after it on a path."""
    after = np.zeros((arrays.operators, arrays.operators), dtype=np.bool_)
    edges = zip(arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True)
    # Edges are sorted by their targets' place in the flow.
    for source, target in reversed(list(edges)):
        after[source] |= after[target]
        after[source, target] = True
    return after


def _longest_between_ends(
    arrays: ProblemArrays, after: Flags, ways: Matrix, requirements: Floats, room: Floats
) -> float:
    """Return the bound for the sources and sinks with the most between them."""
    largest = room.max(axis=1)
    shares = requirements[largest > 0] / largest[largest > 0, None]
    on_paths = arrays.path_order
    sources = on_paths[~after[:, on_paths].any(axis=0)]
    sinks = on_paths[~after[on_paths].any(axis=1)]
    # Ends with the same between them have the same bound.
    sizes: dict[bytes, tuple[float, int, int]] = {}
    for source in sources.tolist():
        for sink in sinks.tolist():
            between = after[source] & after[:, sink]
            size = float((shares @ between).max(initial=0.0)) if after[source, sink] else 0.0
            if size > 1.0:
                traits = arrays.allowed[source].tobytes() + arrays.allowed[sink].tobytes()
                sizes.setdefault(between.tobytes() + traits, (size, source, sink))
    longest, scratch = 0.0, np.zeros((2, max(arrays.nodes, len(room))))
    for _, source, sink in sorted(sizes.values(), reverse=True)[:MOST_PAIRS]:
        members = after[source] & after[:, sink]
        members[[source, sink]] = True
        least = _least_between(
            ways,
            room,
            requirements @ members,
            arrays.allowed[source],
            arrays.allowed[sink],
            scratch,
        )
        longest = max(longest, least if least < inf else 0.0)
    return longest


@kernel
def _least_between(
    ways: Matrix,
    room: Floats,
    need: Floats,
    source_allowed: Flags,
    sink_allowed: Flags,
    scratch: Floats,
) -> float:
    """Return the least θ over pairs of nodes such that nodes on ways up to θ have room for all.

    Parameters
    ----------
    scratch
        [2, node or resource].
    """
    nodes, least = len(ways), inf
    for start in range(nodes):
        for end in range(nodes):
            if source_allowed[start] and sink_allowed[end] and ways[start, end] < least:
                for node in range(nodes):
                    scratch[0, node] = ways[start, node] + ways[node, end]
                least = min(least, _radius(room, need, scratch, nodes))
    return least


@subroutine
def _radius(room: Floats, need: Floats, scratch: Floats, nodes: int) -> float:
    """Return the least θ such that nodes with ways ≤ θ have room; all nodes' if none do."""
    missing, theta = True, 0.0
    for resource in range(len(need)):
        scratch[1, resource] = need[resource]
    while missing:
        node = 0
        for other in range(1, nodes):
            if scratch[0, other] < scratch[0, node]:
                node = other
        if scratch[0, node] == inf:
            break
        theta = scratch[0, node]
        scratch[0, node] = inf
        missing = False
        for resource in range(len(need)):
            scratch[1, resource] -= room[resource, node]
            missing = missing or scratch[1, resource] > 0
    return theta
