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
from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import kernel, subroutine
from eyewall_sidecar.model.links import Matrix


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
        [operator]: where its predecessors start, then where they end; and which they are.
    frontier_starts, frontier
        [level]: where the path edges start, then where they end, that lead from operators before
        the level to operators after it; [entry, 3]: tail, head (of alike heads the last), and how
        many places all alike ones after the level take.
    """

    after: Floats
    leaving: Floats
    work: Floats
    hops: Matrix
    in_starts: Indices
    in_tails: Indices
    frontier_starts: Indices
    frontier: Indices


def path_bound(instance: Instance, slots: Indices, longest_run: int, like: Indices) -> PathBound:
    """Fill the tables from the sinks back.

    Parameters
    ----------
    slots
        [node]: how many operators it may hold besides the pinned.
    longest_run
        A run this long is never too long; 0 leaves the tables at 0.
    like
        [operator]: the last of those with the same paths through them.
    """
    operators, nodes = instance.operators, instance.nodes
    tails, heads, takes = instance.path_tails, instance.path_heads, instance.takes
    alike = np.bincount(
        like[instance.flow], weights=takes[instance.flow], minlength=operators
    ).astype(np.int64)
    after = np.zeros((operators, nodes, longest_run + 1))
    leaving = np.full((operators, int(alike.max(initial=0)) + 1, nodes), inf)
    if longest_run and len(instance.flow):
        _fill(
            instance.allowed,
            instance.work,
            instance.hops,
            takes,
            starts_of(tails, operators),
            heads,
            like,
            alike,
            slots,
            np.zeros((2, nodes)),
            after,
            leaving,
        )
    by_head = np.argsort(heads, kind="stable")
    frontier_starts, frontier = _frontier(instance, like)
    return PathBound(
        after=after,
        leaving=leaving,
        work=instance.work,
        hops=instance.hops,
        in_starts=starts_of(heads[by_head], operators),
        in_tails=tails[by_head],
        frontier_starts=frontier_starts,
        frontier=frontier,
    )


@kernel
def _fill(
    allowed: Flags,
    work: Floats,
    hops: Matrix,
    takes: Indices,
    out_starts: Indices,
    heads: Indices,
    like: Indices,
    alike: Indices,
    slots: Indices,
    scratch: Floats,
    after: Floats,
    leaving: Floats,
) -> None:
    """Write `after` and `leaving`.

    Parameters
    ----------
    out_starts, heads
        [operator]: where its successors start, then where they end; and which they are.
    alike
        [operator]: how many places those like it take, it being the last of them.
    scratch
        [2, node].
    """
    levels = after.shape[2]
    for operator in range(len(after) - 1, -1, -1):
        for edge in range(out_starts[operator], out_starts[operator + 1]):
            head = heads[edge]
            if like[head] == head:
                _go_on(allowed, work, head, alike[head], leaving, after, operator)
        if like[operator] == operator:
            for node in range(len(slots)):
                room = min(slots[node], levels - 1)
                scratch[0, node] = inf
                if allowed[operator, node] and room >= takes[operator]:
                    scratch[0, node] = (
                        work[operator, node] + after[operator, node, room - takes[operator]]
                    )
            _leave(scratch, slots, hops, alike[operator], leaving, operator)


@subroutine
def _go_on(
    allowed: Flags,
    work: Floats,
    head: int,
    count: int,
    leaving: Floats,
    after: Floats,
    operator: int,
) -> None:
    """Raise [node, places left] `after` to what going on to alike operators costs at least."""
    nodes, levels = after.shape[1], after.shape[2]
    for node in range(nodes):
        for left in range(levels):
            least = leaving[head, max(1, count - left) if count else 0, node]
            if allowed[head, node] and left >= count:
                least = min(least, work[head, node] + after[head, node, left - count])
            after[operator, node, left] = max(after[operator, node, left], least)


@subroutine
def _leave(
    scratch: Floats, slots: Indices, hops: Matrix, count: int, leaving: Floats, operator: int
) -> None:
    """Write [how many leave, node before] `leaving`; row 0 is for a pinned operator.

    Parameters
    ----------
    scratch
        [node] first row: what entering the node and going on costs at least, without the hop.
    count
        How many may leave at most.
    """
    nodes = len(slots)
    for before in range(nodes):
        for node in range(nodes):
            scratch[1, node] = scratch[0, node] + hops[before, node]
        scratch[1, before] = inf
        seated = 0
        while seated < count or count == 0:
            nearest = 0
            for node in range(1, nodes):
                if scratch[1, node] < scratch[1, nearest]:
                    nearest = node
            way = scratch[1, nearest]
            if count == 0:
                leaving[operator, 0, before] = way
                break
            if way == inf:
                break
            for leavers in range(seated, min(count, seated + slots[nearest])):
                leaving[operator, leavers + 1, before] = way
            seated += slots[nearest]
            scratch[1, nearest] = inf


def _frontier(instance: Instance, like: Indices) -> tuple[Indices, Indices]:
    """Return [level] starts, and the entries of `PathBound`'s frontier."""
    takes, entries = instance.takes, [np.zeros((0, 4), dtype=np.int64)]
    for tail, head in zip(instance.path_tails.tolist(), instance.path_heads.tolist(), strict=True):
        if like[head] == head and head - tail > 1:
            levels = np.arange(tail + 1, head)
            waiting = np.cumsum((like[head:tail:-1] == head) * takes[head])[::-1]
            rows = np.empty((len(levels), 4), dtype=np.int64)
            rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3] = levels, tail, head, waiting[1:]
            entries.append(rows)
    every = np.concatenate(entries)
    every = every[np.argsort(every[:, 0], kind="stable")]
    return starts_of(every[:, 0].copy(), instance.operators), every[:, 1:].copy()


