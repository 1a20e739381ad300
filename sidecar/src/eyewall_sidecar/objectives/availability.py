"""Availability: every operator's node and every stream's link is up, A = Π A_u · Π A_(u,v).

Cardellini et al., "Optimal operator placement" (paper 000), section 4.1, equations (5) to (8).
"""

from math import inf, log, prod

from eyewall_sidecar.model import Placement, PlacementProblem


def availability(problem: PlacementProblem, placement: Placement) -> float:
    """Probability in [0, 1], equation (5).

    A node that holds three operators counts three times; a stream within a node has a perfect
    link. `distinct_availability` counts each once.
    """
    nodes = prod(
        problem.node(placement[operator.id]).availability for operator in problem.operators
    )
    links = prod(
        problem.availability(placement[stream.source], placement[stream.target])
        for stream in problem.streams
    )
    return nodes * links


def log_availability(problem: PlacementProblem, placement: Placement) -> float:
    """Equation (8), what the integer program and the weighted sum use: log A, −∞ for A = 0."""
    nodes = sum(
        logarithm(problem.node(placement[operator.id]).availability)
        for operator in problem.operators
    )
    links = sum(
        logarithm(problem.availability(placement[stream.source], placement[stream.target]))
        for stream in problem.streams
    )
    return nodes + links


def logarithm(probability: float) -> float:
    """The natural logarithm, with that of 0 as −∞."""
    return log(probability) if probability > 0 else -inf
