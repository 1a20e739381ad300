"""The response time after a change, from heads and tails of the longest ways.

A head is the time from a source until an operator is done, a tail the time from there until the
last sink it leads to is done (paper 000, equations 1 to 4; see `objectives.response_time`). With
both, the longest way through an operator that moves costs its degree. The longest way that avoids
it is needed only if the longest way of all led through it and gets shorter; it is then kept until
the placement changes. Other changes recompute the heads that differ, in topological order.
"""

from eyewall_sidecar.heuristic.evaluation_state import NOBODY, RESPONSE_TIME, VERSION, State
from eyewall_sidecar.model.compilation import subroutine

CLOSE = 1.0 - 1e-12
"""Sums along one way differ by rounding with the direction they are taken in."""


@subroutine
def head_on(state: State, operator: int, node: int) -> float:
    """Return the operator's head, were it on that node, in seconds."""
    terms, arrival = state.terms, 0.0
    for place in range(terms.input_starts[operator], terms.input_starts[operator + 1]):
        source = terms.inputs[place]
        at = state.heads[source] + terms.delays[state.places[source], node]
        arrival = max(arrival, at)
    return float(arrival + terms.execution_times[operator] / terms.speedups[node])


@subroutine
def tail_on(state: State, operator: int, node: int) -> float:
    """Return the operator's tail, were it on that node, in seconds."""
    terms, rest = state.terms, 0.0
    for place in range(terms.output_starts[operator], terms.output_starts[operator + 1]):
        target = terms.outputs[place]
        at = state.places[target]
        work = terms.execution_times[target] / terms.speedups[at]
        rest = max(rest, terms.delays[node, at] + work + state.tails[target])
    return rest


@subroutine
def response_time_after_move(state: State, operator: int, node: int) -> float:
    """Return R in seconds, were the operator on that node."""
    now = float(state.amounts[RESPONSE_TIME])
    if state.terms.positions[operator] < 0:
        return now
    through = head_on(state, operator, node) + tail_on(state, operator, node)
    if through >= now or state.heads[operator] + state.tails[operator] < now * CLOSE:
        return max(through, now)
    return max(through, longest_avoiding(state, operator))


@subroutine
def longest_avoiding(state: State, operator: int) -> float:
    """Return the longest way that does not lead through the operator, in seconds.

    Such a way passes the operator's place in the topological order along one edge, or ends before
    it, or starts after it.
    """
    if state.avoiding_since[operator] == state.counts[VERSION]:
        return float(state.avoiding[operator])
    terms, longest = state.terms, 0.0
    here = terms.positions[operator]
    for position in range(len(terms.order)):
        other = terms.order[position]
        if position < here:
            longest = max(longest, state.heads[other])
        elif position > here:
            at = state.places[other]
            rest = terms.execution_times[other] / terms.speedups[at] + state.tails[other]
            longest = max(longest, rest)
            for place in range(terms.input_starts[other], terms.input_starts[other + 1]):
                source = terms.inputs[place]
                if terms.positions[source] < here:
                    hop = terms.delays[state.places[source], at]
                    longest = max(longest, state.heads[source] + hop + rest)
    state.avoiding[operator] = longest
    state.avoiding_since[operator] = state.counts[VERSION]
    return longest


@subroutine
def mark(state: State, operator: int) -> None:
    """Note that heads and tails around the operator are to be recomputed."""
    if state.terms.positions[operator] >= 0:
        state.waiting[state.terms.positions[operator]] = True
        state.moved[state.terms.positions[operator]] = True


@subroutine
def mark_all_on(state: State, node: int) -> None:
    """Note that heads and tails around all operators of the node are to be recomputed."""
    operator = state.first_on[node]
    while operator != NOBODY:
        mark(state, operator)
        operator = state.next_on[operator]


@subroutine
def response_time_after_marked(state: State) -> float:
    """Return R in seconds with marked operators where `places` has them now, heads unchanged."""
    overwritten = _advance(state)
    longest = last_head(state)
    for number in range(overwritten - 1, -1, -1):
        state.heads[state.touched[number]] = state.before[number]
    for position in range(len(state.moved)):
        state.moved[position] = False
    return longest


@subroutine
def settle(state: State) -> None:
    """Bring heads, tails and R up to date with marked operators where `places` has them now."""
    _advance(state)
    for position in range(len(state.moved)):
        state.waiting[position] = state.moved[position]
    _retreat(state)
    for position in range(len(state.moved)):
        state.moved[position] = False
    state.amounts[RESPONSE_TIME] = last_head(state)


@subroutine
def last_head(state: State) -> float:
    """Return when the last sink is done, in seconds."""
    longest = 0.0
    for sink in state.terms.sinks:
        longest = max(longest, state.heads[sink])
    return longest


@subroutine
def _advance(state: State) -> int:
    """Recompute heads after marked operators; what they were goes to `before`."""
    terms, overwritten = state.terms, 0
    for position in range(len(terms.order)):
        if not state.waiting[position]:
            continue
        state.waiting[position] = False
        operator = terms.order[position]
        head = head_on(state, operator, state.places[operator])
        changed = head != state.heads[operator]
        if changed:
            state.touched[overwritten] = operator
            state.before[overwritten] = state.heads[operator]
            overwritten += 1
            state.heads[operator] = head
        if changed or state.moved[position]:
            for place in range(terms.output_starts[operator], terms.output_starts[operator + 1]):
                state.waiting[terms.positions[terms.outputs[place]]] = True
    return overwritten


@subroutine
def _retreat(state: State) -> None:
    """Recompute tails before marked operators."""
    terms = state.terms
    for position in range(len(terms.order) - 1, -1, -1):
        if not state.waiting[position]:
            continue
        state.waiting[position] = False
        operator = terms.order[position]
        tail = tail_on(state, operator, state.places[operator])
        changed = tail != state.tails[operator]
        state.tails[operator] = tail
        if changed or state.moved[position]:
            for place in range(terms.input_starts[operator], terms.input_starts[operator + 1]):
                state.waiting[terms.positions[terms.inputs[place]]] = True
