"""Several terms as one number: each normalised to [0, 1], weighted and summed.

Cardellini et al., "Optimal operator placement" (paper 000), equation (9), extended by the network
terms as in equation (22), and by any number of them.
"""

from collections.abc import Mapping
from math import inf, isinf

from eyewall_sidecar.model import Range
from eyewall_sidecar.objective import Objective, Term


def weighted_sum(
    objective: Objective, values: Mapping[Term, float], ranges: Mapping[Term, Range]
) -> float:
    """F = Σ w · (worse − value) / (worse − better), greater is better.

    1 for a placement that is the best for every term. For availability, value, worse and better
    are logarithms. A term whose better and worse coincide counts 0, unless the placement fails
    for certain (log A is −∞) while others do not.
    """
    return sum(
        weight * _normalised(values[term], ranges[term])
        for term, weight in objective.weights.items()
    )


def _normalised(value: float, values: Range) -> float:
    if values.coincide:
        return -inf if isinf(value) and not isinf(values.better) else 0.0
    return (values.worse - value) / (values.worse - values.better)
