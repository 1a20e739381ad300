"""The response time of a branch when data flows along the branching order.

Let i be on node u, where f places are left, and let c alike operators follow it (the same paths
lead through them). If all of them stay, they take c places, and the longest path goes on from u
with f − c places; that needs f ≥ c. Else at least max(1, c − f) of them leave, have to find room on
other nodes, and the longest path goes through the worst of them:

    after(i, u, f) = max_{alike k after i} min { there_k(u) + after(k, u, f − c)       if f ≥ c
                                              { leaving(k, u, max(1, c − f))

    leaving(k, u, l) = the least θ such that the nodes v ≠ u with
                       hop(u, v) + there_k(v) + after(k, v, s_v − 1) ≤ θ have room for l.

That is at most what any placement pays: places on the node entered that were used before, of s_v
for an empty one, are given to the path for free. Pinned operators have their place set aside, so
that c = 0.

In the search all predecessors of the next operator are placed. What is left of each path starts
with an edge from a placed operator to one that is not, of which some alike may be placed already.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.instance import Instance, starts_of
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import allocation_free, compiled


class PathBound(NamedTuple):
    """Tables of what is left of the longest path, and where to look into them.

    Parameters
    ----------
    after
        [operator, node, places left]: what the longest path after the operator costs at least.
    leaving
        [operator, how many leave, node before]: what the longest path through those that leave
        costs at least, themselves included; of the last of alike ones only.
    work, hops
        As in `Instance`.
    in_starts, in_tails
        [operator]: where its predecessors start, then where they end; and who they are.
    frontier_starts, frontier_tails, frontier_heads, frontier_counts
        [level]: where the path edges start, then where they end, that lead from operators before
        the level to operators after it; their ends, of alike heads only the last; and how many
        places all alike ones after the level take.
    """

    after: Floats
    leaving: Floats
    work: Floats
    hops: Floats
    in_starts: Places
    in_tails: Places
    frontier_starts: Places
    frontier_tails: Places
    frontier_heads: Places
    frontier_counts: Places


@compiled
def path_bound(instance: Instance, slots: Places, longest_run: int, like: Places) -> PathBound:
    """Fill the tables from the sinks back.

    Parameters
    ----------
    slots
        [node]: how many operators it may hold beside the pinned.
    longest_run
        A run this long is never too long.
    like
        [operator]: the last of those with the same paths through them.
    """
    operators, nodes = instance.allowed.shape
    tails, heads = instance.path_tails, instance.path_heads
    alike = np.zeros(operators, np.int64)
    for operator in instance.flow:
        alike[like[operator]] += 0 if instance.pinned[operator] else 1
    most = alike.max() if operators else 0
    after = np.zeros((operators, nodes, longest_run + 1))
    leaving = np.full((operators, most + 1, nodes), inf)
    out_starts = starts_of(tails, operators)
    for operator in range(operators - 1, -1, -1):
        for edge in range(out_starts[operator], out_starts[operator + 1]):
            head = heads[edge]
            if like[head] == head:
                _go_on(
                    instance.allowed[head],
                    instance.work[head],
                    alike[head],
                    after[head],
                    leaving[head],
                    after[operator],
                )
        if like[operator] == operator:
            taken = 0 if instance.pinned[operator] else 1
            entered = np.full(nodes, inf)
            for node in range(nodes):
                room = min(slots[node], longest_run)
                if instance.allowed[operator, node] and room >= taken:
                    entered[node] = (
                        instance.work[operator, node] + after[operator, node, room - taken]
                    )
            _leave(entered, slots, instance.hops, alike[operator], leaving[operator])
    by_head = np.argsort(heads, kind="mergesort")
    frontier_starts, frontier = _frontier(instance, like)
    return PathBound(
        after,
        leaving,
        instance.work,
        instance.hops,
        starts_of(heads[by_head], operators),
        tails[by_head],
        frontier_starts,
        frontier[0],
        frontier[1],
        frontier[2],
    )


@compiled
def _go_on(
    allowed: Places, work: Floats, count: int, onward: Floats, leaving: Floats, after: Floats
) -> None:
    """Raise [node, places left] `after` to what going on to alike operators costs at least."""
    nodes, levels = after.shape
    for node in range(nodes):
        for left in range(levels):
            least = leaving[max(1, count - left) if count else 0, node]
            if allowed[node] and left >= count:
                least = min(least, work[node] + onward[node, left - count])
            after[node, left] = max(after[node, left], least)


@compiled
def _leave(entered: Floats, slots: Places, hops: Floats, count: int, leaving: Floats) -> None:
    """Write [how many leave, node before] `leaving`; row 0 is for a pinned operator.

    Parameters
    ----------
    entered
        [node]: what entering the node and going on costs at least, without the hop.
    count
        How many may leave at most.
    """
    nodes = len(slots)
    ways = np.empty(nodes)
    for before in range(nodes):
        for node in range(nodes):
            ways[node] = entered[node] + hops[before, node]
        ways[before] = inf
        if count == 0:
            leaving[0, before] = ways.min()
        seated = 0
        while seated < count:
            nearest = np.argmin(ways)
            if ways[nearest] == inf:
                break
            for leavers in range(seated, min(count, seated + slots[nearest])):
                leaving[leavers + 1, before] = ways[nearest]
            seated += slots[nearest]
            ways[nearest] = inf


@compiled
def _frontier(instance: Instance, like: Places) -> tuple[Places, Places]:
    """Return [level] starts, and [tail or head or count, entry] of `PathBound`'s frontier."""
    operators = len(like)
    tails, heads = instance.path_tails, instance.path_heads
    starts = np.zeros(operators + 1, np.int64)
    for edge in range(len(tails)):
        if like[heads[edge]] == heads[edge]:
            starts[tails[edge] + 2 : heads[edge] + 1] += 1
    starts = np.cumsum(starts)
    filled = starts.copy()
    frontier = np.zeros((3, starts[-1]), np.int64)
    for edge in range(len(tails)):
        tail, head = tails[edge], heads[edge]
        if like[head] == head:
            count = 0
            for level in range(head - 1, tail, -1):
                if like[level + 1] == head and not instance.pinned[head]:
                    count += 1
                entry = filled[level]
                frontier[0, entry], frontier[1, entry], frontier[2, entry] = tail, head, count
                filled[level] += 1
    return starts, frontier


