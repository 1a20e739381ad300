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

**Whole operators.** Of those that need at least C_k in every resource, node v holds at most
⌊min_r W_rv / C_rk⌋. For each k that is one more resource, of which each of them needs 1.
"""

from math import inf, isfinite

import numpy as np

from eyewall_sidecar.exact.instance import Flags, starts_of
from eyewall_sidecar.exact.parts_bound import least_parts
from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objectives.costs import Costs

SLACK = 1e-6
"""By this fraction nodes hold more, so that rounding makes no bound too high."""

MOST_NODES = 200
"""Above this the pairs of nodes for a source and a sink take too long."""

MOST_PAIRS = 6
"""Of sources and sinks, those with the most between them."""


MOST_KINDS = 16
"""Of kinds of requirements, those that need most together."""


def spread_bound(arrays: ProblemArrays, costs: Costs) -> float:
    """Return what any placement costs at least, in the units of `Costs`."""
    requirements, limits = with_kinds(arrays.requirements, arrays.limits * (1 + SLACK))
    total = 0.0
    if costs.per_operator.any():
        total += float(
            np.where(arrays.allowed, costs.per_operator, inf).min(axis=1, initial=inf).sum()
        )
    for amounts, matrix in (
        (arrays.rates, costs.per_tuple),
        (np.ones(len(arrays.rates)), costs.per_stream),
    ):
        if matrix.any():
            finite = np.where(np.isfinite(matrix), matrix, matrix[np.isfinite(matrix)].max())
            cheaper = np.minimum(finite, finite.T)
            stars = _least_stars(
                arrays.sources,
                arrays.targets,
                amounts,
                cheaper,
                requirements,
                limits,
                arrays.allowed,
            )
            apart = cheaper[~np.eye(arrays.nodes, dtype=np.bool_)].min(initial=inf)
            parts = 0.0
            if isfinite(apart):
                joined = np.zeros((arrays.operators, arrays.operators))
                np.add.at(joined, (arrays.sources, arrays.targets), amounts)
                joined += joined.T
                np.fill_diagonal(joined, 0.0)
                room = arrays.limits * (1 + SLACK)
                parts = least_parts(joined, arrays.requirements, room, float(apart))
            total += max(stars, parts)
    if costs.response and arrays.nodes <= MOST_NODES:
        total += costs.response * _longest(
            arrays.path_sources,
            arrays.path_targets,
            arrays.path_order,
            arrays.delays,
            requirements,
            limits,
            arrays.allowed,
        )
    return total * (1 - 1e-10)


def with_kinds(requirements: Floats, limits: Floats) -> tuple[Floats, Floats]:
    """Return the same with a resource more for each kind of requirements, counted in operators.

    Parameters
    ----------
    requirements, limits
        [resource, operator] and [resource, node].
    """
    kinds = np.unique(requirements, axis=1).T
    counted, held = [], []
    for kind in kinds[kinds.any(axis=1)]:
        needed = kind > 0
        as_large = (requirements >= kind[:, None]).all(axis=0)
        counted.append(as_large.astype(np.float64))
        fitting = (limits[needed] / kind[needed, None]).min(axis=0)
        held.append(np.floor(np.maximum(0.0, fitting)))
    if not counted:
        return requirements.copy(), limits.copy()
    rows, room = np.array(counted), np.array(held)
    scarce = rows.sum(axis=1) / np.maximum(room.max(axis=1, initial=0.0), 0.5)
    most = np.argsort(-scarce, kind="mergesort")[:MOST_KINDS]
    return np.vstack((requirements, rows[most])), np.vstack((limits, room[most]))


@compiled
def _least_stars(
    sources: Places,
    targets: Places,
    amounts: Floats,
    between: Matrix,
    requirements: Floats,
    limits: Floats,
    allowed: Flags,
) -> float:
    """Return the sum over hubs of what each pays at least.

    Parameters
    ----------
    amounts
        [stream]: of what counts.
    between
        [node, node]: what one of it costs in the cheaper direction; finite, 0 on the diagonal.
    requirements, limits
        [resource, operator] and [resource, node].
    """
    operators, nodes = allowed.shape
    joined = np.zeros((operators, operators))
    for stream in range(len(sources)):
        one, two = sources[stream], targets[stream]
        if one != two:
            joined[one, two] += amounts[stream]
            joined[two, one] += amounts[stream]
    volume = np.zeros(operators)
    largest = np.zeros(len(limits))
    for resource in range(len(limits)):
        largest[resource] = limits[resource].max()
    for hub in range(operators):
        for other in range(operators):
            if joined[hub, other] > 0:
                share = 0.0
                for resource in range(len(limits)):
                    if largest[resource] > 0:
                        share = max(share, requirements[resource, other] / largest[resource])
                volume[hub] += share
    nearest = np.empty((nodes, nodes), np.int64)
    for node in range(nodes):
        nearest[node] = np.argsort(between[node], kind="mergesort")
        at = np.argmax(nearest[node] == node)
        nearest[node, 1 : at + 1] = nearest[node, :at].copy()
        nearest[node, 0] = node
    total = 0.0
    for hub in range(operators):
        least = np.zeros(nodes)
        for resource in range(len(limits)):
            density = np.zeros(operators)
            for other in range(operators):
                first = volume[hub] > volume[other] or (
                    volume[hub] == volume[other] and hub < other
                )
                if first and requirements[resource, other] > 0:
                    density[other] = joined[hub, other] / requirements[resource, other]
            order = np.argsort(-density, kind="mergesort")
            for node in range(nodes):
                least[node] = max(
                    least[node],
                    _star(
                        order,
                        density,
                        requirements[resource],
                        limits[resource],
                        requirements[resource, hub],
                        nearest[node],
                        between[node],
                    ),
                )
        best = inf
        for node in range(nodes):
            if allowed[hub, node]:
                best = min(best, least[node])
        if best < inf:
            total += best
    return total


@compiled
def _star(
    order: Places,
    density: Floats,
    required: Floats,
    limits: Floats,
    taken: float,
    nearest: Places,
    costs: Floats,
) -> float:
    """Return what a hub on the first of the nearest nodes pays at least for its neighbours.

    Parameters
    ----------
    order, density
        [rank] and [operator]: neighbours by falling amount per requirement; 0 ends them.
    required, limits
        [operator] and [node]: of one resource.
    taken
        What the hub itself needs.
    nearest, costs
        [rank] and [node]: nodes by rising cost.
    """
    rank = 0
    total: float = 0.0
    left = max(0.0, limits[nearest[0]] - taken)
    for other in order:
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
                    return total
                left = max(0.0, limits[nearest[rank]])
    return total


@compiled
def _longest(
    path_sources: Places,
    path_targets: Places,
    path_order: Places,
    delays: Matrix,
    requirements: Floats,
    limits: Floats,
    allowed: Flags,
) -> float:
    """Return what the longest path takes at least, in seconds, execution times left out."""
    operators, nodes = allowed.shape
    ways = delays.copy()
    for node in range(nodes):
        ways[node, node] = 0.0
    for over in range(nodes):
        for node in range(nodes):
            for other in range(nodes):
                way = ways[node, over] + ways[over, other]
                if way < ways[node, other]:
                    ways[node, other] = way
    after = _followers(path_sources, path_targets, path_order, operators)
    longest = 0.0
    for hub in path_order:
        least = inf
        following, leading = after[hub].copy(), after[:, hub].copy()
        following[hub] = True
        leading[hub] = True
        on, back = _need(following, requirements), _need(leading, requirements)
        both = _need(following | leading, requirements)
        for node in range(nodes):
            if allowed[hub, node]:
                to, from_ = ways[node], ways[:, node].copy()
                apart = _farthest(to, limits, on) + _farthest(from_, limits, back)
                least = min(least, max(apart, _farthest(np.minimum(to, from_), limits, both)))
        if least < inf:
            longest = max(longest, least)
    ends: float = _between_ends(after, path_order, ways, requirements, limits, allowed)
    return ends if ends > longest else longest


@compiled
def _followers(
    path_sources: Places, path_targets: Places, path_order: Places, operators: int
) -> Flags:
    """Return [operator, other]: whether the other comes after it on a path."""
    by_source = np.argsort(path_sources, kind="mergesort")
    starts, heads = starts_of(path_sources[by_source], operators), path_targets[by_source]
    after = np.zeros((operators, operators), np.bool_)
    for operator in path_order[::-1]:
        for head in heads[starts[operator] : starts[operator + 1]]:
            after[operator] |= after[head]
            after[operator, head] = True
    return after


@compiled
def _between_ends(
    after: Flags,
    path_order: Places,
    ways: Matrix,
    requirements: Floats,
    limits: Floats,
    allowed: Flags,
) -> float:
    """Return the bound for the sources and sinks with the most between them."""
    nodes = len(ways)
    size = np.zeros(after.shape)
    for source in path_order:
        if not after[:, source].any():
            for sink in path_order:
                if after[source, sink] and not after[sink].any():
                    need = _need(after[source] & after[:, sink], requirements)
                    for resource in range(len(limits)):
                        most = limits[resource].max()
                        if most > 0:
                            size[source, sink] = max(size[source, sink], need[resource] / most)
    longest = 0.0
    for _ in range(MOST_PAIRS):
        pair = int(np.argmax(size))
        source, sink = pair // len(size), pair % len(size)
        if len(size) == 0 or size[source, sink] <= 1.0:
            break
        # alike ends have as much between them, and the same bound
        alike = size == size[source, sink]
        for one in range(len(size)):
            for two in range(len(size)):
                if alike[one, two]:
                    size[one, two] = 0.0
        members = after[source] & after[:, sink]
        members[source] = True
        members[sink] = True
        need = _need(members, requirements)
        least = inf
        for start in range(nodes):
            if allowed[source, start]:
                for end in range(nodes):
                    if allowed[sink, end] and ways[start, end] < least:
                        over = ways[start] + ways[:, end]
                        least = min(least, _farthest(over, limits, need))
        if least < inf:
            longest = max(longest, least)
    return longest


@compiled
def _need(members: Flags, requirements: Floats) -> Floats:
    """Return [resource]: what the members need together."""
    need = np.zeros(len(requirements))
    for operator in range(len(members)):
        if members[operator]:
            need += requirements[:, operator]
    return need


@compiled
def _farthest(ways: Floats, limits: Floats, need: Floats) -> float:
    """Return the least θ such that nodes with ways ≤ θ have room; 0 where none have."""
    open_, left = ways.copy(), need.copy()
    theta = 0.0
    while left.max() > 0:
        node = int(np.argmin(open_))
        if open_[node] == inf:
            break
        theta = open_[node]
        open_[node] = inf
        for resource in range(len(left)):
            left[resource] -= max(0.0, limits[resource, node])
    return theta
