"""Lower bounds along paths that see capacity: no node holds a longer run of a path than it has room.

A path visits nodes in runs of neighbouring operators. Within a run nothing is paid for hops, but
each operator takes a place; leaving for another node pays the hop and finds at most all places
there. With f the places left for the run on node u, and s_v the places of an empty node v,

    next(j, u, f) = min { at(j, u, f − 1)                       stay, if f ≥ 1
                        { min_{v ≠ u} hop(u, v) + at(j, v, s_v − 1)   leave

is at most what any placement pays for the way from a predecessor of j on u, j included: places
that the path used on v before, or that other operators use, are given to it for free. Pinned
operators have their place set aside, so they take none.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.odp.instance import Instance, starts_of

NONE = -1


class PathTails(NamedTuple):
    """What is left of the longest path, as costs.

    Parameters
    ----------
    starts
        [operator]: where its path edges start, then where they end.
    after
        [operator, node, places left]: what the longest path after the operator costs at least.
    arriving
        [operator, node, places left]: the same from one of its predecessors there, the operator
        included.
    """

    starts: Places
    after: Floats
    arriving: Floats


@compiled
def path_tails(instance: Instance, slots: Places, longest_run: int) -> PathTails:
    """Fill the table from the sinks back; the branching order has to be a topological one.

    Parameters
    ----------
    slots
        [node]: how many operators it may hold beside the pinned.
    longest_run
        A run this long is never too long.
    """
    operators, nodes = instance.allowed.shape
    starts = starts_of(instance.path_tails, operators)
    levels = longest_run + 1 if len(instance.flow) else 0
    after = np.zeros((operators, nodes, levels))
    arriving = np.zeros((operators, nodes, levels))
    if len(instance.flow):
        for operator in range(operators - 1, -1, -1):
            for edge in range(starts[operator], starts[operator + 1]):
                after[operator] = np.maximum(after[operator], arriving[instance.path_heads[edge]])
            _arrive(
                instance.allowed[operator],
                instance.pinned[operator],
                instance.work[operator],
                instance.hops,
                slots,
                after[operator],
                arriving[operator],
            )
    return PathTails(starts, after, arriving)


class PairTails(NamedTuple):
    """What pairs of operators cost along paths that share no pair.

    Parameters
    ----------
    starts
        [operator]: where the pairs start of which it is the first, then where they end.
    came_from
        [pair]: the pair before it on its path, or `NONE`.
    carried
        [operator]: whether a path accounts for its own cost until its first neighbour is placed.
    table
        [pair, node of first, places left there]: what the path costs at least from this pair on.
    """

    starts: Places
    came_from: Places
    carried: bool
    table: Floats


@compiled
def pair_tails(instance: Instance, slots: Places, longest_run: int, carry: bool) -> PairTails:
    r"""Split the pairs into paths that follow the branching order, and fill their tables.

    Each pair is on one path, so the sum of the paths' minima is at most the minimum of the sum.
    At each operator the paths that arrive are continued in the order in which they come.

    Parameters
    ----------
    slots, longest_run
        As for `path_tails`.
    carry
        Whether an operator's own cost counts along the path on which its first pair arrives.
    """
    operators, nodes = instance.allowed.shape
    pairs = len(instance.pair_costs)
    firsts, seconds = instance.relations.firsts[:pairs], instance.relations.seconds[:pairs]
    starts = starts_of(firsts, operators)
    came_from, goes_to = np.full(pairs, NONE, np.int64), np.full(pairs, NONE, np.int64)
    taken = starts[:-1].copy()
    leads = np.zeros(pairs, np.bool_)
    reached = np.zeros(operators, np.bool_)
    for pair in range(pairs):
        operator = seconds[pair]
        leads[pair] = not reached[operator]
        reached[operator] = True
        if taken[operator] < starts[operator + 1]:
            goes_to[pair] = taken[operator]
            came_from[taken[operator]] = pair
            taken[operator] += 1
    table = np.zeros((pairs, nodes, longest_run + 1))
    ended = np.zeros((nodes, longest_run + 1))
    free = np.zeros(nodes)
    for pair in range(pairs - 1, -1, -1):
        operator = seconds[pair]
        _arrive(
            instance.allowed[operator],
            instance.pinned[operator],
            instance.own[operator] if carry and leads[pair] else free,
            instance.pair_costs[pair],
            slots,
            table[goes_to[pair]] if goes_to[pair] != NONE else ended,
            table[pair],
        )
    return PairTails(starts, came_from, carry, table)


@compiled
def _arrive(
    allowed: Floats,
    pinned: bool,
    there: Floats,
    hops: Floats,
    slots: Places,
    onward: Floats,
    table: Floats,
) -> None:
    """Write [node before, places left there]: the least of staying and of leaving.

    Parameters
    ----------
    allowed, pinned
        [node], and of the operator that is arrived at.
    there
        [node]: what it costs on the node.
    hops
        [node, node]: what coming from another node costs.
    onward
        [node, places left]: what follows.
    """
    nodes, levels = onward.shape
    taken = 0 if pinned else 1
    entered = np.full(nodes, inf)
    for node in range(nodes):
        room = min(slots[node], levels - 1)
        if allowed[node] and room >= taken:
            entered[node] = there[node] + onward[node, room - taken]
    for node in range(nodes):
        leave = inf
        for other in range(nodes):
            if other != node:
                leave = min(leave, hops[node, other] + entered[other])
        for left in range(levels):
            table[node, left] = leave
            if allowed[node] and left >= taken:
                stay = there[node] + onward[node, left - taken]
                table[node, left] = min(leave, stay)
