"""The changes that a local search tries (Ecker et al., paper 002, section 4.3.1).

Each neighbourhood numbers its changes, so that a search can look at some, ask whether it shall
stop, and go on with the next ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from eyewall_sidecar.heuristic.evaluation_state import NOBODY, State
from eyewall_sidecar.heuristic.evaluator import (
    ROUNDING,
    PlacementChange,
    finite_cost,
    improves,
    less,
    move_all_delta,
    move_delta,
    swap_delta,
)
from eyewall_sidecar.heuristic.evaluator import move as make_move
from eyewall_sidecar.heuristic.evaluator import move_all as make_move_all
from eyewall_sidecar.heuristic.evaluator import swap as make_swap
from eyewall_sidecar.model.compilation import kernel


class NeighbourhoodStep(NamedTuple):
    """One change: which two things it is about (−1: there is none), and what it changes."""

    one: int
    other: int
    change: PlacementChange


NO_STEP = NeighbourhoodStep(NOBODY, NOBODY, PlacementChange(0, 0.0, 0, 0.0))


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """One kind of change.

    Parameters
    ----------
    name
        What it is called.
    size
        How many changes of this kind a placement has.
    best
        (state, first, last, best so far) → the best step among the changes of these numbers, if
        it makes the placement better and is better than the best so far, else the latter.
    make
        Makes a step.
    """

    name: str
    size: Callable[[State], int]
    best: Callable[[State, int, int, NeighbourhoodStep], NeighbourhoodStep]
    make: Callable[[State, int, int], None]


@kernel
def _best_move(state: State, first: int, last: int, best: NeighbourhoodStep) -> NeighbourhoodStep:
    nodes = len(state.holds)
    rounding = ROUNDING * abs(finite_cost(state))
    for number in range(first, last):
        operator, node = number // nodes, number % nodes
        if state.places[operator] == node or not state.terms.allowed[operator, node]:
            continue
        change = move_delta(state, operator, node)
        if improves(state, change) and less(change, best.change, rounding):
            best = NeighbourhoodStep(operator, node, change)
    return best


@kernel
def _best_swap(state: State, first: int, last: int, best: NeighbourhoodStep) -> NeighbourhoodStep:
    operators, allowed = len(state.places), state.terms.allowed
    rounding = ROUNDING * abs(finite_cost(state))
    for number in range(first, last):
        one, other = number // operators, number % operators
        u, v = state.places[one], state.places[other]
        if one >= other or u == v or not (allowed[one, v] and allowed[other, u]):
            continue
        change = swap_delta(state, one, other)
        if improves(state, change) and less(change, best.change, rounding):
            best = NeighbourhoodStep(one, other, change)
    return best


@kernel
def _best_move_all(
    state: State, first: int, last: int, best: NeighbourhoodStep
) -> NeighbourhoodStep:
    nodes = len(state.holds)
    rounding = ROUNDING * abs(finite_cost(state))
    for number in range(first, last):
        source, target = number // nodes, number % nodes
        if source == target or state.holds[source] == 0:
            continue
        change = move_all_delta(state, source, target)
        if improves(state, change) and less(change, best.change, rounding):
            best = NeighbourhoodStep(source, target, change)
    return best


MOVE = Neighbourhood(
    "move one operator to another node",
    lambda state: len(state.places) * len(state.holds),
    _best_move,
    make_move,
)
SWAP = Neighbourhood(
    "swap two operators that are not co-located",
    lambda state: len(state.places) ** 2,
    _best_swap,
    make_swap,
)
MOVE_ALL = Neighbourhood(
    "move all operators of a node to another",
    lambda state: len(state.holds) ** 2,
    _best_move_all,
    make_move_all,
)
