"""What a placement breaks: the constraints (11), (12) and (17) of paper 000, checked directly."""

from collections import defaultdict

from eyewall_sidecar.model.problem import Placement, PlacementProblem

TOLERANCE = 1e-9
"""A load may exceed a capacity by this fraction of it: sums of decimals are not exact."""


def exceeds(load: float, capacity: float) -> bool:
    """Whether the load is more than the capacity holds."""
    return load > capacity + TOLERANCE * max(1.0, capacity)


def violations(problem: PlacementProblem, placement: Placement) -> tuple[str, ...]:
    """Sentences, one for each constraint that the placement breaks; none if it is valid."""
    lost = [it.id for it in problem.operators if it.id not in placement]
    if lost:
        return tuple(f"operator {operator} is placed nowhere" for operator in lost)
    strayed = [
        f"operator {it.id} is on {placement[it.id]}, which is not among its candidates"
        for it in problem.operators
        if placement[it.id] not in problem.candidates(it.id)
    ]
    if strayed:
        return tuple(strayed)
    return (*_overloaded_nodes(problem, placement), *_saturated_links(problem, placement))


def _overloaded_nodes(problem: PlacementProblem, placement: Placement) -> list[str]:
    found = []
    for resource in problem.resources:
        loads: defaultdict[str, float] = defaultdict(float)
        for operator in problem.operators:
            loads[placement[operator.id]] += operator.requirement(resource)
        for node in problem.nodes:
            capacity = node.capacity(resource)
            if exceeds(loads[node.id], capacity):
                found.append(
                    f"node {node.id}: {resource} {loads[node.id]:g} placed, {capacity:g} there"
                )
    return found


def _saturated_links(problem: PlacementProblem, placement: Placement) -> list[str]:
    loads: defaultdict[tuple[str, str], float] = defaultdict(float)
    for stream in problem.streams:
        ends = placement[stream.source], placement[stream.target]
        loads[ends] += stream.rate * (stream.tuple_bytes or 0.0)
    return [
        f"link {source} → {target}: {load:g} bytes/s placed, {limit:g} there"
        for (source, target), load in loads.items()
        if exceeds(load, limit := problem.bandwidth(source, target))
    ]