@subroutine
def longest_of_frontier(
    bound: PathBound, room: Indices, nodes: Indices, done: Floats, level: int
) -> float:
    """Return what the longest path past the level's operator costs at least.

    Parameters
    ----------
    room
        [node]: how many more operators it may hold.
    nodes, done
        [operator]: its node, and when it is done, as a cost.
    """
    after, leaving, work, frontier = bound.after, bound.leaving, bound.work, bound.frontier
    last = after.shape[2] - 1
    longest = 0.0
    for at in range(bound.frontier_starts[level], bound.frontier_starts[level + 1]):
        tail, head, count = frontier[at, 0], frontier[at, 1], frontier[at, 2]
        node = nodes[tail]
        left = min(room[node], last)
        least = leaving[head, max(1, count - left) if count else 0, node]
        if left >= count:
            least = min(least, work[head, node] + after[head, node, left - count])
        longest = max(longest, done[tail] + least)
    return longest


@subroutine
def longest_through(
    bound: PathBound,
    room: Indices,
    takes: int,
    nodes: Indices,
    done: Floats,
    level: int,
    through: Floats,
    done_there: Floats,
) -> None:
    """Write what the longest path through the level's operator costs at least on each node.

    Parameters
    ----------
    room, nodes, done
        As for `longest_of_frontier`.
    takes
        How many places the operator takes.
    through, done_there
        [node]: written here; the latter is when it would be done there, as a cost.
    """
    after, work, hops, tails = bound.after, bound.work, bound.hops, bound.in_tails
    last = after.shape[2] - 1
    for node in range(len(room)):
        done_there[node] = 0.0
    for at in range(bound.in_starts[level], bound.in_starts[level + 1]):
        start, before = done[tails[at]], nodes[tails[at]]
        for node in range(len(room)):
            done_there[node] = max(done_there[node], start + hops[before, node])
    for node in range(len(room)):
        done_there[node] += work[level, node]
        left = max(0, min(room[node] - takes, last))
        through[node] = done_there[node] + after[level, node, left]
