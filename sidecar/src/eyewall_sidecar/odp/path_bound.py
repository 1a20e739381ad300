"""The response time of a branch when data flows along the branching order.

All predecessors of the next operator are placed. What is left of each path starts with an edge from
a placed operator to one that is not, and costs at least what its table says.
"""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.odp.instance import Instance, starts_of
from eyewall_sidecar.odp.run_bounds import arrive


class PathBound(NamedTuple):
    """Tables of what is left of the longest path, and where to look into them.

    Parameters
    ----------
    after
        [operator, node, places left]: what the longest path after the operator costs at least.
    arriving
        [operator, node, places left]: the same from a predecessor there, the operator included.
    work, hops
        As in `Instance`.
    in_starts, in_tails
        [operator]: where its predecessors start, then where they end; and who they are.
    frontier_starts, frontier_tails, frontier_heads
        [level]: where the path edges start, then where they end, that lead from operators before
        the level to operators after it; and their ends.
    """

    after: Floats
    arriving: Floats
    work: Floats
    hops: Floats
    in_starts: Places
    in_tails: Places
    frontier_starts: Places
    frontier_tails: Places
    frontier_heads: Places


@compiled
def path_bound(instance: Instance, slots: Places, longest_run: int) -> PathBound:
    """Fill the tables from the sinks back.

    Parameters
    ----------
    slots
        [node]: how many operators it may hold beside the pinned.
    longest_run
        A run this long is never too long.
    """
    operators, nodes = instance.allowed.shape
    tails, heads = instance.path_tails, instance.path_heads
    after = np.zeros((operators, nodes, longest_run + 1))
    arriving = np.zeros((operators, nodes, longest_run + 1))
    out_starts = starts_of(tails, operators)
    for operator in range(operators - 1, -1, -1):
        for edge in range(out_starts[operator], out_starts[operator + 1]):
            after[operator] = np.maximum(after[operator], arriving[heads[edge]])
        arrive(
            instance.allowed[operator],
            0 if instance.pinned[operator] else 1,
            instance.work[operator],
            instance.hops,
            slots,
            after[operator],
            arriving[operator],
        )
    by_head = np.argsort(heads, kind="mergesort")
    frontier_starts = np.zeros(operators + 1, np.int64)
    for tail, head in zip(tails, heads):  # noqa: B905 (numba knows no strict)
        frontier_starts[tail + 2 : head + 1] += 1
    frontier_starts = np.cumsum(frontier_starts)
    filled = frontier_starts.copy()
    frontier = np.empty((2, frontier_starts[-1]), np.int64)
    for tail, head in zip(tails, heads):  # noqa: B905
        for level in range(tail + 1, head):
            frontier[0, filled[level]], frontier[1, filled[level]] = tail, head
            filled[level] += 1
    return PathBound(
        after,
        arriving,
        instance.work,
        instance.hops,
        starts_of(heads[by_head], operators),
        tails[by_head],
        frontier_starts,
        frontier[0],
        frontier[1],
    )


@compiled
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
    arriving, tails, heads = bound.arriving, bound.frontier_tails, bound.frontier_heads
    last = arriving.shape[2] - 1
    longest = 0.0
    for at in range(bound.frontier_starts[level], bound.frontier_starts[level + 1]):
        node = places[tails[at]]
        way = done[tails[at]] + arriving[heads[at], node, min(room[node], last)]
        longest = max(longest, way)
    return longest


@compiled
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
