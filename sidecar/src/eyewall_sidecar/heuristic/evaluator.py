"""What a change of a placement does to its cost and its constraints, without evaluating it again.

For any `Costs` and for Ecker's score, equal to `objectives.costs.cost` and
`objectives.ecker.ecker_score`. Everything here is compiled, and takes a `State` that compiled
searches hand on:

    state = started(arrays, costs, places)       # Python: [operator] → place of its node
    change = move_delta(state, operator, node)   # Python or compiled: what a move would change
    if improves(change):
        move(state, operator, node)              # make it
    cost(state), violations(state), state.places

- `move_delta(state, i, u)`: operator i to node u.
- `swap_delta(state, i, j)`: operators i and j change places.
- `move_all_delta(state, u, v)`: all operators of node u to node v.
- `move`, `swap`, `move_all` make the change, `put(state, places)` any placement.

A delta costs the degree of the operators that move, and where the response time counts sometimes
the part of the graph behind them (`path_delta`). Deltas leave the state as it was, to the last
bit; made changes let sums of floats drift by rounding, about 1e-16 of their size each: a search of
millions of changes calls `put(state, state.places.copy())` now and then.

Compile what calls these with `allocation_free` if it makes no arrays, else with `compiled`.

A `State` is for one thread. Compare states by (violations, excess, forbidden, cost), as `improves`
does: infinite costs (availability 0 where A counts) count in `forbidden`, finite ones in `cost`.
"""

from math import inf
from typing import NamedTuple

from eyewall_sidecar.heuristic.constraint_delta import exchange, overload, pour, reroute, unroute
from eyewall_sidecar.heuristic.evaluation_state import (
    ADDITIVE,
    EXCESS,
    FORBIDDEN,
    NOBODY,
    RESPONSE_TIME,
    VERSION,
    VIOLATIONS,
    State,
    blank,
    enlist,
    strike,
    terms_of,
)
from eyewall_sidecar.heuristic.path_delta import (
    mark,
    mark_all_on,
    response_time_after_marked,
    response_time_after_move,
    settle,
)
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import kernel, subroutine
from eyewall_sidecar.objectives.costs import Costs
from eyewall_sidecar.objectives.ecker import EckerCosts

ROUNDING = 1e-12
"""Of a cost, what is no difference."""


class PlacementChange(NamedTuple):
    """What differs after a change, each after less before.

    Parameters
    ----------
    violations
        Broken constraints.
    excess
        By how much they are broken, in the largest operator's or stream's need.
    forbidden
        Operators and streams of infinite cost.
    cost
        The finite part of the cost.
    """

    violations: int
    excess: float
    forbidden: int
    cost: float


def started(arrays: ProblemArrays, costs: Costs | EckerCosts, places: Places) -> State:
    """Return the state of a placement, [operator]: the place of its node."""
    state = blank(terms_of(arrays, costs))
    put(state, places)
    return state


@kernel
def cost(state: State) -> float:
    """Return what the placement costs; infinite where `forbidden`."""
    if state.counts[FORBIDDEN]:
        return inf
    return finite_cost(state)


@kernel
def finite_cost(state: State) -> float:
    """Return the finite part of the cost."""
    return float(state.amounts[ADDITIVE] + state.terms.response * state.amounts[RESPONSE_TIME])


@kernel
def violations(state: State) -> int:
    """Return how many constraints the placement breaks."""
    return int(state.counts[VIOLATIONS])


@kernel
def excess(state: State) -> float:
    """Return by how much constraints are broken."""
    return float(state.amounts[EXCESS])


@kernel
def forbidden(state: State) -> int:
    """Return how many operators and streams cost infinitely much."""
    return int(state.counts[FORBIDDEN])


@subroutine
def less(one: PlacementChange, other: PlacementChange, rounding: float) -> bool:
    """Whether one change is better: by violations, then excess, then forbidden, then cost.

    Parameters
    ----------
    rounding
        Costs that differ by no more than this are equal.
    """
    if one.violations != other.violations:
        return one.violations < other.violations
    if abs(one.excess - other.excess) > 1e-9:
        return one.excess < other.excess
    if one.forbidden != other.forbidden:
        return one.forbidden < other.forbidden
    return one.cost < other.cost - rounding


@kernel
def improves(state: State, change: PlacementChange) -> bool:
    """Whether the change makes the placement better by more than rounding."""
    return less(change, PlacementChange(0, 0.0, 0, 0.0), ROUNDING * abs(finite_cost(state)))


