"""Beam search: operators are placed one after the other, and only the most promising go on."""

import numpy as np

from eyewall_sidecar.heuristic.completions import Completions
from eyewall_sidecar.heuristic.evaluation_state import Terms
from eyewall_sidecar.heuristic.partial_placement import (
    additive,
    arrivals,
    fill_own,
    links_hold,
    room_left,
    total,
)
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel

TIE = 1e-4
"""What a second of an operator's own path counts where another path decides the response time."""


SPARE = 4
"""So many times the width are looked at for placements with different futures."""


@kernel
def grow(
    terms: Terms, ahead: Completions, places: Places, holes: Places, width: int, enough: float
) -> tuple[float, Places]:
    """Place the holes and return the cost and [operator]: its node; infinite if none fits.

    Parameters
    ----------
    places
        [operator]: its node, −1 for the holes.
    holes
        Operators to place, in this order; along paths the earlier ones first.
    width
        How many partial placements go on from one operator to the next.
    enough
        Only placements that cost less are looked for.
    """
    nodes = len(terms.delays)
    kept = 1
    states = np.empty((width, len(places)), dtype=np.int64)
    left = np.empty((width, len(terms.limits), nodes))
    added = np.zeros(width)
    states[0], left[0] = places, room_left(terms, places)
    added[0] = additive(terms, places)
    new_states, new_left, new_added = states.copy(), left.copy(), added.copy()
    estimates, adds = np.empty(width * nodes), np.empty(width * nodes)
    choices = np.empty(width * nodes, dtype=np.int64)
    done, tails = np.zeros(len(places)), np.zeros(len(places))
    extra, guess = np.empty(nodes), np.empty(nodes)
    keys, trial = np.zeros(width, dtype=np.int64), places.copy()
    marks = _marks(len(places) + 1, nodes)
    for operator in holes:
        found = 0
        for state in range(kept):
            _weigh(terms, ahead, states[state], left[state], operator, done, tails, extra, guess)
            for node in range(nodes):
                estimate = added[state] + guess[node]
                if estimate < enough:
                    estimates[found], adds[found] = estimate, added[state] + extra[node]
                    choices[found] = state * nodes + node
                    found += 1
        shortlist = _shortlist(estimates[:found], SPARE * width)
        kept = 0
        for entry in shortlist:
            if kept == width:
                break
            state, node = choices[entry] // nodes, choices[entry] % nodes
            trial[:] = states[state]
            trial[operator] = node
            key = _future(terms, marks, trial)
            slot = 0
            while slot < kept and keys[slot] != key:
                slot += 1
            if slot < kept and (terms.response > 0.0 or adds[entry] >= new_added[slot]):
                continue
            if not links_hold(terms, trial):
                continue
            new_states[slot], keys[slot] = trial, key
            new_left[slot], new_added[slot] = left[state], adds[entry]
            for resource in range(len(terms.limits)):
                new_left[slot, resource, node] -= terms.requirements[resource, operator]
            kept = max(kept, slot + 1)
        states, new_states = new_states, states
        left, new_left = new_left, left
        added, new_added = new_added, added
    best, which = np.inf, 0
    for state in range(kept):
        value = total(terms, states[state], done)
        if value < best:
            best, which = value, state
    return best, states[which].copy()


@compiled
def _shortlist(estimates: Floats, most: int) -> Places:
    """Return the places of the lowest estimates, in ascending order."""
    if len(estimates) <= most:
        return np.argsort(estimates, kind="mergesort")
    worst = np.partition(estimates, most - 1)[most - 1]
    lowest = np.flatnonzero(estimates <= worst)
    return lowest[np.argsort(estimates[lowest], kind="mergesort")]


@compiled
def _marks(rows: int, columns: int) -> Places:
    """Return numbers that hardly ever have the same sum: a fixed pseudo-random sequence."""
    marks = np.empty((rows, columns), dtype=np.int64)
    number = np.uint64(88172645463325252)
    for row in range(rows):
        for column in range(columns):
            number ^= number << np.uint64(13)
            number ^= number >> np.uint64(7)
            number ^= number << np.uint64(17)
            marks[row, column] = np.int64(number >> np.uint64(2))
    return marks


@compiled
def _future(terms: Terms, marks: Places, places: Places) -> int:
    """Return a number for what the rest of a placement depends on.

    That is how many are on each node, and where those are that have neighbours to come. Of two
    placements with the same future the cheaper is enough.
    """
    key = 0
    for operator in range(len(places)):
        node = places[operator]
        if node < 0:
            continue
        key += marks[len(places), node]
        for at in range(terms.stream_starts[operator], terms.stream_starts[operator + 1]):
            if places[terms.stream_ends[at]] < 0:
                key += marks[operator, node]
                break
    return int(key)


