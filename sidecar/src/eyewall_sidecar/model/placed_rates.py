"""A problem's rates and demands as shuffles make them in one placement."""

from dataclasses import replace

from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.model.problem import Placement, PlacementProblem


def as_placed(problem: PlacementProblem, placement: Placement) -> PlacementProblem:
    """Return the problem with the rates and measured demands of a placement, not an even spread's.

    It is the same problem if nothing is shuffled, or if not all operators are placed.
    """
    known = {it.id for it in problem.nodes}
    if all(it.shuffle is None for it in problem.streams) or any(
        placement.get(it.id) not in known for it in problem.operators
    ):
        return problem
    operators, streams = ProblemArrays.of(problem).shuffles.multiples(
        [places_of(problem, placement)]
    )
    return replace(
        problem,
        operators=tuple(
            it if it.demand is None else replace(it, demand=it.demand * multiple)
            for it, multiple in zip(problem.operators, operators.tolist(), strict=True)
        ),
        streams=tuple(
            replace(it, rate=it.rate * multiple, shuffle=None)
            for it, multiple in zip(problem.streams, streams.tolist(), strict=True)
        ),
    )
