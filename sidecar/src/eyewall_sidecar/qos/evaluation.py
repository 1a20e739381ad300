"""A placement's value and all its metrics, always computed from the placement itself."""

from collections.abc import Callable, Mapping

from eyewall_sidecar.model import Evaluation, Placement, PlacementProblem, Range
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.qos.availability import availability, log_availability
from eyewall_sidecar.qos.distinct_availability import distinct_availability
from eyewall_sidecar.qos.ecker import ecker_score
from eyewall_sidecar.qos.elastic_energy import elastic_energy
from eyewall_sidecar.qos.inter_node_traffic import inter_node_traffic
from eyewall_sidecar.qos.network_usage import network_usage
from eyewall_sidecar.qos.response_time import response_time
from eyewall_sidecar.qos.weighted_sum import weighted_sum

METRICS: dict[Term, Callable[[PlacementProblem, Placement], float]] = {
    Term.R: response_time,
    Term.A: availability,
    Term.T: inter_node_traffic,
    Term.N: network_usage,
    Term.EE: elastic_energy,
}
"""Term → the metric that an objective of this term alone reports."""

WEIGHED = METRICS | {Term.A: log_availability}
"""Term → what the weighted sum normalises: log A in place of A."""


def evaluate(
    problem: PlacementProblem,
    placement: Placement,
    objective: Objective,
    ranges: Mapping[Term, Range],
) -> Evaluation:
    """Value the placement; `ranges` are needed for an objective of several terms only."""
    return Evaluation(
        value=_value(problem, placement, objective, ranges),
        response_time=response_time(problem, placement),
        availability=availability(problem, placement),
        distinct_availability=distinct_availability(problem, placement),
        inter_node_traffic=inter_node_traffic(problem, placement),
        network_usage=network_usage(problem, placement),
        elastic_energy=elastic_energy(problem, placement),
        ranges={str(term): it for term, it in ranges.items()} if len(objective.weights) > 1 else {},
    )


def _value(
    problem: PlacementProblem,
    placement: Placement,
    objective: Objective,
    ranges: Mapping[Term, Range],
) -> float:
    if objective.ecker:
        return ecker_score(problem, placement, objective.ecker)
    if objective.single:
        return METRICS[objective.single](problem, placement)
    values = {term: WEIGHED[term](problem, placement) for term in objective.weights}
    return weighted_sum(objective, values, ranges)
