"""The dedicated exact engine: depth first, best child first, with bounds that see capacity.

Covers every objective and every constraint but bandwidths, on any graph.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.odp.bounds import (
    Bounds,
    bounds_of,
    response_of_branch,
    response_of_child,
    sum_of_branch,
    sum_of_child,
)
from eyewall_sidecar.odp.domain_bound import domains_of
from eyewall_sidecar.odp.finding import Clock, Finding, Outcome
from eyewall_sidecar.odp.free_capacity import FreeCapacity, fits, free_capacity
from eyewall_sidecar.odp.instance import Flags, Instance, instance_of
from eyewall_sidecar.odp.run_bounds import pair_tails, path_tails
from eyewall_sidecar.odp.search_state import (
    LEVEL,
    NONE,
    STEPS,
    SearchState,
    Stars,
    cutoff,
    descend,
    open_bound,
    return_to_parent,
    search_state,
    stars_of,
)
from eyewall_sidecar.odp.symmetry import identical_nodes, interchangeable, same_paths
from eyewall_sidecar.qos.costs import Costs, cost

FIRST_SLICE, LONGEST_SLICE = 256, 65_536
"""Branchings before the clock is looked at."""

SLICE_SECONDS = 0.002
"""A slice that took less is doubled, one that took twice as long halved."""

MOST_TABLE_ENTRIES = 30_000_000
"""Above this the tables would take gigabytes."""


class Search(NamedTuple):
    """All that the compiled search works on.

    Parameters
    ----------
    before
        [operator]: the one before it of its kind, or `NONE`.
    same_node
        [node]: the one before it of its kind, or `NONE`.
    """

    instance: Instance
    bounds: Bounds
    stars: Stars
    capacity: FreeCapacity
    state: SearchState
    before: Places
    same_node: Places


def covers(arrays: ProblemArrays) -> bool:
    """Whether the engine can take the problem: no limited bandwidth, and tables that fit."""
    entries = (len(arrays.rates) + arrays.operators) * arrays.nodes**2
    return entries <= MOST_TABLE_ENTRIES and not bool(np.isfinite(arrays.bandwidths).any())


def branch_and_bound(
    arrays: ProblemArrays, costs: Costs, *, start: Places | None, ends_at: float, clock: Clock
) -> Finding:
    """Find the placement of least cost, or the best known when the time is up.

    The same input gives the same placement unless time runs out.

    Parameters
    ----------
    arrays
        A problem that the engine `covers`.
    start
        [operator]: its node in a valid placement, if one is known.
    ends_at
        When to stop, by the clock, in seconds.
    """
    known = cost(arrays, costs, start) if start is not None else inf
    search = _begun(
        arrays.requirements,
        arrays.limits,
        arrays.execution_times,
        arrays.speedups,
        arrays.allowed,
        arrays.delays,
        arrays.sources,
        arrays.targets,
        arrays.rates,
        arrays.path_order,
        arrays.path_sources,
        arrays.path_targets,
        costs.response,
        costs.per_operator,
        costs.per_tuple,
        costs.per_stream,
        known,
        FIRST_SLICE,
    )
    state, slice_ = search.state, FIRST_SLICE
    now = clock()
    while state.counters[LEVEL] >= 0 and now < ends_at:
        _advance(search, slice_)
        before, now = now, clock()
        slice_ = _next_slice(slice_, now - before)
    return _finding(arrays, costs, search, start, known)


def _next_slice(slice_: int, seconds: float) -> int:
    if seconds < SLICE_SECONDS:
        return min(2 * slice_, LONGEST_SLICE)
    return max(1, slice_ // 2) if seconds > 2 * SLICE_SECONDS else slice_


def _finding(
    arrays: ProblemArrays, costs: Costs, search: Search, start: Places | None, known: float
) -> Finding:
    """Say what is known; places in the problem's order, costs as everyone recomputes them."""
    state = search.state
    steps = int(state.counters[STEPS])
    ended = state.counters[LEVEL] < 0
    if state.incumbent_cost[0] == inf:
        outcome = Outcome.INFEASIBLE if ended else Outcome.NOTHING
        return Finding(outcome, bound=open_bound(state), steps=steps)
    places, value = start, known
    if places is None or state.incumbent[:1].tolist() != [NONE]:
        places = np.empty(len(state.places), dtype=np.int64)
        places[search.instance.order] = state.incumbent
        value = cost(arrays, costs, places)
    if ended:
        return Finding(Outcome.OPTIMAL, places, value, value, steps)
    return Finding(Outcome.INCUMBENT, places, value, min(value, open_bound(state)), steps)


