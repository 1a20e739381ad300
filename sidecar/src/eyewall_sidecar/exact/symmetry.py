"""What can be swapped without changing any cost: operators of a kind, nodes of a kind.

Of all placements that swaps turn into each other, the branch and bound keeps the one that comes
first when compared operator by operator in the branching order, nodes by number. In it

- of interchangeable operators, the later one is not on a node of smaller number, or swapping the
  two would give a placement that comes before;
- an operator that enters an empty node enters the first empty one of its kind, or swapping the two
  nodes, which moves no earlier operator, would give a placement that comes before.

Both hold for the same placement, so both rules may prune together.
"""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.instance import Instance, starts_of
from eyewall_sidecar.exact.relations import HOP_ON, Relations, merged
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.model.links import Matrix

NONE = -1


@compiled
def interchangeable(instance: Instance) -> Places:
    """Return [operator]: the one before it of the same kind, or `NONE`.

    Two are of a kind if their swap maps the problem onto itself: the same candidates,
    requirements and execution time, and the same amounts of everything (rates included) to and
    from each third operator and between the two. Swaps of a kind compose, so it is enough to
    compare with the first of each kind.
    """
    operators = len(instance.order)
    latest = np.full(operators, NONE, np.int64)
    before = np.full(operators, NONE, np.int64)
    hood = _neighbourhood(operators, instance.relations)
    for two in range(operators):
        for one in range(two):
            if (
                latest[one] != NONE
                and _related_alike(hood, one, two)
                and _same_row(instance, one, two)
            ):
                before[two] = latest[one]
                latest[one] = two
                break
        if before[two] == NONE:
            latest[two] = two
    return before


@compiled
def identical_nodes(instance: Instance, per_tuple: Matrix, per_stream: Matrix) -> Places:
    """Return [node]: the node before it of the same kind, or `NONE`.

    Two are of a kind if their swap maps the problem onto itself: the same limits, candidates and
    costs of operators, and the same costs to and from each third node, and between the two in
    either direction.
    """
    nodes = instance.allowed.shape[1]
    latest = np.full(nodes, NONE, np.int64)
    before = np.full(nodes, NONE, np.int64)
    for two in range(nodes):
        for one in range(two):
            if (
                latest[one] != NONE
                and _swappable(instance.hops, one, two)
                and _swappable(per_tuple, one, two)
                and _swappable(per_stream, one, two)
                and _same_column(instance, one, two)
            ):
                before[two] = latest[one]
                latest[one] = two
                break
        if before[two] == NONE:
            latest[two] = two
    return before


@compiled
def same_paths(instance: Instance) -> Places:
    """Return [operator]: the last of those that paths lead through in the same way.

    That is weaker than interchangeable: what adds up may differ.
    """
    amounts = instance.relations.amounts.copy()
    amounts[:, :HOP_ON] = 0.0
    relations = merged(instance.relations.firsts, instance.relations.seconds, amounts)
    paths_only = Instance(
        instance.order,
        instance.requirements,
        instance.limits,
        instance.pinned,
        instance.allowed,
        instance.work,
        instance.work,
        instance.hops,
        instance.flow,
        instance.path_tails,
        instance.path_heads,
        relations,
        instance.pair_costs,
    )
    before = interchangeable(paths_only)
    last = np.arange(len(before))
    for operator in range(len(before) - 1, -1, -1):
        if before[operator] != NONE:
            last[before[operator]] = last[operator]
    return last


class _Neighbourhood(NamedTuple):
    """What each operator has to do with each other one: `starts[i]` to `starts[i + 1]`.

    Parameters
    ----------
    others
        [entry]: the other operator, in rising order for each operator.
    amounts
        [entry, amount]: as in `Relations`; "on" leads from the operator to the other.
    """

    starts: Places
    others: Places
    amounts: Floats


@compiled
def _neighbourhood(operators: int, relations: Relations) -> _Neighbourhood:
    pairs = len(relations.firsts)
    turned = np.empty_like(relations.amounts)
    for amount in range(6):
        turned[:, amount ^ 1] = relations.amounts[:, amount]
    keys = np.concatenate(
        (
            relations.firsts * operators + relations.seconds,
            relations.seconds * operators + relations.firsts,
        )
    )
    amounts = np.concatenate((relations.amounts, turned))
    by_key = np.argsort(keys, kind="mergesort")
    sorted_keys = keys[by_key]
    starts = starts_of(sorted_keys // max(operators, 1), operators)
    if pairs == 0:
        return _Neighbourhood(starts, sorted_keys, amounts)
    return _Neighbourhood(starts, sorted_keys % operators, amounts[by_key])


@compiled
def _related_alike(hood: _Neighbourhood, one: int, two: int) -> bool:
    """Whether the swap of the two keeps every amount."""
    at, end = hood.starts[one], hood.starts[one + 1]
    to, stop = hood.starts[two], hood.starts[two + 1]
    if end - at != stop - to:
        return False
    while at < end or to < stop:
        if at < end and hood.others[at] == two:
            for amount in range(0, 6, 2):
                if hood.amounts[at, amount] != hood.amounts[at, amount + 1]:
                    return False
            at += 1
        elif to < stop and hood.others[to] == one:
            to += 1
        elif at == end or to == stop or hood.others[at] != hood.others[to]:
            return False
        else:
            for amount in range(6):
                if hood.amounts[at, amount] != hood.amounts[to, amount]:
                    return False
            at += 1
            to += 1
    return True


@compiled
def _same_row(instance: Instance, one: int, two: int) -> bool:
    """Whether the two operators have the same requirements, candidates and costs of their own."""
    for resource in range(len(instance.requirements)):
        if instance.requirements[resource, one] != instance.requirements[resource, two]:
            return False
    for node in range(instance.allowed.shape[1]):
        if (
            instance.allowed[one, node] != instance.allowed[two, node]
            or instance.own[one, node] != instance.own[two, node]
            or instance.work[one, node] != instance.work[two, node]
        ):
            return False
    return True


@compiled
def _same_column(instance: Instance, one: int, two: int) -> bool:
    """Whether the two nodes have the same limits, candidates and costs of operators."""
    for resource in range(len(instance.limits)):
        if instance.limits[resource, one] != instance.limits[resource, two]:
            return False
    for operator in range(len(instance.allowed)):
        if (
            instance.allowed[operator, one] != instance.allowed[operator, two]
            or instance.own[operator, one] != instance.own[operator, two]
            or instance.work[operator, one] != instance.work[operator, two]
        ):
            return False
    return True


@compiled
def _swappable(between: Matrix, one: int, two: int) -> bool:
    """Whether a matrix stays the same when the two nodes are swapped."""
    if between[one, two] != between[two, one]:
        return False
    for node in range(len(between)):
        if node not in (one, two) and (
            between[node, one] != between[node, two] or between[one, node] != between[two, node]
        ):
            return False
    return True