@compiled
def _weigh(
    terms: Terms,
    ahead: Completions,
    places: Places,
    left: Floats,
    operator: int,
    done: Floats,
    tails: Floats,
    extra: Floats,
    guess: Floats,
) -> None:
    """Fill [node]: what the operator adds there to the sum, and a guess of the cost in the end.

    The guess is for all but the sum so far; infinite where the operator does not fit. `done` and
    `tails` are room to work in.
    """
    nodes = len(extra)
    rooms = np.zeros(nodes, dtype=np.int64)
    fill_own(terms, places, operator, extra)
    for node in range(nodes):
        least = float(ahead.most + 1)
        if not terms.allowed[operator, node]:
            extra[node] = np.inf
        for resource in range(len(left)):
            if terms.requirements[resource, operator] > left[resource, node]:
                extra[node] = np.inf
            if ahead.unit[resource] > 0.0:
                least = min(least, left[resource, node] / ahead.unit[resource] + 1e-6)
        rooms[node] = max(0, int(least))
    guess[:] = extra
    if ahead.most > 0:
        pending = 0.0
        for other in range(len(places)):
            lead = ahead.lead[other]
            if places[other] >= 0 or other == operator:
                continue
            if lead == operator:
                for node in range(nodes):
                    guess[node] += ahead.rest[other, node, max(0, rooms[node] - 1)]
            elif lead < 0:
                pending += ahead.begin[other]
            elif places[lead] >= 0:
                pending += ahead.rest[other, places[lead], min(ahead.most, rooms[places[lead]])]
        guess += pending
    if terms.response > 0.0:
        _add_response(terms, ahead, places, rooms, operator, done, tails, guess)


@compiled
def _add_response(
    terms: Terms,
    ahead: Completions,
    places: Places,
    rooms: Places,
    operator: int,
    done: Floats,
    tails: Floats,
    guess: Floats,
) -> None:
    """Add to [node] what the response time will cost at least, with the operator there."""
    nodes = len(guess)
    arrivals(terms, places, done)
    span = _longest_path(terms, ahead, places, rooms, done, tails)
    start, tail = np.zeros(nodes), np.zeros(nodes)
    for at in range(terms.input_starts[operator], terms.input_starts[operator + 1]):
        sender = terms.inputs[at]
        here = places[sender]
        for node in range(nodes):
            hop = terms.delays[here, node] if here >= 0 else 0.0
            start[node] = max(start[node], done[sender] + hop)
    for pair in range(terms.output_starts[operator], terms.output_starts[operator + 1]):
        target = terms.outputs[pair]
        there = places[target]
        if there >= 0:
            then = terms.execution_times[target] / terms.speedups[there] + tails[target]
            for node in range(nodes):
                tail[node] = max(tail[node], terms.delays[node, there] + then)
        else:
            for node in range(nodes):
                tail[node] = max(tail[node], tails[target])
                if len(ahead.tail) > 0:
                    expected = ahead.tail[pair, node, max(0, rooms[node] - 1)]
                    tail[node] = max(tail[node], expected)
    for node in range(nodes):
        path = start[node] + terms.execution_times[operator] / terms.speedups[node] + tail[node]
        guess[node] += terms.response * (max(span, path) + TIE * path)


@compiled
def _longest_path(
    terms: Terms,
    ahead: Completions,
    places: Places,
    rooms: Places,
    done: Floats,
    tails: Floats,
) -> float:
    """Fill [operator]: seconds from when it is done to the end; return the longest path."""
    longest = 0.0
    for place in range(len(terms.order) - 1, -1, -1):
        operator = terms.order[place]
        node = places[operator]
        tail = 0.0
        for pair in range(terms.output_starts[operator], terms.output_starts[operator + 1]):
            target = terms.outputs[pair]
            there = places[target]
            then = tails[target]
            if there >= 0:
                then += terms.execution_times[target] / terms.speedups[there]
                if node >= 0:
                    then += terms.delays[node, there]
            elif node >= 0 and len(ahead.tail) > 0:
                then = max(then, ahead.tail[pair, node, min(ahead.most, rooms[node])])
            tail = max(tail, then)
        tails[operator] = tail
        longest = max(longest, done[operator] + tail)
    return longest
