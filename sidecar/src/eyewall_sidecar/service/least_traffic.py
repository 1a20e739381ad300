"""Of placements that are worth the same, one with less traffic in flight.

The response time is one path's: it says nothing of an acker, or of streams beside that path. What
it leaves open is not left to chance, which would send acks around the world.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from eyewall_sidecar.model import Placement, PlacementProblem, Solution, Stream, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate

TOLERANCE = 1e-9


def with_least_traffic(
    problem: PlacementProblem, objective: Objective, solution: Solution, late: Callable[[], bool]
) -> Solution:
    """Move operators towards those they talk to while that costs the objective nothing.

    Operators that stay on their current node are left there. A step takes one operator to the node
    of one of its neighbours and lowers the network usage (paper 000, equation 20), so steps end;
    they end earlier when it is late.
    """
    if solution.placement is None or solution.evaluation is None:
        return solution
    ranges = {Term(name): it for name, it in solution.evaluation.ranges.items()}
    placement: dict[str, str] = dict(solution.placement)
    current = problem.current or {}
    movable = [it.id for it in problem.operators if placement[it.id] != current.get(it.id)]
    streams = _streams(problem)
    least = solution.evaluation.value

    def loses(value: float) -> bool:
        loss = least - value if objective.maximised else value - least
        return loss > TOLERANCE * max(1.0, abs(least))

    def moved_nearer(operator: str) -> bool:
        moved = False
        own = streams[operator]
        ends = {end for stream in own for end in (stream.source, stream.target)}
        for node in sorted({placement[end] for end in ends}):
            if late():
                break
            tried = placement | {operator: node}
            if (
                _in_flight(problem, own, placement) - _in_flight(problem, own, tried) > TOLERANCE
                and not violations(problem, tried)
                and not loses(evaluate(problem, tried, objective, ranges).value)
            ):
                placement[operator] = node
                moved = True
        return moved

    better = True
    while better:
        better = False
        for operator in movable:
            better |= moved_nearer(operator)
    if placement == solution.placement:
        return solution
    return replace(
        solution,
        placement=placement,
        evaluation=evaluate(problem, placement, objective, ranges),
        moves=problem.moves(placement),
    )


def _streams(problem: PlacementProblem) -> dict[str, list[Stream]]:
    """Operator → the streams that it sends or receives."""
    found: defaultdict[str, list[Stream]] = defaultdict(list)
    for stream in problem.streams:
        for end in {stream.source, stream.target}:
            found[end].append(stream)
    return found


def _in_flight(problem: PlacementProblem, streams: Iterable[Stream], placement: Placement) -> float:
    return sum(
        stream.rate * problem.delay(placement[stream.source], placement[stream.target])
        for stream in streams
    )
