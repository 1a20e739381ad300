"""The compiled search of the branch and bound: set up, begun again with better bounds, advanced."""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.assignment_bound import Assignment, room_for_assignment
from eyewall_sidecar.exact.branching import branch
from eyewall_sidecar.exact.capacity_prices import capacity_prices
from eyewall_sidecar.exact.domain_bound import Domains, domains_of
from eyewall_sidecar.exact.free_capacity import FreeCapacity, free_capacity
from eyewall_sidecar.exact.instance import Flags, Given, Instance, given, instance_of
from eyewall_sidecar.exact.layer_bound import LayerBound, layer_bound, no_layer_bound
from eyewall_sidecar.exact.layers import layers_of
from eyewall_sidecar.exact.path_bound import PathBound, path_bound
from eyewall_sidecar.exact.search_state import (
    LEVEL,
    NONE,
    STEPS,
    SearchState,
    Stars,
    cutoff,
    descend,
    return_to_parent,
    search_state,
    stars_of,
)
from eyewall_sidecar.exact.sum_bound import SumBound, sum_bound
from eyewall_sidecar.exact.symmetry import identical_nodes, interchangeable, same_paths
from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays
from eyewall_sidecar.model.compilation import allocation_free, compiled
from eyewall_sidecar.objectives.costs import Costs


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
    layers: LayerBound
    used: Flags
    stars: Stars
    capacity: FreeCapacity
    state: SearchState
    before: Places
    same_node: Places


class Begun(NamedTuple):
    """Where a search is after its first steps.

    Parameters
    ----------
    cost
        What the best placement found or known costs, or infinity.
    places
        [operator]: its node in the best placement found, in the problem's order; or `NONE`s.
    steps
        Branchings made.
    search
        The way on; None if nothing is open. It is a hundred arrays, and handing those to Python
        takes as long as solving a small problem.
    """

    cost: float
    places: Places
    steps: int
    search: Search | None


def begun(arrays: ProblemArrays, costs: Costs, known: float, steps: int) -> Begun:
    """Set up the search and take its first steps.

    Parameters
    ----------
    known
        What a known placement costs, or infinity.
    steps
        Branchings to make.
    """
    return _begun(known, steps, given(arrays, costs))


def set_up(arrays: ProblemArrays, costs: Costs) -> Search:
    """Set up the search, and take no step."""
    return _set_up(inf, given(arrays, costs))


@compiled
def _begun(known: float, steps: int, of: Given) -> Begun:
    search = _set_up(known, of)
    advance(search, steps)
    state = search.state
    places = np.full(len(state.places), NONE)
    if len(places) > 0 and state.incumbent[0] != NONE:
        places[search.instance.order] = state.incumbent
    rest = None
    if state.counters[LEVEL] >= 0:
        rest = search
    return Begun(state.incumbent_cost[0], places, state.counters[STEPS], rest)


@compiled
def _set_up(known: float, of: Given) -> Search:
    instance = instance_of(of)
    per_tuple, per_stream = of[-2], of[-1]
    before = interchangeable(instance)
    same_node = identical_nodes(instance, per_tuple, per_stream)
    search = _search(
        instance,
        before,
        same_node,
        _differing(instance),
        np.zeros(instance.allowed.shape[1]),
        no_layer_bound(),
    )
    search.state.incumbent_cost[0] = known
    return search


@compiled
def _differing(instance: Instance) -> bool:
    """Whether operators have costs of their own that tell them apart."""
    return bool(len(instance.own) > 0 and (instance.own != instance.own[:1]).any())


@compiled
def _search(
    instance: Instance,
    before: Places,
    same_node: Places,
    carry: bool,
    prices: Floats,
    layers: LayerBound,
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
        layers,
        np.array(
            [on_paths and downstream, on_paths and not downstream, adds_up, len(layers.layer) > 0]
        ),
        stars,
        capacity,
        state,
        before,
        same_node,
    )


@compiled
def priced(search: Search) -> Search:
    """Start again with capacity prices if these raise the bound at the root."""
    instance, state = search.instance, search.state
    slots = free_capacity(instance).room
    longest_run = min(len(state.places), slots.max())
    prices = capacity_prices(instance, slots, longest_run, state.incumbent_cost[0])
    again = _search(
        instance,
        search.before,
        search.same_node,
        True,  # noqa: FBT003
        prices,
        no_layer_bound(),
    )
    if _root_bound(again) <= search.state.child_bounds[0, 0]:
        return search
    _hand_over(state, again.state)
    return again


@compiled
def layered(search: Search) -> Search:
    """Start again with layers of two, if the operators are in such."""
    instance = search.instance
    slots = free_capacity(instance).room
    layers = layer_bound(instance, layers_of(instance), slots)
    if len(layers.layer) == 0:
        return search
    prices = search.sums.prices
    carry = _differing(instance) or bool(prices.any())
    again = _search(instance, search.before, search.same_node, carry, prices, layers)
    _hand_over(search.state, again.state)
    return again


@compiled
def _hand_over(state: SearchState, later: SearchState) -> None:
    """Give what is known to a search that starts again."""
    later.incumbent_cost[0] = state.incumbent_cost[0]
    later.incumbent[:] = state.incumbent
    later.counters[STEPS] = state.counters[STEPS]


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
        search.layers,
        search.instance.pair_costs,
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
def advance(search: Search, steps: int) -> None:
    """Branch so many times, or until nothing is open."""
    paths, domains, sums, assignment, layers = (
        search.paths,
        search.domains,
        search.sums,
        search.assignment,
        search.layers,
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
            branch(
                paths,
                domains,
                sums,
                assignment,
                layers,
                pair_costs,
                used,
                capacity,
                state,
                before,
                same_node,
            )
        rank = state.visited[level]
        if rank < state.children[level] and state.child_bounds[level, rank] < cutoff(
            state.incumbent_cost
        ):
            descend(starts, rows, seconds, pair_costs, capacity, state)
        else:
            return_to_parent(starts, rows, seconds, capacity, state)
