"""Which operators are on a node: linked lists, so that to come and to go cost little anywhere."""

from eyewall_sidecar.heuristic.evaluation_state import NOBODY, State
from eyewall_sidecar.model.compilation import subroutine


@subroutine
def enlist(state: State, operator: int, node: int) -> None:
    """Add the operator to those on the node."""
    first = state.first_on[node]
    state.next_on[operator], state.previous_on[operator] = first, NOBODY
    if first != NOBODY:
        state.previous_on[first] = operator
    state.first_on[node] = operator
    state.holds[node] += 1


@subroutine
def strike(state: State, operator: int, node: int) -> None:
    """Take the operator off the node."""
    following, previous = state.next_on[operator], state.previous_on[operator]
    if previous == NOBODY:
        state.first_on[node] = following
    else:
        state.next_on[previous] = following
    if following != NOBODY:
        state.previous_on[following] = previous
    state.holds[node] -= 1
