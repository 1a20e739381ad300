"""A placement's value and all its metrics, always computed from the placement itself."""

from collections.abc import Callable, Mapping

from eyewall_sidecar.model import Evaluation, Placement, PlacementProblem, Range
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.availability import availability, log_availability
from eyewall_sidecar.objectives.distinct_availability import distinct_availability
from eyewall_sidecar.objectives.ecker import ecker_score
from eyewall_sidecar.objectives.elastic_energy import elastic_energy
from eyewall_sidecar.objectives.inter_node_traffic import inter_node_traffic
from eyewall_sidecar.objectives.load import forecast_load
from eyewall_sidecar.objectives.network_usage import network_usage
from eyewall_sidecar.objectives.response_time import response_time
from eyewall_sidecar.objectives.weighted_sum import weighted_sum

METRICS: dict[Term, Callable[[PlacementProblem, Placement], float]] = {
    Term.R: response_time,
    Term.A: availability,
    Term.T: inter_node_traffic,
    Term.N: network_usage,
    Term.EE: elastic_energy,
}
"""Term of the papers → the metric that an objective of this term alone reports."""


def evaluate(
    problem: PlacementProblem,
    placement: Placement,
    objective: Objective,
    ranges: Mapping[Term, Range],
) -> Evaluation:
    """Value the placement; `ranges` are needed for an objective of several terms only."""
    metrics = {term: metric(problem, placement) for term, metric in METRICS.items()}
    load = forecast_load(problem, placement)
    metrics |= {Term.L: load.load_response_time, Term.THETA: load.sustainable}
    if objective.ecker:
        value = ecker_score(problem, placement, objective.ecker)
    elif objective.single:
        value = metrics[objective.single]
    else:
        weighed = metrics | {Term.A: log_availability(problem, placement)}
        value = weighted_sum(objective, weighed, ranges)
    return Evaluation(
        value=value,
        metrics=metrics,
        distinct_availability=distinct_availability(problem, placement),
        ranges=dict(ranges) if len(objective.weights) > 1 else {},
        data_unit=problem.data_unit,
    )
