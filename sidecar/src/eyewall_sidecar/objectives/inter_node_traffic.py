"""Inter-node traffic: what leaves a node, Σ λ.

Cardellini et al., "Optimal operator placement" (paper 000), section 5, equation (19).
"""

from eyewall_sidecar.model import Placement, PlacementProblem


def inter_node_traffic(problem: PlacementProblem, placement: Placement) -> float:
    """Tuples/s or bytes/s over the streams whose ends are on different nodes."""
    return sum(
        problem.data_rate(stream)
        for stream in problem.streams
        if placement[stream.source] != placement[stream.target]
    )
