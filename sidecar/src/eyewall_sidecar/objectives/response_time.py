"""Response time: the longest way from a source to a sink, R = max_p R_p.

Cardellini et al., "Optimal operator placement" (paper 000), section 4.1, equations (1) to (4).
Streams that run in circles are cut as in Ecker et al. (paper 002), algorithm 3; system streams
are on no path.
"""

from eyewall_sidecar.model import Placement, PlacementProblem


def response_time(problem: PlacementProblem, placement: Placement) -> float:
    """Seconds from source to sink on the slowest path: Σ R_i / S_u over its operators + Σ d.

    An operator is done when its last input has arrived and it has worked on it; the last one to
    be done ends the longest path.
    """
    done: dict[str, float] = {}
    for operator, sources in problem.path_inputs.items():
        node = placement[operator]
        arrivals = (done[source] + problem.delay(placement[source], node) for source in sources)
        work = problem.operator(operator).execution_time / problem.node(node).speedup
        done[operator] = max(arrivals, default=0.0) + work
    return max(done.values(), default=0.0)
