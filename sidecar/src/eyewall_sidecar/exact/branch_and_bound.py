"""The dedicated exact engine: depth first, best child first, with bounds that see capacity.

Covers every objective and every constraint but bandwidths, on any graph.
"""

from math import inf

import numpy as np

from eyewall_sidecar.exact.bounds.spread_bound import spread_bound
from eyewall_sidecar.exact.finding import Clock, Finding, Heuristic, Outcome
from eyewall_sidecar.exact.instance import Instance, instance_of
from eyewall_sidecar.exact.packing import packing
from eyewall_sidecar.exact.search_tree import SearchTree, advance, search_tree
from eyewall_sidecar.exact.symmetry import identical_nodes, interchangeable_operators
from eyewall_sidecar.exact.tree_state import LEVEL, NONE, STEPS, cutoff, open_bound
from eyewall_sidecar.model.array_types import Indices, Places
from eyewall_sidecar.model.arrays import ProblemArrays
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

SPREAD_SHARE, SECONDS_PER_PAIR = 5.0, 6e-8
"""So many times as long as these take: for each stream or operator and pair of nodes, measured on
500 operators and 100 nodes."""

ALONE, TURN = 1_500_000_000, 150_000_000
"""Branchings times operators squared times nodes before a heuristic's first turn, and between two
of its turns: about 0.1 s, and 10 ms."""

PATIENCE, BRIEF = 50, 5
"""Until a heuristic has found nothing better in so many turns, the search's own are shorter by such
a factor: where time is short, the heuristic needs it more."""

SECONDS_PER_ENTRY = 1.5e-8
"""Of the tables that a search begins with, measured on 500 operators and 100 nodes."""

FADING = 0.8
"""A turn is expected to take this much of the longest one before it, or as long as the last."""

MOST_TABLE_ENTRIES = 30_000_000
"""Above this the costs of pairs alone would take hundreds of megabytes."""


def covers(arrays: ProblemArrays) -> bool:
    """Whether the engine can take the problem: no limited bandwidth, and tables that fit."""
    return _entries(arrays) <= MOST_TABLE_ENTRIES and not bool(np.isfinite(arrays.bandwidths).any())


def setup_seconds(arrays: ProblemArrays) -> float:
    """Return about how long it takes until the search can begin."""
    return SECONDS_PER_ENTRY * _entries(arrays)


def branch_and_bound(
    arrays: ProblemArrays,
    costs: Costs,
    *,
    start: Indices | None,
    ends_at: float,
    clock: Clock,
    heuristic: Heuristic | None = None,
) -> Finding:
    """Find the placement of least cost, or the best known when the time is up.

    The same input gives the same placement unless time runs out: the heuristic's turns are counted
    in branchings.

    Parameters
    ----------
    arrays
        A problem that the engine `covers`.
    start
        [operator]: its node in a valid placement, if one is known.
    ends_at
        When to stop, by the clock, in seconds.
    heuristic
        Finds placements in turn with the search, once that has had `ALONE`.
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
        if crowded and ends_at - now >= _spread_seconds(arrays):
            floor = spread_bound(arrays, costs)
            _pack(tree, instance, arrays, costs)
            now = clock()
    size = max(1, instance.operators**2 * instance.nodes)
    alone = inf if heuristic is None else ALONE // size
    while _is_open(tree, floor) and now < ends_at and tree.state.counters[STEPS] < alone:
        advance(tree, slice_)
        before, now = now, clock()
        slice_ = _next_slice(slice_, now - before)
    if heuristic is not None and _is_open(tree, floor) and now < ends_at:
        placements = heuristic(arrays, costs, ends_at - now)
        turn, longest, idle = max(1, TURN // size), 0.0, 0
        while _is_open(tree, floor) and now + longest < ends_at:
            places = next(placements, None)
            before, now = now, clock()
            longest = max(FADING * longest, now - before)
            found = places is not None and _learn(tree, instance, arrays, costs, places)
            idle = 0 if found else idle + 1
            advance(tree, turn if idle >= PATIENCE else max(1, turn // BRIEF))
            now = clock()
        while _is_open(tree, floor) and now < ends_at:
            advance(tree, slice_)
            before, now = now, clock()
            slice_ = _next_slice(slice_, now - before)
    return _finding(arrays, costs, tree, instance, start, known, floor)


def _root(instance: Instance, costs: Costs) -> SearchTree:
    before = interchangeable_operators(instance)
    return search_tree(instance, before, identical_nodes(instance, costs))


def _pack(tree: SearchTree, instance: Instance, arrays: ProblemArrays, costs: Costs) -> None:
    """Take a packing as the incumbent if it is better."""
    places = packing(arrays, costs)
    if places is None:
        return
    loads = np.zeros_like(arrays.limits)
    np.add.at(loads.T, places, arrays.requirements.T)
    if (loads > arrays.limits).any():  # by rounding
        return
    _learn(tree, instance, arrays, costs, places)


def _learn(
    tree: SearchTree, instance: Instance, arrays: ProblemArrays, costs: Costs, places: Places
) -> bool:
    """Take a valid placement as the incumbent if it is better; return whether it is."""
    value = cost(arrays, costs, places)
    if value >= tree.state.incumbent_cost[0]:
        return False
    tree.state.incumbent_cost[0] = value
    tree.state.incumbent[:] = places[instance.order]
    return True


def _entries(arrays: ProblemArrays) -> int:
    """Return the number of pairs of nodes, for each stream and operator."""
    return (len(arrays.rates) + arrays.operators) * arrays.nodes**2


def _spread_seconds(arrays: ProblemArrays) -> float:
    """Return how much time must be left for `spread_bound` and a packing."""
    return max(SPREAD_SECONDS, SPREAD_SHARE * SECONDS_PER_PAIR * _entries(arrays))


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
    advance(tree, FIRST_SLICE)
