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

from eyewall_sidecar.exact.capacity import Capacity, admit
from eyewall_sidecar.exact.instance import Instance, starts_of
from eyewall_sidecar.model.arrays import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import subroutine

NONE = -1


class Domains(NamedTuple):
    """Where the longest paths are written, and the path edges as they are walked.

    Parameters
    ----------
    flow
        [0 forward or 1 backward, place]: operators on paths, in and against topological order.
    work
        As in `Instance`.
    hops
        [0 forward or 1 backward, node, node]: what a delay on a path costs from the first to the
        second, and the other way.
    starts
        [0 or 1, operator]: where its predecessors (0) or successors (1) start, then where they end.
    neighbours
        [0 or 1, place]: which they are.
    like
        [operator]: the last of those with the same paths through them.
    possible
        [operator, node]: whether it could be there.
    reached
        [0 or 1, operator, node]: T, and H with the operator's work; infinite where it could not be.
    passed_on
        [0 or 1, operator, node]: the least T at its successors from it alone, the least H at its
        predecessors through it alone.
    through
        [operator, node]: T + H.
    least
        [node]: the least of `through` over unplaced operators.
    """

    flow: Indices
    work: Floats
    hops: Floats
    starts: Indices
    neighbours: Indices
    like: Indices
    possible: Flags
    reached: Floats
    passed_on: Floats
    through: Floats
    least: Floats


def domains_of(instance: Instance, like: Indices) -> Domains:
    """Return arrays for an instance; [operator] `like` as in `Domains`."""
    operators, nodes = instance.operators, instance.nodes
    tails, heads = instance.path_tails, instance.path_heads
    by_head = np.argsort(heads, kind="stable")
    return Domains(
        flow=np.stack((instance.flow, instance.flow[::-1])),
        work=instance.work,
        hops=np.stack((instance.hops, instance.hops.T)),
        starts=np.stack((starts_of(heads[by_head], operators), starts_of(tails, operators))),
        neighbours=np.stack((tails[by_head], heads)),
        like=like,
        possible=np.zeros((operators, nodes), dtype=np.bool_),
        reached=np.zeros((2, operators, nodes)),
        passed_on=np.zeros((2, operators, nodes)),
        through=np.zeros((operators, nodes)),
        least=np.zeros(nodes),
    )


@subroutine
def longest_over_domains(domains: Domains, capacity: Capacity, nodes: Indices) -> float:
    """Return what the longest path costs at least, and write `through` for unplaced operators.

    Parameters
    ----------
    nodes
        [operator]: its node, or `NONE`.
    """
    possible, like = domains.possible, domains.like
    waiting = 0
    for at in range(domains.flow.shape[1]):
        operator = domains.flow[0, at]
        if nodes[operator] != NONE:
            for node in range(possible.shape[1]):
                possible[operator, node] = node == nodes[operator]
        else:
            waiting += capacity.takes[operator]
            if like[operator] == operator:
                admit(capacity, operator, possible[operator])
    _walk(domains, 0, nodes)
    _walk(domains, 1, nodes)
    longest = _join(domains, capacity.takes, nodes)
    return _bottleneck(domains.least, capacity.room, waiting, longest)


@subroutine
def _walk(domains: Domains, way: int, nodes: Indices) -> None:
    """Write `reached` and `passed_on` forward (0) or backward (1)."""
    work, like, hops = domains.work, domains.like, domains.hops[way]
    reached, passed_on = domains.reached[way], domains.passed_on[way]
    starts, neighbours = domains.starts[way], domains.neighbours[way]
    count = work.shape[1]
    for at in range(domains.flow.shape[1]):
        operator = domains.flow[way, at]
        if nodes[operator] == NONE and like[operator] != operator:
            continue
        for node in range(count):
            reached[operator, node] = 0.0
        for place in range(starts[operator], starts[operator + 1]):
            other = neighbours[place]
            if nodes[other] == NONE and like[other] != other:
                continue
            for node in range(count):
                if passed_on[other, node] > reached[operator, node]:
                    reached[operator, node] = passed_on[other, node]
        for node in range(count):
            if domains.possible[operator, node]:
                reached[operator, node] += work[operator, node]
            else:
                reached[operator, node] = inf
            passed_on[operator, node] = inf
        for node in range(count):
            start = reached[operator, node]
            if start < inf:
                for to in range(count):
                    length = start + hops[node, to]
                    if length < passed_on[operator, to]:
                        passed_on[operator, to] = length


@subroutine
def _join(domains: Domains, takes: Indices, nodes: Indices) -> float:
    """Write `through` and `least`; return the most that any operator pays at least."""
    before, after, through = domains.reached[0], domains.reached[1], domains.through
    work, like, least = domains.work, domains.like, domains.least
    longest = 0.0
    for node in range(len(least)):
        least[node] = inf
    for at in range(domains.flow.shape[1]):
        operator = domains.flow[0, at]
        if nodes[operator] == NONE and like[operator] != operator:
            continue
        counts = nodes[operator] == NONE and takes[operator] > 0
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


@subroutine
def _bottleneck(least: Floats, room: Indices, waiting: int, longest: float) -> float:
    """Return the least θ ≥ `longest` with room for so many operators on nodes with least ≤ θ."""
    theta = longest
    for node in range(len(least)):
        if least[node] <= longest:
            waiting -= room[node]
            least[node] = inf
    while waiting > 0:
        nearest = 0
        for node in range(1, len(least)):
            if least[node] < least[nearest]:
                nearest = node
        theta = least[nearest]
        if theta == inf:
            return inf
        waiting -= room[nearest]
        least[nearest] = inf
    return theta
