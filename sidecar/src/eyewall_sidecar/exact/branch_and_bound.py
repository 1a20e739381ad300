"""The dedicated exact engine: depth first, best child first, with bounds that see capacity.

Covers every objective and every constraint but bandwidths, on any graph.
"""

from math import inf
from sys import maxsize

import numpy as np

from eyewall_sidecar.exact.branching import BY_SUMS
from eyewall_sidecar.exact.finding import Clock, Finding, Outcome
from eyewall_sidecar.exact.packing import packing
from eyewall_sidecar.exact.search_state import LEVEL, NONE, STEPS, cutoff, open_bound
from eyewall_sidecar.exact.spread_bound import spread_bound
from eyewall_sidecar.exact.tree_search import Begun, Search, advance, begun, layered, priced, set_up
from eyewall_sidecar.model.arrays import Places, ProblemArrays
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
    began = clock()
    known = cost(arrays, costs, start) if start is not None else inf
    first = _first_slice(arrays)
    beginning = begun(arrays, costs, known, first)
    if beginning.search is None:
        return _at_once(arrays, costs, beginning, start, known)
    search, slice_, now, floor = beginning.search, first, clock(), -inf
    crowded = not search.capacity.same[0] or open_bound(search.state) <= 0
    if _is_open(search, floor) and crowded and ends_at - now >= SPREAD_SECONDS:
        floor = spread_bound(arrays, costs)
        _improve(search, arrays, costs)
        now = clock()
    if _is_open(search, floor) and search.used[BY_SUMS] and now < ends_at:
        search = priced(search)
        now = clock()
    layers_from = _layered_from(search)
    while _is_open(search, floor) and now < ends_at:
        waits = layers_from - int(search.state.counters[STEPS])
        if waits > 0:
            advance(search, min(slice_, waits))
        else:
            layers_from = maxsize
            if ends_at - now > now - began:  # tables take about as long as all up to here
                search = layered(search)
        before, now = now, clock()
        slice_ = _next_slice(slice_, now - before)
    return _finding(arrays, costs, search, start, known, floor)


def _first_slice(arrays: ProblemArrays) -> int:
    """Branchings before anybody looks at the clock, or for better bounds."""
    return max(FIRST_SLICE, AT_ONCE // max(1, arrays.operators * arrays.nodes))


def _at_once(
    arrays: ProblemArrays, costs: Costs, found: Begun, start: Places | None, known: float
) -> Finding:
    """Say what the first steps have settled."""
    if found.cost == inf:
        return Finding(Outcome.INFEASIBLE, bound=inf, steps=found.steps)
    if start is not None and found.places[:1].tolist() in ([], [NONE]):
        return Finding(Outcome.OPTIMAL, start, known, known, found.steps)
    value = cost(arrays, costs, found.places)
    return Finding(Outcome.OPTIMAL, found.places, value, value, found.steps)


def _is_open(search: Search, floor: float) -> bool:
    """Whether anything may be better than the incumbent, where nothing costs less than a floor."""
    state = search.state
    return bool(state.counters[LEVEL] >= 0) and floor < cutoff(state.incumbent_cost)


def _layered_from(search: Search) -> int:
    """After how many branchings layers of two are worth their tables."""
    operators, nodes = search.instance.allowed.shape
    patience = 1 if search.used[BY_SUMS] else PATIENCE_WITH_PATHS
    return int(patience * max(LAYERED_LEAST, LAYERED_FROM * operators * nodes**3))


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
    search = set_up(arrays, costs)
    spread_bound(arrays, costs)
    _improve(search, arrays, costs)
    layered(search)
    priced(search)
    open_bound(search.state)


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