@allocation_free
def longest_of_frontier(
    bound: PathBound, room: Places, places: Places, done: Floats, level: int
) -> float:
    """Return what the longest path past the level's operator costs at least.

    Parameters
    ----------
    room
        [node]: how many more operators it may hold.
    places, done
        [operator]: its node, and when it is done, as a cost.
    """
    after, leaving, work = bound.after, bound.leaving, bound.work
    tails, heads, counts = bound.frontier_tails, bound.frontier_heads, bound.frontier_counts
    last = after.shape[2] - 1
    longest = 0.0
    for at in range(bound.frontier_starts[level], bound.frontier_starts[level + 1]):
        head, count, node = heads[at], counts[at], places[tails[at]]
        left = min(room[node], last)
        least = leaving[head, max(1, count - left) if count else 0, node]
        if left >= count:
            least = min(least, work[head, node] + after[head, node, left - count])
        longest = max(longest, done[tails[at]] + least)
    return longest


@allocation_free
def longest_through(
    bound: PathBound,
    room: Places,
    taken: int,
    places: Places,
    done: Floats,
    level: int,
    through: Floats,
    done_there: Floats,
) -> None:
    """Write what the longest path through the level's operator costs at least on each node.

    Parameters
    ----------
    room, places, done
        As for `longest_of_frontier`.
    taken
        How many places the operator takes.
    through, done_there
        [node]: written here; the latter is when it would be done there, as a cost.
    """
    after, work, hops, tails = bound.after, bound.work, bound.hops, bound.in_tails
    nodes, levels = len(room), after.shape[2]
    for node in range(nodes):
        done_there[node] = 0.0
    for at in range(bound.in_starts[level], bound.in_starts[level + 1]):
        start, from_ = done[tails[at]], places[tails[at]]
        for node in range(nodes):
            done_there[node] = max(done_there[node], start + hops[from_, node])
    for node in range(nodes):
        done_there[node] += work[level, node]
        left = max(0, min(room[node] - taken, levels - 1))
        through[node] = done_there[node] + after[level, node, left]
