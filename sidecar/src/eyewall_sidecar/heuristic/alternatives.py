"""What the constraints leave beside a placement, and what each of them rejects."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.heuristic.remaining_capacity import RemainingCapacity
from eyewall_sidecar.model import Alternatives, PlacementProblem, Solution
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.ecker import with_headroom

POSSIBLE, HERE, FIRST = range(3)
"""What `rejecting` returns where no constraint rejects, where the operator is, and for the first of
`constraints`."""


def constraints(problem: PlacementProblem) -> tuple[str, ...]:
    """Return the names of constraints in the order in which they are asked."""
    return ("candidates", *problem.resources, "bandwidth")


def with_alternatives(
    problem: PlacementProblem, objective: Objective, solution: Solution
) -> Solution:
    """Add to an answer what the constraints leave beside it; Ecker's score has its own."""
    arrays = ProblemArrays.of(with_headroom(problem) if objective.ecker else problem)
    placement = solution.placement
    places = None if placement is None else places_of(problem, placement)
    names = constraints(problem)
    counts = np.bincount(rejecting(arrays, places).ravel(), minlength=FIRST + len(names)).tolist()
    rejected = {name: count for name, count in zip(names, counts[FIRST:], strict=True) if count}
    return replace(solution, alternatives=Alternatives(counts[POSSIBLE], rejected))


def rejecting(arrays: ProblemArrays, places: Places | None) -> NDArray[np.int64]:
    """Return [operator, node]: the constraint that keeps the operator from going there alone.

    It is FIRST and the place of the first one in `constraints`, POSSIBLE if none does, and HERE
    where the operator is. Bandwidth is a matter between operators: without a placement it rejects
    nothing.

    Parameters
    ----------
    places
        [operator]: the place of its node in a valid placement; None: the nodes are empty.
    """
    found = np.full((arrays.operators, arrays.nodes), POSSIBLE, dtype=np.int64)
    resources = len(arrays.requirements)
    if places is not None and np.isfinite(arrays.bandwidths).any():
        found[_saturating(arrays, places)] = FIRST + 1 + resources
    for row in reversed(range(resources)):
        needs = arrays.requirements[row]
        loads = np.zeros(arrays.nodes)
        if places is not None:
            np.add.at(loads, places, needs)
        full = (needs[:, None] > 0) & (loads + needs[:, None] > arrays.limits[row])
        found[full] = FIRST + 1 + row
    found[~arrays.allowed] = FIRST
    if places is not None:
        found[np.arange(arrays.operators), places] = HERE
    return found


def _saturating(arrays: ProblemArrays, places: Places) -> NDArray[np.bool_]:
    """Return [operator, node]: whether there is no room there, be it on the links."""
    room = RemainingCapacity(arrays)
    for operator, node in enumerate(places.tolist()):
        room.put(operator, node)
    saturating = np.zeros((arrays.operators, arrays.nodes), dtype=np.bool_)
    for operator, node in enumerate(places.tolist()):
        room.take_back(operator)
        saturating[operator] = ~room.holding(operator)
        room.put(operator, node)
    return saturating
