"""A depth-first search as arrays: it can stop after any step and continue."""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.capacity import Capacity, place, remove
from eyewall_sidecar.exact.instance import Instance, starts_of
from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import subroutine

NONE = -1
LEVEL, STEPS = range(2)
"""Of `TreeState.counters`: the operator to place next, −1 at the end; branchings so far."""

TOLERANCE = 1e-9
"""A branch is not worth a visit for less than this fraction of the incumbent's cost, or of 1: a
thousandth of what `solve` calls optimal."""


class TreeState(NamedTuple):
    """One branch from the root to the present node, and what is open next to it.

    Level i decides on operator i; its children are the nodes it may have, best first.

    Parameters
    ----------
    counters
        As `LEVEL` and `STEPS` say.
    incumbent_cost
        One entry: of the best placement so far; infinite if there is none.
    incumbent
        [operator]: node; `NONE` if no placement was found.
    nodes
        [operator]: node, or `NONE`.
    children
        [level]: how many there are, or `NONE` before the level is branched on.
    visited
        [level]: how many of them were visited.
    child_nodes, child_bounds, child_longest, child_done
        [level, rank]: the node; what any placement below costs at least; the response time's part
        in it; when the operator is done, as a cost.
    spent
        [level]: what is settled of the costs that add up.
    longest
        [level]: what the longest path costs at least.
    done
        [operator]: when it is done, as a cost.
    free, room
        [level]: the state of the child's node before it was entered.
    stars
        [row, node]: what an operator costs with the first so many of its earlier neighbours placed.
    star
        [operator]: its row of `stars` now.
    admitted
        [operator, node]: whether it can be there now.
    sums, through, done_there
        [node]: of the level's operator there: what adds up, the longest path through it and up to
        it, as costs, at least.
    """

    counters: Indices
    incumbent_cost: Floats
    incumbent: Indices
    nodes: Indices
    children: Indices
    visited: Indices
    child_nodes: Indices
    child_bounds: Floats
    child_longest: Floats
    child_done: Floats
    spent: Floats
    longest: Floats
    done: Floats
    free: Floats
    room: Indices
    stars: Floats
    star: Indices
    admitted: Flags
    sums: Floats
    through: Floats
    done_there: Floats


class Stars(NamedTuple):
    """How rows of `TreeState.stars` follow from each other.

    An operator has one row more than earlier neighbours: a row adds one neighbour to the row before
    it, so that going back needs no subtraction.

    Parameters
    ----------
    starts
        [operator]: where the pairs start of which it is the first, then where they end.
    seconds, pair_costs
        [pair]: as in `Instance`.
    row
        [pair]: the row of the second operator that adds the first.
    """

    starts: Indices
    seconds: Indices
    pair_costs: Floats
    row: Indices


def root_state(instance: Instance) -> tuple[Stars, TreeState]:
    """Number the rows and return the state at the root."""
    operators, nodes = instance.operators, instance.nodes
    count = len(instance.pair_costs)
    firsts, seconds = instance.pairs.firsts[:count], instance.pairs.seconds[:count]
    neighbours = np.bincount(seconds, minlength=operators)
    first_row = np.cumsum(neighbours + 1) - neighbours - 1
    row = np.empty(count, dtype=np.int64)
    by_second = np.argsort(seconds, kind="stable")
    rank = np.arange(count) - np.repeat(np.cumsum(neighbours) - neighbours, neighbours)
    row[by_second] = first_row[seconds[by_second]] + rank + 1
    stars = np.zeros((operators + count, nodes))
    stars[first_row] = instance.own
    none = np.full(operators, NONE, dtype=np.int64)
    state = TreeState(
        counters=np.zeros(2, dtype=np.int64),
        incumbent_cost=np.full(1, inf),
        incumbent=none.copy(),
        nodes=none,
        children=np.full(operators + 1, NONE, dtype=np.int64),
        visited=np.zeros(operators + 1, dtype=np.int64),
        child_nodes=np.zeros((operators, nodes), dtype=np.int64),
        child_bounds=np.zeros((operators, nodes)),
        child_longest=np.zeros((operators, nodes)),
        child_done=np.zeros((operators, nodes)),
        spent=np.zeros(operators + 1),
        longest=np.zeros(operators + 1),
        done=np.zeros(operators),
        free=np.zeros((operators, len(instance.limits))),
        room=np.zeros(operators, dtype=np.int64),
        stars=stars,
        star=first_row.copy(),
        admitted=np.zeros((operators, nodes), dtype=np.bool_),
        sums=np.zeros(nodes),
        through=np.zeros(nodes),
        done_there=np.zeros(nodes),
    )
    return Stars(starts_of(firsts, operators), seconds, instance.pair_costs, row), state


def open_bound(state: TreeState) -> float:
    """Return what any placement costs at least that is not ruled out yet; infinite if none is."""
    least, entered = inf, 0.0
    last = int(state.counters[LEVEL])
    for level in range(last + 1):
        visited = int(state.visited[level])
        if level == last and state.children[level] == NONE:
            least = min(least, entered)
        elif visited < state.children[level]:
            least = min(least, max(entered, float(state.child_bounds[level, visited])))
        if level < last:
            entered = max(entered, float(state.child_bounds[level, visited - 1]))
    return least


@subroutine
def cutoff(incumbent_cost: Floats) -> float:
    """Return the bound from which on a branch is not worth a visit."""
    cost = incumbent_cost[0]
    return float(cost if cost == inf else cost - TOLERANCE * max(1.0, abs(cost)))


@subroutine
def descend(of: Stars, capacity: Capacity, state: TreeState) -> None:
    """Place the level's operator on its next child and go one level down."""
    stars, star, pair_costs = state.stars, state.star, of.pair_costs
    level = state.counters[LEVEL]
    rank = state.visited[level]
    node = state.child_nodes[level, rank]
    state.visited[level] += 1
    state.nodes[level] = node
    state.room[level] = capacity.room[node]
    for resource in range(len(capacity.free)):
        state.free[level, resource] = capacity.free[resource, node]
    place(capacity, level, node)
    state.spent[level + 1] = state.spent[level] + stars[star[level], node]
    state.longest[level + 1] = state.child_longest[level, rank]
    state.done[level] = state.child_done[level, rank]
    for pair in range(of.starts[level], of.starts[level + 1]):
        row = of.row[pair]
        star[of.seconds[pair]] = row
        for other in range(stars.shape[1]):
            stars[row, other] = stars[row - 1, other] + pair_costs[pair, node, other]
    state.counters[LEVEL] = level + 1
    state.children[level + 1] = NONE


@subroutine
def ascend(of: Stars, capacity: Capacity, state: TreeState) -> None:
    """Go one level up and remove its operator."""
    level = state.counters[LEVEL] - 1
    state.counters[LEVEL] = level
    if level < 0:
        return
    remove(capacity, state.nodes[level], state.free[level], state.room[level])
    state.nodes[level] = NONE
    for pair in range(of.starts[level], of.starts[level + 1]):
        state.star[of.seconds[pair]] = of.row[pair] - 1
