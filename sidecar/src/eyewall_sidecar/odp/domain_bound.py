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

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.odp.free_capacity import FreeCapacity, fits
from eyewall_sidecar.odp.instance import Flags, Instance, starts_of

NONE = -1


class Domains(NamedTuple):
    """Where the longest paths are written, and the path edges as they are walked.

    Parameters
    ----------
    in_starts, in_tails
        [operator]: where its predecessors start, then where they end; and who they are.
    out_starts
        [operator]: where its edges in `path_heads` start, then where they end.
    like
        [operator]: the last of those with the same paths through them.
    on_path
        [operator].
    before, after, through
        [operator, node]: T, H and their sum.
    least
        [node]: the least of `through` over unplaced operators.
    """

    in_starts: Places
    in_tails: Places
    out_starts: Places
    like: Places
    on_path: Flags
    before: Floats
    after: Floats
    through: Floats
    least: Floats


@compiled
def domains_of(instance: Instance, like: Places) -> Domains:
    """Return arrays for an instance; [operator] `like` as in `Domains`."""
    operators, nodes = instance.allowed.shape
    by_head = np.argsort(instance.path_heads, kind="mergesort")
    on_path = np.zeros(operators, np.bool_)
    on_path[instance.flow] = True
    return Domains(
        starts_of(instance.path_heads[by_head], operators),
        instance.path_tails[by_head],
        starts_of(instance.path_tails, operators),
        like,
        on_path,
        np.empty((operators, nodes)),
        np.empty((operators, nodes)),
        np.empty((operators, nodes)),
        np.empty(nodes),
    )


@compiled
def longest_over_domains(
    instance: Instance, domains: Domains, capacity: FreeCapacity, places: Places
) -> float:
    """Return what the longest path costs at least, and write `through` for unplaced operators.

    Parameters
    ----------
    places
        [operator]: its node, or `NONE`.
    """
    nodes = len(capacity.room)
    for operator in instance.flow:
        if _has_own_row(domains, places, operator):
            _collect(instance, domains, capacity, places, operator)
    longest = 0.0
    domains.least[:] = inf
    for at in range(len(instance.flow) - 1, -1, -1):
        operator = instance.flow[at]
        if not _has_own_row(domains, places, operator):
            continue
        _look_ahead(instance, domains, places, operator)
        shortest = inf
        for node in range(nodes):
            value = domains.before[operator, node] + domains.after[operator, node]
            domains.through[operator, node] = value
            shortest = min(shortest, value)
            if places[operator] == NONE and not instance.pinned[operator]:
                domains.least[node] = min(domains.least[node], value)
        longest = max(longest, shortest)
    return max(longest, _bottleneck(instance, domains, capacity, places, longest))


@compiled
def _has_own_row(domains: Domains, places: Places, operator: int) -> bool:
    return bool(places[operator] != NONE or domains.like[operator] == operator)


@compiled
def _collect(
    instance: Instance, domains: Domains, capacity: FreeCapacity, places: Places, operator: int
) -> None:
    """Write T: the latest arrival from any predecessor, and the work."""
    before = domains.before[operator]
    at = places[operator]
    before[:] = 0.0
    for edge in range(domains.in_starts[operator], domains.in_starts[operator + 1]):
        tail = domains.in_tails[edge]
        if not _has_own_row(domains, places, tail):
            continue
        if at != NONE:
            before[at] = max(before[at], _arrival(instance, domains, places, tail, at))
        elif places[tail] != NONE:
            from_ = places[tail]
            start = domains.before[tail, from_]
            for node in range(len(before)):
                before[node] = max(before[node], start + instance.hops[from_, node])
        else:
            for node in range(len(before)):
                if before[node] < inf:
                    before[node] = max(before[node], _arrival(instance, domains, places, tail, node))
    for node in range(len(before)):
        possible = node == at if at != NONE else fits(instance, capacity, operator, node)
        before[node] = before[node] + instance.work[operator, node] if possible else inf


@compiled
def _arrival(instance: Instance, domains: Domains, places: Places, tail: int, node: int) -> float:
    """Return when data from a predecessor may be on the node at the earliest."""
    if places[tail] != NONE:
        return float(domains.before[tail, places[tail]] + instance.hops[places[tail], node])
    earliest = inf
    for other in range(len(domains.least)):
        earliest = min(earliest, domains.before[tail, other] + instance.hops[other, node])
    return earliest


@compiled
def _look_ahead(instance: Instance, domains: Domains, places: Places, operator: int) -> None:
    """Write H: the longest way on to any successor, from each node the operator could have."""
    after = domains.after[operator]
    nodes = len(after)
    after[:] = 0.0
    for edge in range(domains.out_starts[operator], domains.out_starts[operator + 1]):
        head = instance.path_heads[edge]
        if not _has_own_row(domains, places, head):
            continue
        if places[head] != NONE:
            to = places[head]
            onward = instance.work[head, to] + domains.after[head, to]
            for node in range(nodes):
                after[node] = max(after[node], instance.hops[node, to] + onward)
            continue
        for node in range(nodes):
            if domains.before[operator, node] == inf:
                continue
            least = inf
            for other in range(nodes):
                if domains.before[head, other] < inf:
                    onward = instance.work[head, other] + domains.after[head, other]
                    least = min(least, instance.hops[node, other] + onward)
            after[node] = max(after[node], least)


@compiled
def _bottleneck(
    instance: Instance,
    domains: Domains,
    capacity: FreeCapacity,
    places: Places,
    longest: float,
) -> float:
    """Return the least θ with room for all unplaced operators; what is below `longest` may be."""
    waiting = 0
    for operator in instance.flow:
        if places[operator] == NONE and not instance.pinned[operator]:
            waiting += 1
    theta = longest
    for node in range(len(domains.least)):
        if domains.least[node] <= longest:
            waiting -= capacity.room[node]
            domains.least[node] = inf
    while waiting > 0:
        nearest = int(np.argmin(domains.least))
        theta = domains.least[nearest]
        if theta == inf:
            return inf
        waiting -= capacity.room[nearest]
        domains.least[nearest] = inf
    return theta
