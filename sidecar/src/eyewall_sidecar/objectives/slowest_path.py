"""The way that the response time is the length of, step by step.

Cardellini et al., "Optimal operator placement" (paper 000), section 4.1, equations (1) to (4).
"""

from dataclasses import dataclass

from eyewall_sidecar.model import Placement, PlacementProblem


@dataclass(frozen=True, slots=True)
class PathStep:
    """An operator on the way.

    Parameters
    ----------
    operator
        Which.
    delay
        Seconds to get there from the step before; 0 for the first.
    work
        Seconds that it works on one tuple, R_i / S_u.
    """

    operator: str
    delay: float
    work: float


def slowest_path(problem: PlacementProblem, placement: Placement) -> tuple[PathStep, ...]:
    """Return the slowest path from its source to its sink; empty without operators on paths.

    Delays and work, added up in this order, are the `response_time` to the last bit. Of paths that
    take equally long it is the one that is listed first.
    """
    done: dict[str, float] = {}
    steps: dict[str, PathStep] = {}
    before: dict[str, str] = {}
    for operator, sources in problem.path_inputs.items():
        node, delay, arrival = placement[operator], 0.0, 0.0
        for source in sources:
            hop = problem.delay(placement[source], node)
            if operator not in before or done[source] + hop > arrival:
                before[operator], delay, arrival = source, hop, done[source] + hop
        work = problem.operator(operator).execution_time / problem.node(node).speedup
        done[operator] = arrival + work
        steps[operator] = PathStep(operator, delay, work)
    path: list[PathStep] = []
    going_on = {source for sources in problem.path_inputs.values() for source in sources}
    sinks = [it for it in done if it not in going_on]
    last = max(sinks, key=lambda it: done[it], default=None)
    while last is not None:
        path.append(steps[last])
        last = before.get(last)
    return tuple(reversed(path))
