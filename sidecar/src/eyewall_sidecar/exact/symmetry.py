"""What can be swapped without changing any cost: operators of a kind, nodes of a kind.

Of all placements that swaps turn into each other, the branch and bound keeps the one that comes
first when compared operator by operator in the branching order, nodes by number. In it

- of interchangeable operators, the later one is not on a node of smaller number, or swapping the
  two would give a placement that comes before;
- an operator that enters an empty node enters the first empty one of its kind, or swapping the two
  nodes, which moves no earlier operator, would give a placement that comes before.

Both hold for the same placement, so both rules may prune together.
"""

from collections.abc import Callable, Hashable

import numpy as np

from eyewall_sidecar.exact.instance import HOP_ON, TURNED, Instance
from eyewall_sidecar.model.array_types import Floats, Indices
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objectives.costs import Costs

NONE = -1


def interchangeable_operators(instance: Instance) -> Indices:
    """Return [operator]: the one before it of the same kind, or `NONE`.

    Two are of a kind if their swap maps the problem onto itself: the same candidates,
    requirements and execution time, and the same amounts of everything (rates included) to and
    from each third operator and between the two.
    """
    return _operators_alike(instance, instance.own, instance.pairs.amounts)


def same_paths(instance: Instance) -> Indices:
    """Return [operator]: the last of those that paths lead through in the same way.

    That is weaker than interchangeable: what adds up may differ.
    """
    amounts = instance.pairs.amounts.copy()
    amounts[:, :HOP_ON] = 0.0
    before = _operators_alike(instance, instance.work, amounts)
    last = np.arange(len(before))
    for operator in reversed(range(len(before))):
        if before[operator] != NONE:
            last[before[operator]] = last[operator]
    return last


def identical_nodes(instance: Instance, costs: Costs) -> Indices:
    """Return [node]: the node before it of the same kind, or `NONE`.

    Two are of a kind if their swap maps the problem onto itself: the same limits, candidates and
    costs of operators, and the same costs to and from each third node, and between the two in
    either direction.
    """
    between = instance.hops, costs.per_rate, costs.per_stream
    columns = instance.limits, instance.allowed, instance.own, instance.work
    farthest = np.array([(it.max(axis=0), it.max(axis=1)) for it in between]).reshape(6, -1)

    def key(node: int) -> Hashable:
        return *(it[:, node].tobytes() for it in columns), farthest[:, node].tobytes()

    def same(one: int, two: int) -> bool:
        return all(_swappable(it, one, two) for it in between)

    return _previous_of_kind(instance.nodes, key, same)


def _operators_alike(instance: Instance, own: Floats, amounts: Floats) -> Indices:
    neighbours: list[dict[int, bytes]] = [{} for _ in range(instance.operators)]
    ends = zip(instance.pairs.firsts.tolist(), instance.pairs.seconds.tolist(), strict=True)
    for (first, second), on, back in zip(ends, amounts, amounts[:, TURNED], strict=True):
        if on.any():
            neighbours[first][second] = on.tobytes()
            neighbours[second][first] = back.tobytes()

    def key(operator: int) -> Hashable:
        rows = instance.allowed, own, instance.work, instance.requirements.T
        return *(it[operator].tobytes() for it in rows), len(neighbours[operator])

    def same(one: int, two: int) -> bool:
        of_one, of_two = neighbours[one].copy(), neighbours[two].copy()
        return of_one.pop(two, b"") == of_two.pop(one, b"") and of_one == of_two

    return _previous_of_kind(instance.operators, key, same)


def _previous_of_kind(
    count: int, key: Callable[[int], Hashable], same: Callable[[int, int], bool]
) -> Indices:
    """Return [item]: the item before it of the same kind, or `NONE`.

    Swaps of a kind compose, so it is enough to compare with the first of each kind.

    Parameters
    ----------
    key
        What items of a kind share, others perhaps too.
    same
        Whether two items of one key are of a kind.
    """
    previous = np.full(count, NONE, dtype=np.int64)
    kinds: dict[Hashable, list[list[int]]] = {}
    for item in range(count):
        found = kinds.setdefault(key(item), [])
        kind = next((it for it in found if same(it[0], item)), None)
        if kind is None:
            found.append([item])
        else:
            previous[item] = kind[-1]
            kind.append(item)
    return previous


def _swappable(between: Matrix, one: int, two: int) -> bool:
    """Whether a matrix stays the same when the two nodes are swapped."""
    others = np.ones(len(between), dtype=np.bool_)
    others[[one, two]] = False
    return bool(
        between[one, two] == between[two, one]
        and (between[one, others] == between[two, others]).all()
        and (between[others, one] == between[others, two]).all()
    )
