"""Longest paths over all nodes that each operator could still have: the bound for hubs.

With T_i(u) the least cost of the longest path up to operator i on node u, and H_i(u) that of what
follows it, both taken over all nodes that the others could still have, T_i(u) + H_i(u) is at most
what a placement with i on u pays. Two bounds follow: each unplaced operator pays at least its
minimum; and as all of them have to find room, some operator pays at least the θ up to which nodes
with min_i T_i(u) + H_i(u) ≤ θ have room for all (a bottleneck).

Interchangeable operators that are not placed yet share one row.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.free_capacity import FreeCapacity, admits
from eyewall_sidecar.exact.instance import Flags, Instance, starts_of
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import allocation_free, compiled

NONE = -1


class Domains(NamedTuple):
    """Where the longest paths are written, and the path edges as they are walked.

    Parameters
    ----------
    flow, work
        As in `Instance`.
    hops, back_hops
        [node, node]: what a delay on a path costs from the first to the second, and the other way.
    in_starts, in_tails
        [operator]: where its predecessors start, then where they end; and who they are.
    out_starts, out_heads
        [operator]: where its successors start, then where they end; and who they are.
    like
        [operator]: the last of those with the same paths through them.
    possible
        [operator, node]: whether it could be there.
    before, after, through
        [operator, node]: T, H and their sum; infinite where it could not be.
    arriving, leading
        [operator, node]: the least T at its successors from it alone, the least H at its
        predecessors through it alone.
    least
        [node]: the least of `through` over unplaced operators.
    """

    flow: Places
    work: Floats
    hops: Floats
    back_hops: Floats
    in_starts: Places
    in_tails: Places
    out_starts: Places
    out_heads: Places
    like: Places
    possible: Flags
    before: Floats
    after: Floats
    through: Floats
    arriving: Floats
    leading: Floats
    least: Floats


@compiled
def domains_of(instance: Instance, like: Places) -> Domains:
    """Return arrays for an instance; [operator] `like` as in `Domains`."""
    operators, nodes = instance.allowed.shape
    by_head = np.argsort(instance.path_heads, kind="mergesort")
    return Domains(
        instance.flow,
        instance.work,
        instance.hops,
        instance.hops.T.copy(),
        starts_of(instance.path_heads[by_head], operators),
        instance.path_tails[by_head],
        starts_of(instance.path_tails, operators),
        instance.path_heads,
        like,
        np.zeros((operators, nodes), np.bool_),
        np.empty((operators, nodes)),
        np.empty((operators, nodes)),
        np.zeros((operators, nodes)),
        np.empty((operators, nodes)),
        np.empty((operators, nodes)),
        np.empty(nodes),
    )


@allocation_free
def longest_over_domains(domains: Domains, capacity: FreeCapacity, places: Places) -> float:
    """Return what the longest path costs at least, and write `through` for unplaced operators.

    Parameters
    ----------
    places
        [operator]: its node, or `NONE`.
    """
    flow, like, possible = domains.flow, domains.like, domains.possible
    for operator in flow:
        if places[operator] != NONE:
            possible[operator] = False
            possible[operator, places[operator]] = True
        elif like[operator] == operator:
            admits(capacity, operator, possible[operator])
    _walk(
        flow,
        domains.in_starts,
        domains.in_tails,
        like,
        places,
        possible,
        domains.work,
        domains.hops,
        domains.before,
        domains.arriving,
    )
    _walk(
        flow[::-1],
        domains.out_starts,
        domains.out_heads,
        like,
        places,
        possible,
        domains.work,
        domains.back_hops,
        domains.after,
        domains.leading,
    )
    longest = _join(domains, capacity.places, places)
    waiting = 0
    for operator in flow:
        if places[operator] == NONE:
            waiting += capacity.places[operator]
    return _bottleneck(domains.least, capacity.room, waiting, longest)


@allocation_free
def _walk(
    flow: Places,
    starts: Places,
    neighbours: Places,
    like: Places,
    places: Places,
    possible: Flags,
    work: Floats,
    hops: Floats,
    reached: Floats,
    passed_on: Floats,
) -> None:
    """Write [operator, node] `reached`: the longest way there, its own work included.

    Walked along the flow this is T, walked against it H with the operator's work; `passed_on` is
    the least over its nodes at each node of a next one.
    """
    nodes = work.shape[1]
    for operator in flow:
        if places[operator] == NONE and like[operator] != operator:
            continue
        for node in range(nodes):
            reached[operator, node] = 0.0
        for at in range(starts[operator], starts[operator + 1]):
            other = neighbours[at]
            if places[other] == NONE and like[other] != other:
                continue
            for node in range(nodes):
                if passed_on[other, node] > reached[operator, node]:
                    reached[operator, node] = passed_on[other, node]
        for node in range(nodes):
            if possible[operator, node]:
                reached[operator, node] += work[operator, node]
            else:
                reached[operator, node] = inf
            passed_on[operator, node] = inf
        for node in range(nodes):
            start = reached[operator, node]
            if start < inf:
                for to in range(nodes):
                    way = start + hops[node, to]
                    if way < passed_on[operator, to]:
                        passed_on[operator, to] = way


@allocation_free
def _join(domains: Domains, taken: Places, places: Places) -> float:
    """Write `through` and `least`; return the most that any operator pays at least.

    Parameters
    ----------
    taken
        [operator]: how many places it takes.
    """
    before, after, through = domains.before, domains.after, domains.through
    work, like, least = domains.work, domains.like, domains.least
    longest = 0.0
    least[:] = inf
    for operator in domains.flow:
        if places[operator] == NONE and like[operator] != operator:
            continue
        counts = places[operator] == NONE and taken[operator] > 0
        shortest = inf
        for node in range(len(least)):
            value = inf
            if before[operator, node] < inf:
                value = before[operator, node] + after[operator, node] - work[operator, node]
            through[operator, node] = value
            shortest = min(shortest, value)
            if counts:
                least[node] = min(least[node], value)
        longest = max(longest, shortest)
    return longest


@allocation_free
def _bottleneck(least: Floats, room: Places, waiting: int, longest: float) -> float:
    """Return the least θ ≥ `longest` with room for so many operators on nodes with least ≤ θ."""
    theta = longest
    for node in range(len(least)):
        if least[node] <= longest:
            waiting -= room[node]
            least[node] = inf
    while waiting > 0:
        nearest = int(np.argmin(least))
        theta = least[nearest]
        if theta == inf:
            return inf
        waiting -= room[nearest]
        least[nearest] = inf
    return theta
