"""The dedicated exact engine: depth first, best child first, with bounds that see capacity.

Covers every objective and every constraint but bandwidths, on any graph.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays
from eyewall_sidecar.model.compilation import allocation_free, compiled
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.odp.assignment_bound import Assignment, room_for_assignment
from eyewall_sidecar.odp.branching import BY_SUMS, branch
from eyewall_sidecar.odp.capacity_prices import capacity_prices
from eyewall_sidecar.odp.domain_bound import Domains, domains_of
from eyewall_sidecar.odp.finding import Clock, Finding, Outcome
from eyewall_sidecar.odp.free_capacity import FreeCapacity, free_capacity
from eyewall_sidecar.odp.instance import Flags, Instance, instance_of
from eyewall_sidecar.odp.packing import packing
from eyewall_sidecar.odp.path_bound import PathBound, path_bound
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
from eyewall_sidecar.odp.spread_bound import spread_bound
from eyewall_sidecar.odp.sum_bound import SumBound, sum_bound
from eyewall_sidecar.odp.symmetry import identical_nodes, interchangeable, same_paths
from eyewall_sidecar.qos.costs import Costs, cost

FIRST_SLICE, LONGEST_SLICE = 256, 65_536
"""Branchings before the clock is looked at."""

SLICE_SECONDS = 0.002
"""A slice that took less is doubled; one that took more than twice this is halved."""

SPREAD_SECONDS = 0.1
"""With less time left, uneven operators get no packing and no bound of `spread_bound`."""

MOST_TABLE_ENTRIES = 30_000_000
"""Above this the costs of pairs alone would take hundreds of megabytes."""


class Search(NamedTuple):
    """All that the compiled search works on.

    Parameters
    ----------
    used
        As `branching.BY_PATHS` and the others say.
    before
        [operator]: the one before it of its kind, or `NONE`.
    same_node
        [node]: the one before it of its kind, or `NONE`.
    """

    instance: Instance
    paths: PathBound
    domains: Domains
    sums: SumBound
    assignment: Assignment
    used: Flags
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
    search = begun(arrays, costs, known, FIRST_SLICE)
    slice_, now, floor = FIRST_SLICE, clock(), -inf
    if _is_open(search, floor) and not search.capacity.same[0] and ends_at - now >= SPREAD_SECONDS:
        floor = spread_bound(arrays, costs)
        _improve(search, arrays, costs)
        now = clock()
    if _is_open(search, floor) and search.used[BY_SUMS] and now < ends_at:
        search = _priced(search)
        now = clock()
    while _is_open(search, floor) and now < ends_at:
        _advance(search, slice_)
        before, now = now, clock()
        slice_ = _next_slice(slice_, now - before)
    return _finding(arrays, costs, search, start, known, floor)


def _is_open(search: Search, floor: float) -> bool:
    """Whether anything may be better than the incumbent, where nothing costs less than a floor."""
    state = search.state
    return bool(state.counters[LEVEL] >= 0) and floor < cutoff(state.incumbent_cost)


def _improve(search: Search, arrays: ProblemArrays, costs: Costs) -> None:
    """Take a packing as the incumbent if it is better."""
    state = search.state
    places = packing(arrays, costs)
    if places is None:
        return
    loads = np.zeros_like(arrays.limits)
    np.add.at(loads.T, places, arrays.requirements.T)
    if (loads > arrays.limits).any():  # by rounding
        return
    value = cost(arrays, costs, places)
    if value < state.incumbent_cost[0]:
        state.incumbent_cost[0] = value
        state.incumbent[:] = places[search.instance.order]


def compile_what_is_rare(arrays: ProblemArrays, costs: Costs) -> None:
    """Compile, or load from disk, what a search needs that does not end in its first slice."""
    search = begun(arrays, costs, inf, 0)
    spread_bound(arrays, costs)
    _improve(search, arrays, costs)
    _priced(search)
    open_bound(search.state)


def begun(arrays: ProblemArrays, costs: Costs, known: float, steps: int) -> Search:
    """Set up the search and take its first steps.

    Parameters
    ----------
    known
        What a known placement costs, or infinity.
    steps
        Branchings to make.
    """
    return _begun(
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
        steps,
    )


def _next_slice(slice_: int, seconds: float) -> int:
    if seconds < SLICE_SECONDS:
        return min(2 * slice_, LONGEST_SLICE)
    return max(1, slice_ // 2) if seconds > 2 * SLICE_SECONDS else slice_


def _finding(
    arrays: ProblemArrays,
    costs: Costs,
    search: Search,
    start: Places | None,
    known: float,
    floor: float,
) -> Finding:
    """Say what is known; places in the problem's order, costs as everyone recomputes them."""
    state = search.state
    steps = int(state.counters[STEPS])
    ended = not _is_open(search, floor)
    if state.incumbent_cost[0] == inf:
        outcome = Outcome.INFEASIBLE if ended else Outcome.NOTHING
        return Finding(outcome, bound=max(floor, open_bound(state)), steps=steps)
    places, value = start, known
    if places is None or state.incumbent[:1].tolist() != [NONE]:
        places = np.empty(len(state.places), dtype=np.int64)
        places[search.instance.order] = state.incumbent
        value = cost(arrays, costs, places)
    if ended:
        return Finding(Outcome.OPTIMAL, places, value, value, steps)
    return Finding(
        Outcome.INCUMBENT, places, value, min(value, max(floor, open_bound(state))), steps
    )


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
    differing = len(instance.own) > 0 and (instance.own != instance.own[:1]).any()
    search = _search(instance, before, same_node, differing, np.zeros(len(speedups)))
    search.state.incumbent_cost[0] = known
    _advance(search, steps)
    return search


