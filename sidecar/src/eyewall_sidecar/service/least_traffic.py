"""Of placements that are worth the same, one with less traffic in flight.

The response time is one path's: it says nothing of an acker, or of streams beside that path. What
it leaves open is not left to chance, which would send acks around the world.
"""

from collections import defaultdict
from dataclasses import replace

from eyewall_sidecar.model import Placement, PlacementProblem, Solution, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.qos import evaluate

TOLERANCE = 1e-9


def with_least_traffic(
    problem: PlacementProblem, objective: Objective, solution: Solution
) -> Solution:
    """Move operators towards those they talk to while that costs the objective nothing.

    Operators that stay on their current node are left there. A step takes one operator to the node
    of one of its neighbours and lowers the network usage (paper 000, equation 20), so steps end.
    """
    if solution.placement is None or solution.evaluation is None:
        return solution
    ranges = {Term(name): it for name, it in solution.evaluation.ranges.items()}
    placement: dict[str, str] = dict(solution.placement)
    current = problem.current or {}
    movable = [it.id for it in problem.operators if placement[it.id] != current.get(it.id)]
    neighbours = _neighbours(problem)
    least = solution.evaluation.value

    def loses(value: float) -> bool:
        loss = least - value if objective.maximised else value - least
        return loss > TOLERANCE * max(1.0, abs(least))

    better = True
    while better:
        better = False
        for operator in movable:
            for node in sorted({placement[it] for it in neighbours[operator]}):
                tried = placement | {operator: node}
                saved = _in_flight(problem, operator, placement)
                saved -= _in_flight(problem, operator, tried)
                if (
                    saved > TOLERANCE
                    and not violations(problem, tried)
                    and not loses(evaluate(problem, tried, objective, ranges).value)
                ):
                    placement, better = tried, True
    return replace(
        solution,
        placement=placement,
        evaluation=evaluate(problem, placement, objective, ranges),
        moves=problem.moves(placement),
    )


def _neighbours(problem: PlacementProblem) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for stream in problem.streams:
        found[stream.source].add(stream.target)
        found[stream.target].add(stream.source)
    return found


def _in_flight(problem: PlacementProblem, operator: str, placement: Placement) -> float:
    return sum(
        stream.rate * problem.delay(placement[stream.source], placement[stream.target])
        for stream in problem.streams
        if operator in (stream.source, stream.target)
    )
