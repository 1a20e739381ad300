"""Of placements that are worth the same, the one that moves the fewest operators.

A policy optimises the objective alone, and an objective leaves much open: which of two equal
executors goes where, or where an acker runs that no path of the response time touches.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from eyewall_sidecar.model import Placement, PlacementProblem, Range, Solution, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.qos import evaluate

TOLERANCE = 1e-9


def with_fewest_moves(
    problem: PlacementProblem,
    objective: Objective,
    solution: Solution,
    interchangeable: Iterable[tuple[str, ...]],
) -> Solution:
    """Take back every move that gains nothing; the solution's value is never worse for it."""
    if solution.placement is None or solution.evaluation is None or not problem.current:
        return solution
    ranges = {Term(name): it for name, it in solution.evaluation.ranges.items()}
    placement: dict[str, str] = dict(solution.placement)
    for group in interchangeable:
        exchanged = placement | _exchanged(group, placement, problem.current)
        placement = _better(problem, objective, ranges, placement, exchanged)
    for operator, node in problem.current.items():
        if placement[operator] != node:
            back = placement | {operator: node}
            placement = _better(problem, objective, ranges, placement, back)
    return replace(
        solution,
        placement=placement,
        evaluation=evaluate(problem, placement, objective, ranges),
        moves=problem.moves(placement),
    )


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


def _better(
    problem: PlacementProblem,
    objective: Objective,
    ranges: Mapping[Term, Range],
    placement: dict[str, str],
    tried: dict[str, str],
) -> dict[str, str]:
    """Return the one tried if it is valid, moves fewer and is worth no less."""
    if problem.moves(tried) >= problem.moves(placement) or violations(problem, tried):
        return placement
    now = evaluate(problem, placement, objective, ranges).value
    then = evaluate(problem, tried, objective, ranges).value
    loss = now - then if objective.maximised else then - now
    return placement if loss > TOLERANCE * max(1.0, abs(now)) else tried
