"""Large-neighbourhood search: some operators are taken out, and grown back by a narrow beam."""

import numpy as np
from numpy.random import Generator

from eyewall_sidecar.heuristic.beam_search import grow
from eyewall_sidecar.heuristic.completions import Completions
from eyewall_sidecar.heuristic.evaluation_state import State
from eyewall_sidecar.heuristic.evaluator import (
    cost,
    improves,
    less,
    move,
    move_all,
    move_all_delta,
    move_delta,
    put,
    swap,
    swap_delta,
)
from eyewall_sidecar.model.array_types import Indices, Places
from eyewall_sidecar.model.compilation import compiled, kernel

FEWEST, MOST = 3, 9
"""How many operators are taken out."""
DELTAS = 200_000
"""So many changes a descent tries at most."""
DELTAS_AT_ONCE = 15_000_000
"""So many, times operators, between two looks at the clock."""


@kernel
def descend(state: State, progress: Indices, looks: int) -> None:
    """Move and swap operators while that helps: the best step of each operator, in turn.

    Parameters
    ----------
    progress
        [2]: how many operators in a row had no better step, and which is next; what it ends with
        is where another call goes on.
    looks
        How many times an operator's steps are looked at, at most.
    """
    operators, nodes = len(state.places), len(state.holds)
    stuck, operator = progress[0], progress[1]
    while stuck < operators and looks > 0:
        here = state.places[operator]
        best = move_delta(state, operator, here)
        node, other = -1, -1
        for there in range(nodes):
            if there != here and state.terms.allowed[operator, there]:
                change = move_delta(state, operator, there)
                if less(change, best, 0.0):
                    best, node = change, there
        for partner in range(operators):
            if state.places[partner] != here:
                change = swap_delta(state, operator, partner)
                if less(change, best, 0.0):
                    best, other = change, partner
        stuck += 1
        looks -= 1
        if improves(state, best):
            if other >= 0:
                swap(state, operator, other)
            else:
                move(state, operator, node)
            stuck = 0
        operator = (operator + 1) % operators
    progress[0], progress[1] = stuck, operator


@compiled
def relocate(state: State) -> None:
    """Pour whole nodes into others while that helps."""
    nodes = len(state.holds)
    for source in range(nodes):
        if state.holds[source] == 0:
            continue
        best, target = move_all_delta(state, source, source), -1
        for node in range(nodes):
            if node != source:
                change = move_all_delta(state, source, node)
                if less(change, best, 0.0):
                    best, target = change, node
        if improves(state, best):
            move_all(state, source, target)


@kernel
def regrow(
    state: State,
    unaware: Completions,
    order: Places,
    width: int,
    rounds: int,
    slack: float,
    generator: Generator,
) -> Places:
    """Take operators out and grow them back, that often; return the best placement met.

    Parameters
    ----------
    state
        Where to start; it ends at the last placement that was taken.
    unaware
        Completions that expect nothing.
    order
        All operators, along paths the earlier ones first.
    width
        How many partial placements go on from one operator to the next.
    slack
        A placement worse than the best by less than this fraction is taken too.
    """
    best, least = state.places.copy(), cost(state)
    for _ in range(rounds):
        out = _taken_out(state, generator)
        count = 0
        for operator in order:
            count += out[operator]
        holes = np.empty(count, dtype=np.int64)
        count = 0
        for operator in order:
            if out[operator]:
                holes[count] = operator
                count += 1
        places = state.places.copy()
        places[holes] = -1
        enough = least + slack * abs(least)
        value, grown = grow(state.terms, unaware, places, holes, width, enough)
        if value < enough:
            put(state, grown)
            if value < least:
                descend(
                    state,
                    np.zeros(2, np.int64),
                    DELTAS // (len(state.places) + len(state.holds)) + 1,
                )
                relocate(state)
                least = cost(state)
                best[:] = state.places
    return best


@compiled
def _taken_out(state: State, generator: Generator) -> Places:
    """Return [operator]: 1 if it is taken out.

    Half of the time all on two or three nodes that exchange streams, else operators that hang
    together.
    """
    terms = state.terms
    operators = len(state.places)
    out = np.zeros(operators, dtype=np.int64)
    most = min(operators, int(generator.integers(FEWEST, MOST + 1)))
    whole_nodes = generator.random() < 0.5
    out[generator.integers(0, operators)] = 1
    taken = 1
    tries = 0
    while taken < most and tries < 4 * most:
        tries += 1
        # A random neighbour of a random one that is out already.
        skip = generator.integers(0, taken)
        operator = 0
        while skip > 0 or not out[operator]:
            skip -= out[operator]
            operator += 1
        if whole_nodes:
            mate = state.first_on[state.places[operator]]
            while mate >= 0:
                taken += 1 - out[mate]
                out[mate] = 1
                mate = state.next_on[mate]
        first, last = terms.stream_starts[operator], terms.stream_starts[operator + 1]
        if first == last or generator.random() < 0.1:
            other = generator.integers(0, operators)
        else:
            other = terms.stream_ends[generator.integers(first, last)]
        taken += 1 - out[other]
        out[other] = 1
    return out
