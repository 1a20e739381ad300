"""The dedicated exact engine: depth first, best child first, with bounds that see capacity.

Covers every objective and every constraint but bandwidths, on any graph.
"""

from math import inf
from sys import maxsize

import numpy as np

from eyewall_sidecar.exact.bounds.capacity_prices import capacity_prices
from eyewall_sidecar.exact.bounds.layer_bound import layer_bound, layers_of
from eyewall_sidecar.exact.bounds.spread_bound import spread_bound
from eyewall_sidecar.exact.capacity import capacity_of
from eyewall_sidecar.exact.finding import Clock, Finding, Outcome
from eyewall_sidecar.exact.instance import Instance, instance_of
from eyewall_sidecar.exact.packing import packing
from eyewall_sidecar.exact.search_tree import BY_SUMS, SearchTree, advance, root_bound, search_tree
from eyewall_sidecar.exact.symmetry import identical_nodes, interchangeable_operators
from eyewall_sidecar.exact.tree_state import LEVEL, NONE, STEPS, cutoff, open_bound
from eyewall_sidecar.model.arrays import Indices, ProblemArrays
from eyewall_sidecar.objectives.costs import Costs, cost

FIRST_SLICE, LONGEST_SLICE = 256, 65_536
"""Branchings before the clock is looked at."""

AT_ONCE = 100_000
"""Branchings times operators times nodes that take less than better bounds do: a millisecond."""

SLICE_SECONDS = 0.002
"""A slice that took less is doubled; one that took more than twice this is halved."""

SPREAD_SECONDS = 0.1
"""With less time left there is no packing and no `spread_bound`: they are for uneven operators, and
for problems of which nothing else shows that they cost anything."""

LAYERED_FROM = 1 / 40
"""Of operators · nodes³: the number of branchings that take as long as the tables of `layer_bound`,
which wait until then; `LAYERED_LEAST` of them where nodes are few."""

LAYERED_LEAST = 1_000

PATIENCE_WITH_PATHS = 20
"""So many times later if only the longest path counts: its own bounds are good, and quicker."""

MOST_TABLE_ENTRIES = 30_000_000
"""Above this the costs of pairs alone would take hundreds of megabytes."""


def covers(arrays: ProblemArrays) -> bool:
    """Whether the engine can take the problem: no limited bandwidth, and tables that fit."""
    entries = (len(arrays.rates) + arrays.operators) * arrays.nodes**2
    return entries <= MOST_TABLE_ENTRIES and not bool(np.isfinite(arrays.bandwidths).any())