@compiled
def _search(
    instance: Instance, before: Places, same_node: Places, carry: bool, prices: Floats
) -> Search:
    """Fill the tables; `carry` and `prices` as in `sum_bound`."""
    operators, nodes = instance.allowed.shape
    capacity = free_capacity(instance)
    slots = capacity.room.copy()
    longest_run = min(operators, slots.max()) if nodes else 0
    downstream = (instance.path_tails < instance.path_heads).all()
    stars = stars_of(instance)
    state = search_state(instance, stars)
    if (instance.limits < 0).any():  # the pinned operators alone need more than there is
        state.counters[LEVEL] = NONE
    on_paths = len(instance.flow) > 0
    adds_up = len(instance.pair_costs) > 0 or instance.own.any()
    like = same_paths(instance)
    return Search(
        instance,
        path_bound(instance, slots, longest_run if downstream and on_paths else 0, like),
        domains_of(instance, like),
        sum_bound(instance, slots, longest_run, carry, prices),
        room_for_assignment(operators, nodes),
        np.array([on_paths and downstream, on_paths and not downstream, adds_up]),
        stars,
        capacity,
        state,
        before,
        same_node,
    )


@compiled
def _priced(search: Search) -> Search:
    """Start again with capacity prices if these raise the bound at the root."""
    instance, state = search.instance, search.state
    slots = free_capacity(instance).room
    longest_run = min(len(state.places), slots.max())
    prices = capacity_prices(instance, slots, longest_run, state.incumbent_cost[0])
    again = _search(instance, search.before, search.same_node, True, prices)  # noqa: FBT003
    if _root_bound(again) <= search.state.child_bounds[0, 0]:
        return search
    again.state.incumbent_cost[0] = state.incumbent_cost[0]
    again.state.incumbent[:] = state.incumbent
    again.state.counters[STEPS] = state.counters[STEPS]
    return again


@compiled
def _root_bound(search: Search) -> float:
    """Return the least bound of any child of the root; the state is left at the root."""
    if len(search.instance.order) == 0:
        return 0.0
    state = search.state
    branch(
        search.paths,
        search.domains,
        search.sums,
        search.assignment,
        search.used,
        search.capacity,
        state,
        search.before,
        search.same_node,
    )
    bound = state.child_bounds[0, 0] if state.children[0] > 0 else inf
    state.children[0] = NONE
    state.visited[0] = 0
    return bound


@allocation_free
def _advance(search: Search, steps: int) -> None:
    """Branch so many times, or until nothing is open."""
    paths, domains, sums, assignment = (
        search.paths,
        search.domains,
        search.sums,
        search.assignment,
    )
    used, capacity, state = search.used, search.capacity, search.state
    before, same_node, rows = search.before, search.same_node, search.stars.row
    starts, seconds = sums.starts, search.instance.relations.seconds
    pair_costs = search.instance.pair_costs
    operators = len(before)
    while state.counters[LEVEL] >= 0:
        level = state.counters[LEVEL]
        if level == operators:
            value = state.spent[level] + state.longest[level]
            # a bound with prices may be below what its only placement costs
            if value < state.incumbent_cost[0]:
                state.incumbent_cost[0] = value
                for operator in range(operators):
                    state.incumbent[operator] = state.places[operator]
            return_to_parent(starts, rows, seconds, capacity, state)
            continue
        if state.children[level] == NONE:
            if steps == 0:
                return
            steps -= 1
            state.counters[STEPS] += 1
            branch(paths, domains, sums, assignment, used, capacity, state, before, same_node)
        rank = state.visited[level]
        if rank < state.children[level] and state.child_bounds[level, rank] < cutoff(
            state.incumbent_cost
        ):
            descend(starts, rows, seconds, pair_costs, capacity, state)
        else:
            return_to_parent(starts, rows, seconds, capacity, state)