@kernel
def move_delta(state: State, operator: int, node: int) -> PlacementChange:
    """Return what changes if the operator goes to the node."""
    terms, source = state.terms, state.places[operator]
    if node == source:
        return PlacementChange(0, 0.0, 0, 0.0)
    broken, over = exchange(state, source, NOBODY, operator)
    more, further = exchange(state, node, operator, NOBODY)
    strayed = int(terms.allowed[operator, source]) - int(terms.allowed[operator, node])
    broken += more + strayed
    over += further + strayed
    cost_before, forbidden_before = _attached(state, operator)
    state.places[operator] = node
    cost_after, forbidden_after = _attached(state, operator)
    state.places[operator] = source
    if len(terms.link_limits):
        noted, more, further = reroute(state, operator, source, node, 0)
        unroute(state, noted)
        broken += more
        over += further
    change = cost_after - cost_before
    if terms.per_node:
        change += terms.per_node * (int(state.holds[node] == 0) - int(state.holds[source] == 1))
    if terms.response:
        now = state.amounts[RESPONSE_TIME]
        change += terms.response * (response_time_after_move(state, operator, node) - now)
    return PlacementChange(broken, over, forbidden_after - forbidden_before, change)


@kernel
def swap_delta(state: State, one: int, other: int) -> PlacementChange:
    """Return what changes if two operators change places."""
    terms, u, v = state.terms, state.places[one], state.places[other]
    if u == v:
        return PlacementChange(0, 0.0, 0, 0.0)
    broken, over = exchange(state, u, other, one)
    more, further = exchange(state, v, one, other)
    allowed = terms.allowed
    strayed = int(allowed[one, u]) + int(allowed[other, v])
    strayed -= int(allowed[one, v]) + int(allowed[other, u])
    broken += more + strayed
    over += further + strayed
    noted, broken_links, over_links, dear, change = _shift(state, one, v, 0)
    noted, more, further, dearer, more_cost = _shift(state, other, u, noted)
    broken += broken_links + more
    over += over_links + further
    change += more_cost
    unroute(state, noted)
    if terms.response:
        mark(state, one)
        mark(state, other)
        now = state.amounts[RESPONSE_TIME]
        change += terms.response * (response_time_after_marked(state) - now)
    state.places[one], state.places[other] = u, v
    return PlacementChange(broken, over, dear + dearer, change)


@kernel
def move_all_delta(state: State, source: int, target: int) -> PlacementChange:
    """Return what changes if all operators of one node go to another."""
    if source == target or state.first_on[source] == NOBODY:
        return PlacementChange(0, 0.0, 0, 0.0)
    terms = state.terms
    broken, over = pour(state, source, target)
    noted, dear, change = 0, 0, 0.0
    operator = state.first_on[source]
    while operator != NOBODY:
        strayed = int(terms.allowed[operator, source]) - int(terms.allowed[operator, target])
        noted, more, further, dearer, more_cost = _shift(state, operator, target, noted)
        broken += strayed + more
        over += strayed + further
        dear += dearer
        change += more_cost
        operator = state.next_on[operator]
    unroute(state, noted)
    if terms.response:
        mark_all_on(state, source)
        now = state.amounts[RESPONSE_TIME]
        change += terms.response * (response_time_after_marked(state) - now)
    operator = state.first_on[source]
    while operator != NOBODY:
        state.places[operator] = source
        operator = state.next_on[operator]
    if terms.per_node:
        change -= terms.per_node * int(state.holds[target] > 0)
    return PlacementChange(broken, over, dear, change)


@kernel
def move(state: State, operator: int, node: int) -> None:
    """Put the operator on the node."""
    if node == state.places[operator]:
        return
    _relocate(state, operator, node)
    if state.terms.response:
        mark(state, operator)
        settle(state)


@kernel
def swap(state: State, one: int, other: int) -> None:
    """Let two operators change places."""
    u, v = state.places[one], state.places[other]
    if u == v:
        return
    _relocate(state, one, v)
    _relocate(state, other, u)
    if state.terms.response:
        mark(state, one)
        mark(state, other)
        settle(state)


@kernel
def move_all(state: State, source: int, target: int) -> None:
    """Put all operators of one node on another."""
    if source == target:
        return
    if state.terms.response:
        mark_all_on(state, source)
    while state.first_on[source] != NOBODY:
        _relocate(state, state.first_on[source], target)
    if state.terms.response:
        settle(state)


