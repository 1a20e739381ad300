"""Availability with each node and link in use counted once.

What independent failures really give: paper 000, equation (5), counts a node once for every
operator it holds, although its operators fail together.
"""

from math import prod

from eyewall_sidecar.model import Placement, PlacementProblem


def distinct_availability(problem: PlacementProblem, placement: Placement) -> float:
    """Probability in [0, 1] that all nodes and all links (each direction) in use are up."""
    nodes = {placement[operator.id] for operator in problem.operators}
    links = {(placement[stream.source], placement[stream.target]) for stream in problem.streams}
    return prod(problem.node(node).availability for node in sorted(nodes)) * prod(
        problem.availability(source, target) for source, target in sorted(links)
    )
