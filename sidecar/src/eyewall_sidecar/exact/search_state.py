"""Where a depth-first search stands, as arrays: it can be stopped after any step and go on."""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.free_capacity import FreeCapacity, take, take_away
from eyewall_sidecar.exact.instance import Flags, Instance
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import allocation_free, compiled

NONE = -1
LEVEL, STEPS = range(2)
"""Of `SearchState.counters`: the operator whose turn it is, −1 at the end; branchings so far."""

TOLERANCE = 1e-9
"""A branch is not worth visiting for less than this fraction of the incumbent's cost, or of 1."""


class SearchState(NamedTuple):
    """One branch from the root to where the search is, and what is open beside it.

    Level i decides on operator i; its children are the nodes it may have, best first.

    Parameters
    ----------
    counters
        As `LEVEL` and `STEPS` say.
    incumbent_cost
        One entry: of the best placement so far; infinite if there is none.
    incumbent
        [operator]: node.
    places
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
        [level] the state of the child's node before it was entered.
    stars
        [row, node]: what an operator costs with the first so many of its earlier neighbours placed.
    star
        [operator]: its row of `stars` now.
    admitted
        [operator, node]: whether it can be there now.
    sums, through, done_there
        [node]: of the level's operator there: what adds up, the longest path through it and up to
        it, as costs, at least.
    layered, twins
        [node]: what is not settled with the level's operator there, by its layer, −∞ if
        nothing is known; and a part of it.
    """

    counters: Places
    incumbent_cost: Floats
    incumbent: Places
    places: Places
    children: Places
    visited: Places
    child_nodes: Places
    child_bounds: Floats
    child_longest: Floats
    child_done: Floats
    spent: Floats
    longest: Floats
    done: Floats
    free: Floats
    room: Places
    stars: Floats
    star: Places
    admitted: Flags
    sums: Floats
    through: Floats
    done_there: Floats
    layered: Floats
    twins: Floats


class Stars(NamedTuple):
    """How rows of `SearchState.stars` follow from each other.

    An operator has one row more than earlier neighbours: a row adds one neighbour to the row before
    it, so that going back needs no subtraction.

    Parameters
    ----------
    first_row
        [operator].
    row
        [pair]: the row of the second operator that adds the first.
    """

    first_row: Places
    row: Places


@compiled
def stars_of(instance: Instance) -> Stars:
    """Number the rows."""
    operators = len(instance.order)
    pairs = len(instance.pair_costs)
    neighbours = np.zeros(operators, np.int64)
    row = np.empty(pairs, np.int64)
    for pair in range(pairs):
        second = instance.relations.seconds[pair]
        neighbours[second] += 1
        row[pair] = neighbours[second]
    first_row = np.cumsum(neighbours + 1) - neighbours - 1
    for pair in range(pairs):
        row[pair] += first_row[instance.relations.seconds[pair]]
    return Stars(first_row, row)


@compiled
def search_state(instance: Instance, stars: Stars) -> SearchState:
    """Return the state at the root."""
    operators, nodes = instance.allowed.shape
    rows = np.zeros((operators + len(stars.row), nodes))
    for operator in range(operators):
        rows[stars.first_row[operator]] = instance.own[operator]
    return SearchState(
        np.zeros(2, np.int64),
        np.full(1, inf),
        np.full(operators, NONE, np.int64),
        np.full(operators, NONE, np.int64),
        np.full(operators + 1, NONE, np.int64),
        np.zeros(operators + 1, np.int64),
        np.empty((operators, nodes), np.int64),
        np.empty((operators, nodes)),
        np.empty((operators, nodes)),
        np.empty((operators, nodes)),
        np.zeros(operators + 1),
        np.zeros(operators + 1),
        np.zeros(operators),
        np.empty((operators, len(instance.limits))),
        np.empty(operators, np.int64),
        rows,
        stars.first_row.copy(),
        np.zeros((operators, nodes), np.bool_),
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros(nodes),
        np.full(nodes, -inf),
        np.zeros(nodes),
    )


@allocation_free
def cutoff(incumbent_cost: Floats) -> float:
    """Return from where on a bound is not worth visiting."""
    cost = incumbent_cost[0]
    return float(cost if cost == inf else cost - TOLERANCE * max(1.0, abs(cost)))


@allocation_free
def descend(
    starts: Places,
    rows: Places,
    seconds: Places,
    pair_costs: Floats,
    capacity: FreeCapacity,
    state: SearchState,
) -> None:
    """Place the level's operator on its next child and go one level down.

    Parameters
    ----------
    starts
        [operator]: where the pairs start of which it is the first, then where they end.
    rows
        [pair]: as in `Stars`.
    seconds, pair_costs
        [pair]: as in `Instance`.
    """
    stars, star = state.stars, state.star
    level = state.counters[LEVEL]
    rank = state.visited[level]
    node = state.child_nodes[level, rank]
    state.visited[level] += 1
    state.places[level] = node
    state.room[level] = capacity.room[node]
    for resource in range(len(capacity.free)):
        state.free[level, resource] = capacity.free[resource, node]
    take(capacity, level, node)
    state.spent[level + 1] = state.spent[level] + stars[star[level], node]
    state.longest[level + 1] = state.child_longest[level, rank]
    state.done[level] = state.child_done[level, rank]
    for pair in range(starts[level], starts[level + 1]):
        row = rows[pair]
        star[seconds[pair]] = row
        for other in range(stars.shape[1]):
            stars[row, other] = stars[row - 1, other] + pair_costs[pair, node, other]
    state.counters[LEVEL] = level + 1
    state.children[level + 1] = NONE


@allocation_free
def return_to_parent(
    starts: Places, rows: Places, seconds: Places, capacity: FreeCapacity, state: SearchState
) -> None:
    """Go one level up and take its operator away; parameters as for `descend`."""
    level = state.counters[LEVEL] - 1
    state.counters[LEVEL] = level
    if level < 0:
        return
    take_away(capacity, state.places[level], state.free[level], state.room[level])
    state.places[level] = NONE
    for pair in range(starts[level], starts[level + 1]):
        state.star[seconds[pair]] = rows[pair] - 1


@compiled
def open_bound(state: SearchState) -> float:
    """Return what any placement costs at least that is not yet ruled out; infinite if none is."""
    least, entered = inf, 0.0
    last = state.counters[LEVEL]
    for level in range(last + 1):
        visited = state.visited[level]
        if level == last and state.children[level] == NONE:
            least = min(least, entered)
        elif visited < state.children[level]:
            least = min(least, max(entered, state.child_bounds[level, visited]))
        if level < last:
            entered = max(entered, state.child_bounds[level, visited - 1])
    return least