@kernel
def put(state: State, places: Places) -> None:
    """Make this the state's placement, every sum computed anew."""
    terms = state.terms
    _clear(state)
    for operator in range(len(places)):
        state.places[operator] = places[operator]
    for operator in range(len(places)):
        node = places[operator]
        for resource in range(len(state.loads)):
            state.loads[resource, node] += terms.requirements[resource, operator]
        if not terms.allowed[operator, node]:
            state.counts[VIOLATIONS] += 1
            state.amounts[EXCESS] += 1.0
        enlist(state, operator, node)
        if terms.per_operator[node] == inf:
            state.counts[FORBIDDEN] += 1
        else:
            state.amounts[ADDITIVE] += terms.per_operator[node]
        for place in range(terms.stream_starts[operator], terms.stream_starts[operator + 1]):
            if not terms.stream_out[place]:
                continue
            end = places[terms.stream_ends[place]]
            state.amounts[ADDITIVE] += terms.stream_rates[place] * terms.per_rate[node, end]
            if terms.per_stream[node, end] == inf:
                state.counts[FORBIDDEN] += 1
            else:
                state.amounts[ADDITIVE] += terms.per_stream[node, end]
            if len(terms.link_limits):
                state.traffic[node, end] += terms.stream_bytes[place]
    for node in range(len(state.holds)):
        state.amounts[ADDITIVE] += terms.per_node * int(state.holds[node] > 0)
        for resource in range(len(state.loads)):
            over = overload(state, resource, node, state.loads[resource, node])
            state.counts[VIOLATIONS] += int(over > 0)
            state.amounts[EXCESS] += over
    for u in range(len(terms.link_limits)):
        for v in range(len(terms.link_limits)):
            over = (state.traffic[u, v] - terms.link_limits[u, v]) / terms.units[-1]
            if over > 0:
                state.counts[VIOLATIONS] += 1
                state.amounts[EXCESS] += over
    if terms.response:
        for operator in terms.order:
            mark(state, operator)
        settle(state)


@subroutine
def _clear(state: State) -> None:
    for node in range(len(state.holds)):
        state.holds[node], state.first_on[node] = 0, NOBODY
        for resource in range(len(state.loads)):
            state.loads[resource, node] = 0.0
    for u in range(len(state.traffic)):
        for v in range(len(state.traffic)):
            state.traffic[u, v] = 0.0
    state.amounts[ADDITIVE], state.amounts[RESPONSE_TIME], state.amounts[EXCESS] = 0.0, 0.0, 0.0
    state.counts[VIOLATIONS], state.counts[FORBIDDEN] = 0, 0
    state.counts[VERSION] += 1


@subroutine
def _attached(state: State, operator: int) -> tuple[float, int]:
    """Return what the operator and its streams cost, and how many of them infinitely."""
    terms, at = state.terms, state.places[operator]
    total, dear = 0.0, 0
    if terms.per_operator[at] == inf:
        dear += 1
    else:
        total += terms.per_operator[at]
    for place in range(terms.stream_starts[operator], terms.stream_starts[operator + 1]):
        end = state.places[terms.stream_ends[place]]
        u, v = (at, end) if terms.stream_out[place] else (end, at)
        total += terms.stream_rates[place] * terms.per_rate[u, v]
        if terms.per_stream[u, v] == inf:
            dear += 1
        else:
            total += terms.per_stream[u, v]
    return total, dear


@subroutine
def _shift(
    state: State, operator: int, node: int, noted: int
) -> tuple[int, int, float, int, float]:
    """Put the operator on the node in `places` and `traffic` only.

    Returns
    -------
    Noted numbers (see `reroute`), broken bandwidths and by how much, forbidden ones and the finite
    cost: each after less before.
    """
    source, broken, over = state.places[operator], 0, 0.0
    before, dear_before = _attached(state, operator)
    if len(state.terms.link_limits):
        noted, broken, over = reroute(state, operator, source, node, noted)
    state.places[operator] = node
    after, dear_after = _attached(state, operator)
    return noted, broken, over, dear_after - dear_before, after - before


@subroutine
def _relocate(state: State, operator: int, node: int) -> None:
    """Put the operator on the node; heads, tails and R are left as they were."""
    terms, source = state.terms, state.places[operator]
    broken, over = exchange(state, source, NOBODY, operator)
    more, further = exchange(state, node, operator, NOBODY)
    strayed = int(terms.allowed[operator, source]) - int(terms.allowed[operator, node])
    _, broken_links, over_links, dear, change = _shift(state, operator, node, 0)
    strike(state, operator, source)
    enlist(state, operator, node)
    for resource in range(len(state.loads)):
        needs = terms.requirements[resource, operator]
        # An empty node carries nothing, whatever rounding left.
        left = state.loads[resource, source] - needs if state.holds[source] else 0.0
        state.loads[resource, source] = left
        state.loads[resource, node] += needs
    if terms.per_node:
        change += terms.per_node * (int(state.holds[node] == 1) - int(state.holds[source] == 0))
    state.amounts[ADDITIVE] += change
    state.counts[VIOLATIONS] += broken + more + strayed + broken_links
    state.counts[FORBIDDEN] += dear
    state.counts[VERSION] += 1
    state.amounts[EXCESS] += over + further + strayed + over_links
    if state.counts[VIOLATIONS] == 0:
        state.amounts[EXCESS] = 0.0
