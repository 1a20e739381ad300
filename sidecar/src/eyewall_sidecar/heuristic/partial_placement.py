"""Placements that lack operators: what compiled searches that complete them need to know.

A missing operator's place is −1. Everything works on `Terms`, as the evaluator does.
"""

import numpy as np

from eyewall_sidecar.heuristic.evaluation_state import Terms
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.objectives.costs import Costs


def without_response(arrays: ProblemArrays, costs: Costs) -> Costs:
    """Return costs that are the same for every placement, the response time a sum if it can be.

    It is a sum where one path is all there is: a bound of the sum is then tighter than bounds of
    its parts. Operators that differ in execution time keep it as it was, as costs are by node.
    """
    times = np.unique(arrays.execution_times)
    if not costs.response or len(times) != 1 or not _is_one_path(arrays):
        return costs
    return Costs(
        response=0.0,
        per_operator=costs.per_operator + costs.response * times[0] / arrays.speedups,
        per_rate=costs.per_rate,
        per_stream=costs.per_stream + costs.response * arrays.delays,
        data_rates=costs.data_rates,
    )


def _is_one_path(arrays: ProblemArrays) -> bool:
    """Whether every operator is on the one path that there is, and every stream is a step of it."""
    steps = arrays.operators - 1
    return (
        len(arrays.path_order) == arrays.operators
        and len(arrays.path_sources) == len(arrays.sources) == steps
        and len(np.unique(arrays.path_sources)) == steps
        and len(np.unique(arrays.path_targets)) == steps
    )


@compiled
def total(terms: Terms, places: Places, done: Floats) -> float:
    """Return what those that are placed cost; `done` is filled as `arrivals` does."""
    cost = additive(terms, places)
    if terms.response > 0.0:
        cost += terms.response * arrivals(terms, places, done)
    return cost


@compiled
def additive(terms: Terms, places: Places) -> float:
    """Return what those that are placed cost, the response time aside."""
    cost = 0.0
    for operator in range(len(places)):
        node = places[operator]
        if node < 0:
            continue
        cost += terms.per_operator[node]
        for at in range(terms.stream_starts[operator], terms.stream_starts[operator + 1]):
            end = places[terms.stream_ends[at]]
            if terms.stream_out[at] and end >= 0:
                cost += terms.stream_rates[at] * terms.per_rate[node, end]
                cost += terms.per_stream[node, end]
    return cost


@compiled
def arrivals(terms: Terms, places: Places, done: Floats) -> float:
    """Fill [operator]: seconds from a source until it is done; return the last.

    Missing operators take no time and are nowhere: no delay to them, or from them.
    """
    last = 0.0
    for operator in terms.order:
        node = places[operator]
        start = 0.0
        for at in range(terms.input_starts[operator], terms.input_starts[operator + 1]):
            sender = terms.inputs[at]
            time = done[sender]
            if node >= 0 and places[sender] >= 0:
                time += terms.delays[places[sender], node]
            start = max(start, time)
        if node >= 0:
            start += terms.execution_times[operator] / terms.speedups[node]
        done[operator] = start
        last = max(last, start)
    return last


@compiled
def fill_own(terms: Terms, places: Places, operator: int, own: Floats) -> None:
    """Fill [node]: what the operator adds there to those that are placed, paths aside."""
    own[:] = terms.per_operator
    for at in range(terms.stream_starts[operator], terms.stream_starts[operator + 1]):
        other, rate = places[terms.stream_ends[at]], terms.stream_rates[at]
        if other >= 0 and terms.stream_out[at]:
            for node in range(len(own)):
                own[node] += rate * terms.per_rate[node, other] + terms.per_stream[node, other]
        elif other >= 0:
            for node in range(len(own)):
                own[node] += rate * terms.per_rate[other, node] + terms.per_stream[other, node]


@compiled
def room_left(terms: Terms, places: Places) -> Floats:
    """Return [resource, node]: what those that are placed leave of the limits."""
    left = terms.limits.copy()
    for operator in range(len(places)):
        if places[operator] >= 0:
            left[:, places[operator]] -= terms.requirements[:, operator]
    return left


@compiled
def links_hold(terms: Terms, places: Places) -> bool:
    """Whether no link carries more than its bandwidth between those that are placed."""
    if len(terms.link_limits) == 0:
        return True
    left = terms.link_limits.copy()
    for operator in range(len(places)):
        node = places[operator]
        for at in range(terms.stream_starts[operator], terms.stream_starts[operator + 1]):
            end = places[terms.stream_ends[at]]
            if terms.stream_out[at] and node >= 0 and end >= 0:
                left[node, end] -= terms.stream_bytes[at]
                if left[node, end] < 0.0:
                    return False
    return True