@compiled
def _begun(
    requirements: Floats,
    limits: Floats,
    execution_times: Floats,
    speedups: Floats,
    allowed: Flags,
    delays: Matrix,
    sources: Places,
    targets: Places,
    rates: Floats,
    path_order: Places,
    path_sources: Places,
    path_targets: Places,
    response: float,
    per_operator: Floats,
    per_tuple: Matrix,
    per_stream: Matrix,
    known: float,
    steps: int,
) -> Search:
    """Set up the search and take its first steps."""
    instance = instance_of(
        requirements,
        limits,
        execution_times,
        speedups,
        allowed,
        delays,
        sources,
        targets,
        rates,
        path_order,
        path_sources,
        path_targets,
        response,
        per_operator,
        per_tuple,
        per_stream,
    )
    before = interchangeable(instance)
    same_node = identical_nodes(instance, per_tuple, per_stream)
    search = _search(instance, before, same_node, False)
    if len(instance.pair_costs) and instance.own.any() and search.state.counters[LEVEL] == 0:
        carried = _search(instance, before, same_node, True)
        if _root_bound(carried) > _root_bound(search):
            search = carried
    search.state.incumbent_cost[0] = known
    _advance(search, steps)
    return search


@compiled
def _search(instance: Instance, before: Places, same_node: Places, carry: bool) -> Search:
    """Fill the tables; `carry` as in `pair_tails`."""
    operators = len(instance.order)
    capacity = free_capacity(instance)
    slots = capacity.room.copy()
    longest_run = min(operators, slots.max()) if len(slots) else 0
    downstream = (instance.path_tails < instance.path_heads).all()
    like = same_paths(instance)
    hubs = not downstream
    bounds = bounds_of(
        instance,
        path_tails(instance, slots, longest_run if downstream else 0),
        domains_of(instance, like),
        len(instance.flow) > 0 and downstream,
        len(instance.flow) > 0 and hubs,
        pair_tails(instance, slots, longest_run, carry),
    )
    stars = stars_of(instance)
    state = search_state(instance, stars)
    if (instance.limits < 0).any():  # the pinned operators alone need more than there is
        state.counters[LEVEL] = NONE
    return Search(instance, bounds, stars, capacity, state, before, same_node)


@compiled
def _root_bound(search: Search) -> float:
    """Return the least bound of any child of the root; the state is left at the root."""
    if len(search.instance.order) == 0:
        return 0.0
    _branch(search)
    state = search.state
    bound = state.child_bounds[0, 0] if state.children[0] > 0 else inf
    state.children[0] = NONE
    state.visited[0] = 0
    return bound


@compiled
def _advance(search: Search, steps: int) -> None:
    """Branch so many times, or until nothing is open."""
    instance, stars, state = search.instance, search.stars, search.state
    starts = search.bounds.pair_tails.starts
    operators = len(instance.order)
    while state.counters[LEVEL] >= 0:
        level = state.counters[LEVEL]
        if level == operators:
            state.incumbent_cost[0] = _reached(state)
            state.incumbent[:] = state.places
            return_to_parent(instance, stars, starts, search.capacity, state)
            continue
        if state.children[level] == NONE:
            if steps == 0:
                return
            steps -= 1
            state.counters[STEPS] += 1
            _branch(search)
        rank = state.visited[level]
        if rank < state.children[level] and state.child_bounds[level, rank] < cutoff(state):
            descend(instance, stars, starts, search.capacity, state)
        else:
            return_to_parent(instance, stars, starts, search.capacity, state)


@compiled
def _reached(state: SearchState) -> float:
    """Return the cost of the placement at the end of the branch."""
    level = state.counters[LEVEL]
    return float(state.spent[level] + state.longest[level])


@compiled
def _branch(search: Search) -> None:
    """List the children of the level's operator that may be better than the incumbent."""
    instance, bounds, capacity, state = (
        search.instance,
        search.bounds,
        search.capacity,
        search.state,
    )
    level = state.counters[LEVEL]
    state.children[level] = 0
    state.visited[level] = 0
    most = cutoff(state)
    longest = response_of_branch(instance, bounds, capacity, state, level)
    if state.spent[level] + longest >= most:
        return
    total = sum_of_branch(instance, bounds, capacity, state, level)
    if total + longest >= most:
        return
    previous = search.before[level]
    for node in range(len(capacity.room)):
        if not fits(instance, capacity, level, node):
            continue
        if previous != NONE and node < state.places[previous]:
            continue
        alike = search.same_node[node]
        if alike != NONE and capacity.held[node] == 0 and capacity.held[alike] == 0:
            continue
        through, done = response_of_child(instance, bounds, capacity, state, level, node)
        slowest = max(longest, through)
        bound = slowest + sum_of_child(instance, bounds, total, level, node)
        if bound < most:
            _insert(state, level, node, bound, slowest, done)


@compiled
def _insert(
    state: SearchState, level: int, node: int, bound: float, longest: float, done: float
) -> None:
    """Insert a child by its bound, after those with the same."""
    rank = state.children[level]
    state.children[level] += 1
    while rank > 0 and state.child_bounds[level, rank - 1] > bound:
        state.child_nodes[level, rank] = state.child_nodes[level, rank - 1]
        state.child_bounds[level, rank] = state.child_bounds[level, rank - 1]
        state.child_longest[level, rank] = state.child_longest[level, rank - 1]
        state.child_done[level, rank] = state.child_done[level, rank - 1]
        rank -= 1
    state.child_nodes[level, rank] = node
    state.child_bounds[level, rank] = bound
    state.child_longest[level, rank] = longest
    state.child_done[level, rank] = done
