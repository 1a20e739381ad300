"""Where local searches start (Ecker et al., paper 002, section 4.3.1)."""

import numpy as np

from eyewall_sidecar.heuristic.remaining_capacity import RemainingCapacity
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays, places_of


def current_or_greedy(problem: PlacementProblem, arrays: ProblemArrays) -> Places:
    """Return the current placement, or if an operator runs nowhere yet, a greedy one."""
    current = current_places(problem)
    return greedy(arrays) if current is None else current


def current_places(problem: PlacementProblem) -> Places | None:
    """Return [operator]: the node it runs on; None if one runs nowhere."""
    current = problem.current or {}
    if not all(operator.id in current for operator in problem.operators):
        return None
    return places_of(problem, current)


def greedy(arrays: ProblemArrays) -> Places:
    """Place operators one by one on the first node with room, whatever it costs.

    Those with the fewest candidates come first, then those that need most of what nodes have.
    Where no candidate has room, the one that is least overloaded by the operator: the search that
    starts there has to mend it.
    """
    room = RemainingCapacity(arrays)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = arrays.requirements / arrays.limits.max(axis=1, initial=0.0)[:, None]
    needs = np.nan_to_num(shares, posinf=1.0).max(axis=0, initial=0.0)
    for operator in np.lexsort((-needs, arrays.allowed.sum(axis=1))).tolist():
        holding = room.holding(operator)
        node = int(np.argmax(holding))
        room.put(operator, node if holding[node] else _least_overloaded(room, operator))
    return room.places


def _least_overloaded(room: RemainingCapacity, operator: int) -> int:
    arrays = room.arrays
    loads = room.loads + arrays.requirements[:, operator, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.nan_to_num(loads / arrays.limits, nan=0.0).max(axis=0)
    return int(np.argmin(np.where(arrays.allowed[operator], shares, np.inf)))
