"""Of placements that are worth the same, the one that moves the fewest operators.

A policy optimises the objective alone, and an objective leaves much open: which of two equal
executors goes where, or where an acker runs that no path of the response time touches.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from eyewall_sidecar.model import Placement, PlacementProblem, Solution, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate

TOLERANCE = 1e-9


def with_fewest_moves(
    problem: PlacementProblem,
    objective: Objective,
    solution: Solution,
    interchangeable: Iterable[tuple[str, ...]],
    late: Callable[[], bool],
) -> Solution:
    """Take back moves that gain nothing, until it is late; the value is never worse for it."""
    if solution.placement is None or solution.evaluation is None or not problem.current:
        return solution
    ranges = {Term(name): it for name, it in solution.evaluation.ranges.items()}
    value = solution.evaluation.value
    placement: dict[str, str] = dict(solution.placement)
    for changes in _taken_back(interchangeable, placement, problem.current):
        if late():
            break
        tried = placement | changes
        if problem.moves(tried) < problem.moves(placement) and not violations(problem, tried):
            then = evaluate(problem, tried, objective, ranges).value
            loss = value - then if objective.maximised else then - value
            if loss <= TOLERANCE * max(1.0, abs(value)):
                placement |= changes
    if placement == solution.placement:
        return solution
    return replace(
        solution,
        placement=placement,
        evaluation=evaluate(problem, placement, objective, ranges),
        moves=problem.moves(placement),
    )


def _taken_back(
    interchangeable: Iterable[tuple[str, ...]], placement: Placement, current: Placement
) -> Iterator[dict[str, str]]:
    """Changes to a placement, which may change meanwhile, towards the current one."""
    for group in interchangeable:
        yield _exchanged(group, placement, current)
    for operator, node in current.items():
        if placement[operator] != node:
            yield {operator: node}


def _exchanged(group: tuple[str, ...], placement: Placement, current: Placement) -> dict[str, str]:
    """Let the group take the same nodes, each member its own one where that is among them."""
    nodes = Counter(placement[it] for it in group)
    exchanged: dict[str, str] = {}
    for operator in group:
        if nodes[node := current.get(operator, "")] > 0:
            exchanged[operator] = node
            nodes[node] -= 1
    left = iter(sorted(nodes.elements()))
    return exchanged | {it: next(left) for it in group if it not in exchanged}
