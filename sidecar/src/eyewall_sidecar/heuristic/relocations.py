"""The values of a placement with one operator on each other node and all others where they are.

All nodes at once, by sums over the operator's own streams. On a thousand nodes this takes
milliseconds, and `objectives.evaluate` for each placement takes minutes; both agree up to rounding.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from eyewall_contracts.objective_terms import LOAD_TERMS, PAPER_TERMS

from eyewall_sidecar.model import Range
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import EckerWeights, Objective, Term
from eyewall_sidecar.objectives.costs import weigh
from eyewall_sidecar.objectives.ecker import MILLISECONDS
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from eyewall_sidecar.objectives.weighted_sum import weighted_sum


@dataclass(frozen=True, slots=True, eq=False)
class Relocations:
    """[node]: the value of the placement with the operator there.

    Parameters
    ----------
    value
        The objective.
    metrics
        Term → the metric, as an objective of this term alone reports it.
    """

    value: Floats
    metrics: Mapping[Term, Floats]


def evaluate_relocations(
    arrays: ProblemArrays,
    places: Places,
    operator: int,
    objective: Objective,
    ranges: Mapping[Term, Range],
) -> Relocations:
    """Evaluate all placements that differ in the node of this operator alone.

    Parameters
    ----------
    places
        [operator]: the place of its node now.
    operator
        Its place in the problem.
    ranges
        For an objective of several terms.
    """
    streams = _Streams(arrays, places, operator)
    logs = (
        np.delete(arrays.node_logs[places], operator).sum()
        + arrays.node_logs
        + streams.summed(arrays.link_logs)
    )
    metrics = {
        Term.R: response_times(arrays, places, operator, arrays.execution_times),
        Term.A: np.exp(logs),
    }
    others = np.delete(places, operator)
    for term in PAPER_TERMS:
        if term not in metrics:
            costs = weigh(arrays, {term: 1.0})
            metrics[term] = (
                costs.per_operator[others].sum()
                + costs.per_operator
                + streams.summed(costs.per_rate, costs.data_rates)
                + streams.summed(costs.per_stream)
            )
    metrics |= _under_load(arrays, places, operator)
    if objective.ecker:
        value = _ecker(arrays, places, operator, streams, objective.ecker)
    elif objective.single:
        value = metrics[objective.single]
    else:
        weighed = metrics | {Term.A: logs}
        value = np.array(
            [
                weighted_sum(objective, {it: float(weighed[it][node]) for it in weighed}, ranges)
                for node in range(arrays.nodes)
            ]
        )
    return Relocations(value, metrics)


class _Streams:
    """Streams of the operator, and all others."""

    def __init__(self, arrays: ProblemArrays, places: Places, operator: int) -> None:
        leaving, arriving = arrays.sources == operator, arrays.targets == operator
        own = leaving | arriving
        self._count = len(arrays.rates)
        self._rest = np.flatnonzero(~own)
        self._at = places[arrays.sources[self._rest]]
        self._to = places[arrays.targets[self._rest]]
        # From the operator to itself nothing ever crosses a link.
        self._leaving = np.flatnonzero(leaving & ~arriving)
        self._arriving = np.flatnonzero(arriving & ~leaving)
        self._targets = places[arrays.targets[self._leaving]]
        self._sources = places[arrays.sources[self._arriving]]

    def summed(self, between: Floats, weights: Floats | None = None) -> Floats:
        """Return [node]: the sum over all streams of [node, node] × the stream's weight."""
        by = np.ones(self._count) if weights is None else weights
        fixed = float(by[self._rest] @ between[self._at, self._to])
        leaving = between[:, self._targets] @ by[self._leaving]
        arriving = by[self._arriving] @ between[self._sources, :]
        return np.asarray(fixed + leaving + arriving, dtype=np.float64)


class _Ways(NamedTuple):
    """The longest ways around one operator, in seconds.

    `to` and `behind` list what is just before and just after it: the operator's place, and the way
    up to its end, or from its beginning on. `avoiding` does not lead through it.
    """

    to: list[tuple[int, float]]
    behind: list[tuple[int, float]]
    avoiding: float


def response_times(
    arrays: ProblemArrays, places: Places, operator: int, execution_times: Floats
) -> Floats:
    """Return [node]: the response time in seconds with the operator there."""
    work = execution_times / arrays.speedups[places]
    ways = _ways(arrays, places, operator, work)
    if operator not in arrays.path_order:
        return np.full(arrays.nodes, ways.avoiding)
    arrival, rest = np.zeros(arrays.nodes), np.zeros(arrays.nodes)
    for source, way in ways.to:
        arrival = np.maximum(arrival, way + arrays.delays[places[source], :])
    for target, way in ways.behind:
        rest = np.maximum(rest, arrays.delays[:, places[target]] + way)
    through = arrival + execution_times[operator] / arrays.speedups + rest
    return np.asarray(np.maximum(through, ways.avoiding), dtype=np.float64)


def _ways(arrays: ProblemArrays, places: Places, operator: int, work: Floats) -> _Ways:
    edges = list(zip(arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True))
    hops = arrays.delays[places[arrays.path_sources], places[arrays.path_targets]].tolist()
    done, rest, takes = work.tolist(), [0.0] * arrays.operators, work.tolist()
    to: list[tuple[int, float]] = []
    behind: list[tuple[int, float]] = []
    # Ways that begin just after the operator are parts of ways through it: they change no maximum.
    for (source, target), hop in zip(edges, hops, strict=True):
        if target == operator:
            to.append((source, done[source]))
        elif source != operator:
            done[target] = max(done[target], done[source] + hop + takes[target])
    for (source, target), hop in zip(reversed(edges), reversed(hops), strict=True):
        if source == operator:
            behind.append((target, takes[target] + rest[target]))
        elif target != operator:
            rest[source] = max(rest[source], hop + takes[target] + rest[target])
    others = (done[it] for it in arrays.path_order.tolist() if it != operator)
    return _Ways(to, behind, max(others, default=0.0))


def _under_load(arrays: ProblemArrays, places: Places, operator: int) -> dict[Term, Floats]:
    load, moved = LoadArrays.of(arrays), places.copy()
    values = np.empty((len(LOAD_TERMS), arrays.nodes))
    for node in range(arrays.nodes):
        moved[operator] = node
        state = evaluate_load(load, moved)
        values[:, node] = state.load_response_time, state.sustainable
    return dict(zip(LOAD_TERMS, values, strict=True))


def _ecker(
    arrays: ProblemArrays,
    places: Places,
    operator: int,
    streams: _Streams,
    weights: EckerWeights,
) -> Floats:
    """Score all of them, as `objectives.ecker.ecker_score` does."""
    holds = np.bincount(np.delete(places, operator), minlength=arrays.nodes)
    used = np.count_nonzero(holds) + (holds == 0)
    apart, total, count = _apart(arrays), float(arrays.rates.sum()), len(arrays.rates)
    latency = response_times(arrays, places, operator, np.zeros(arrays.operators))
    score = weights.lat * MILLISECONDS * latency + weights.sup * used / arrays.nodes
    if count:
        score = score + weights.co * streams.summed(apart) / count
    if total > 0:
        score = score + weights.event * streams.summed(apart, arrays.rates) / total
    return np.asarray(score, dtype=np.float64)


def _apart(arrays: ProblemArrays) -> Floats:
    return 1.0 - np.eye(arrays.nodes)
