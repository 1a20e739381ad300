"""Network usage: the traffic in flight, Σ λ·d.

Cardellini et al., "Optimal operator placement" (paper 000), section 5, equation (20).
"""

from eyewall_sidecar.model import Placement, PlacementProblem


def network_usage(problem: PlacementProblem, placement: Placement) -> float:
    """Tuples or bytes in transit between nodes (data rate times delay in s).

    Streams within a node have no delay and add nothing.
    """
    return sum(
        problem.data_rate(stream)
        * problem.delay(placement[stream.source], placement[stream.target])
        for stream in problem.streams
    )
