"""Elastic energy of the streams as springs, Σ λ·d².

Cardellini et al., "Optimal operator placement" (paper 000), section 5, equation (21).
"""

from eyewall_sidecar.model import Placement, PlacementProblem


def elastic_energy(problem: PlacementProblem, placement: Placement) -> float:
    """Data rate times delay squared over all streams, in tuples · s or bytes · s.

    Streams within a node have no delay and add nothing.
    """
    return sum(
        problem.data_rate(stream)
        * problem.delay(placement[stream.source], placement[stream.target]) ** 2
        for stream in problem.streams
    )