def branch_and_bound(
    arrays: ProblemArrays,
    costs: Costs,
    *,
    start: Indices | None,
    ends_at: float,
    clock: Clock,
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
    began = clock()
    known = cost(arrays, costs, start) if start is not None else inf
    instance = instance_of(arrays, costs)
    tree = _root(instance, costs)
    tree.state.incumbent_cost[0] = known
    slice_, now, floor = _first_slice(instance), began, -inf
    advance(tree, slice_)
    if _is_open(tree, floor):
        now = clock()
        crowded = not tree.capacity.even[0] or open_bound(tree.state) <= 0
        if crowded and ends_at - now >= SPREAD_SECONDS:
            floor = spread_bound(arrays, costs)
            _pack(tree, instance, arrays, costs)
            now = clock()
    if _is_open(tree, floor) and tree.used[BY_SUMS] and now < ends_at:
        tree = _priced(tree, instance)
        now = clock()
    layers_from = _layers_from(tree, instance)
    while _is_open(tree, floor) and now < ends_at:
        waits = layers_from - int(tree.state.counters[STEPS])
        if waits > 0:
            advance(tree, min(slice_, waits))
        else:
            layers_from = maxsize
            if ends_at - now > now - began:  # tables take about as long as all up to here
                tree = _layered(tree, instance)
        before, now = now, clock()
        slice_ = _next_slice(slice_, now - before)
    return _finding(arrays, costs, tree, instance, start, known, floor)


def _root(instance: Instance, costs: Costs) -> SearchTree:
    before = interchangeable_operators(instance)
    return search_tree(instance, before, identical_nodes(instance, costs))


def _priced(tree: SearchTree, instance: Instance) -> SearchTree:
    """Start again with capacity prices if these raise the bound at the root."""
    slots = capacity_of(instance).room
    longest_run = min(instance.operators, int(slots.max()))
    known = float(tree.state.incumbent_cost[0])
    prices = capacity_prices(instance, slots, longest_run, known)
    again = search_tree(instance, tree.before, tree.same_node, prices)
    advance(again, 1)
    if root_bound(again) <= root_bound(tree):
        return tree
    _hand_over(tree, again)
    return again


def _layered(tree: SearchTree, instance: Instance) -> SearchTree:
    """Start again with layers of two, if the operators are in such."""
    layers = layer_bound(instance, layers_of(instance), capacity_of(instance).room)
    if not len(layers.layer):
        return tree
    prices = tree.sums.prices if tree.sums.prices.any() else None
    again = search_tree(instance, tree.before, tree.same_node, prices, layers)
    _hand_over(tree, again)
    return again


def _hand_over(tree: SearchTree, again: SearchTree) -> None:
    """Give what is known to a search that starts again."""
    again.state.incumbent_cost[0] = tree.state.incumbent_cost[0]
    again.state.incumbent[:] = tree.state.incumbent
    again.state.counters[STEPS] += tree.state.counters[STEPS]


def _pack(tree: SearchTree, instance: Instance, arrays: ProblemArrays, costs: Costs) -> None:
    """Take a packing as the incumbent if it is better."""
    places = packing(arrays, costs)
    if places is None:
        return
    loads = np.zeros_like(arrays.limits)
    np.add.at(loads.T, places, arrays.requirements.T)
    if (loads > arrays.limits).any():  # by rounding
        return
    value = cost(arrays, costs, places)
    if value < tree.state.incumbent_cost[0]:
        tree.state.incumbent_cost[0] = value
        tree.state.incumbent[:] = places[instance.order]


def _first_slice(instance: Instance) -> int:
    """Branchings before anybody looks at the clock, or for better bounds."""
    return max(FIRST_SLICE, AT_ONCE // max(1, instance.operators * instance.nodes))


def _next_slice(slice_: int, seconds: float) -> int:
    if seconds < SLICE_SECONDS:
        return min(2 * slice_, LONGEST_SLICE)
    return max(1, slice_ // 2) if seconds > 2 * SLICE_SECONDS else slice_


def _is_open(tree: SearchTree, floor: float) -> bool:
    """Whether anything may be better than the incumbent, where nothing costs less than a floor."""
    state = tree.state
    return bool(state.counters[LEVEL] >= 0) and floor < cutoff(state.incumbent_cost)


def _layers_from(tree: SearchTree, instance: Instance) -> int:
    """After how many branchings layers of two are worth their tables."""
    patience = 1 if tree.used[BY_SUMS] else PATIENCE_WITH_PATHS
    tables = LAYERED_FROM * instance.operators * instance.nodes**3
    return int(patience * max(LAYERED_LEAST, tables))


def _finding(
    arrays: ProblemArrays,
    costs: Costs,
    tree: SearchTree,
    instance: Instance,
    start: Indices | None,
    known: float,
    floor: float,
) -> Finding:
    """Say what is known; places in the problem's order, costs as everyone recomputes them."""
    state, steps = tree.state, int(tree.state.counters[STEPS])
    ended = not _is_open(tree, floor)
    if state.incumbent_cost[0] == inf:
        outcome = Outcome.INFEASIBLE if ended else Outcome.NOTHING
        return Finding(outcome, bound=max(floor, open_bound(state)), steps=steps)
    places, value = start, known
    if places is None or state.incumbent[:1].tolist() != [NONE]:
        places = np.empty(instance.operators, dtype=np.int64)
        places[instance.order] = state.incumbent
        value = cost(arrays, costs, places)
    if ended:
        return Finding(Outcome.OPTIMAL, places, value, value, steps)
    bound = max(floor, open_bound(state))
    return Finding(Outcome.INCUMBENT, places, value, min(value, bound), steps)


def rehearse(arrays: ProblemArrays, costs: Costs) -> None:
    """Run every compiled part once, those included that most searches end without."""
    instance = instance_of(arrays, costs)
    tree = _root(instance, costs)
    spread_bound(arrays, costs)
    _pack(tree, instance, arrays, costs)
    advance(_layered(_priced(tree, instance), instance), FIRST_SLICE)
