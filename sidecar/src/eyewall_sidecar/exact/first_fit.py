"""A placement found in one pass: what is answered when the time limit leaves nothing better."""

from collections import defaultdict

from eyewall_sidecar.model import Placement, PlacementProblem, violations
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import places_of
from eyewall_sidecar.model.violations import exceeds


def first_fit(problem: PlacementProblem) -> Placement | None:
    """Place one operator after the other on the node with room that is nearest to its neighbours.

    Operators with the fewest candidates come first, then those at the start of the paths. None if
    an operator finds no room or the result breaks a constraint.
    """
    neighbours = defaultdict(set)
    for stream in problem.streams:
        neighbours[stream.source].add(stream.target)
        neighbours[stream.target].add(stream.source)
    order = {operator: place for place, operator in enumerate(problem.path_inputs)}
    waiting = sorted(
        (operator.id for operator in problem.operators),
        key=lambda it: (len(problem.candidates(it)), order.get(it, len(order))),
    )
    placement: dict[str, str] = {}
    loads: defaultdict[tuple[str, str], float] = defaultdict(float)
    for operator in waiting:
        needs = {it: problem.operator(operator).requirement(it) for it in problem.resources}
        near = [placement[other] for other in neighbours[operator] if other in placement]
        roomy = [
            node
            for node in problem.candidates(operator)
            if not any(
                exceeds(loads[node, resource] + need, problem.node(node).capacity(resource))
                for resource, need in needs.items()
            )
        ]
        if not roomy:
            return None
        placement[operator] = min(
            roomy, key=lambda node: sum(problem.delay(node, other) for other in near)
        )
        for resource, need in needs.items():
            loads[placement[operator], resource] += need
    return None if violations(problem, placement) else placement


def known_placements(problem: PlacementProblem) -> list[Places]:
    """Return the placement that runs, if all operators do, and the first fit: where to begin."""
    known = (problem.current, first_fit(problem))
    return [
        places_of(problem, it)
        for it in known
        if it is not None and len(it) == len(problem.operators)
    ]
