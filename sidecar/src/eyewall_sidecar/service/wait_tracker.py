"""How long tuples wait for CPU, learned from latencies at rest (docs/design/load.md)."""

from collections.abc import Callable
from hashlib import blake2b
from math import inf

from eyewall_contracts.wait_fit import WaitObservation, WaitRecord

from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from eyewall_sidecar.service.performance import MOST as MOST_MEASUREMENTS
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.stores import KnowledgeStore
from eyewall_sidecar.storm import (
    LATENCY_MODEL,
    UNFITTED,
    Assignment,
    TopologyProblem,
    fit_waits,
    hold_waits,
    latency_parts,
)

INTERVAL_SECONDS = 600.0
"""Between two observations of a topology in the same placement."""
OLDEST_SECONDS = 7 * 86_400.0
"""After which an observation is dropped."""
MOST = 200
"""Observations that are kept."""
FIT_INTERVAL_SECONDS = 3.0
"""Between two observations of whatever topology: each is a fit, which takes a part of a round."""
BUSIEST = 0.9
"""Utilisation of a host or an executor from which waits depend on it too steeply to be compared."""

LEAST_CERTAIN = 0.1
"""Standard deviation of a latency, as a part of it, from which on it is no measure: where it falls
steeply, no trend exceeds its noise."""


class WaitTracker:
    """Collects latencies at rest and fits κ and γ to them; only rounds write it."""

    def __init__(self, store: KnowledgeStore[WaitRecord], clock: Callable[[], float]) -> None:
        """Keep it in `store`; `clock` returns seconds since the epoch."""
        self.fit = UNFITTED
        """What problems are built from."""
        self._store = store
        self._clock = clock
        self._is_read = False
        self._observations: tuple[WaitObservation, ...] = ()
        self._observed: dict[tuple[str, str], float] = {}
        """Topology and placement → when that was last observed, whether it is still kept or not."""
        self._fitted = -inf

    def age(self) -> float | None:
        """Return the seconds since the last observation; None if there is none."""
        last = max((it.time for it in self._observations), default=None)
        return None if last is None else max(0.0, self._clock() - last)

    def read(self) -> None:
        """Take up what an earlier sidecar learned, as soon as that is known."""
        if self._is_read or (kept := self._store.read()) is None:
            return
        self._is_read = True
        if kept.observations:
            self._learn((*kept.observations, *self._observations))

    def observe(self, request: PlacementRequest, performance: Performance) -> None:
        """Add what is measured of a topology, if it says how long its tuples wait."""
        latency, name = performance.latency, request.topology.topology.id
        if latency is None or latency.deviation >= LEAST_CERTAIN * latency.mean:
            return
        if not _is_comparable(performance):
            return
        now = self._clock()
        if abs(now - self._fitted) < FIT_INTERVAL_SECONDS:
            return
        placement = _placement(request.topology.assignment)
        if abs(now - self._observed.get((name, placement), -inf)) < INTERVAL_SECONDS:
            return
        problem = request.problem
        if not isinstance(problem, TopologyProblem) or not _is_measured(request, problem):
            return
        runs = problem.problem.current or {}
        if len(runs) < len(problem.problem.operators):
            return
        loads = LoadArrays.of(ProblemArrays.of(problem.problem))
        places = places_of(problem.problem, runs)
        if loads.assumed_work.any():
            return
        state = evaluate_load(loads, places)
        if max(*state.nodes[places], *state.operators) >= BUSIEST:
            return
        parts = latency_parts(loads, places)
        found = WaitObservation(
            topology=name,
            placement=placement,
            time=now,
            latency=latency.mean,
            deviation=latency.deviation,
            base=parts.base,
            executors=parts.executors,
            hosts=parts.hosts,
            model=LATENCY_MODEL,
        )
        self._fitted = now
        self._observed[name, placement] = now
        self._learn((*self._observations, found))
        self._keep()

    def _learn(self, observations: tuple[WaitObservation, ...]) -> None:
        """Fit these, but for the oldest and those of another model."""
        now = self._clock()
        known = [
            it
            for it in observations
            if it.model == LATENCY_MODEL and now - it.time <= OLDEST_SECONDS
        ]
        self._observations = tuple(sorted(known, key=lambda it: it.time)[-MOST:])
        kept = {(it.topology, it.placement): it.time for it in self._observations}
        recent = {it: at for it, at in self._observed.items() if now - at < INTERVAL_SECONDS}
        self._observed = kept | recent
        self.fit = hold_waits(self.fit, fit_waits(self._observations, now))

    def _keep(self) -> None:
        fit = self.fit
        self._store.put(
            WaitRecord(
                written=self._clock(),
                burstiness=fit.burstiness,
                burstiness_error=fit.burstiness_error,
                sharing=fit.sharing,
                sharing_error=fit.sharing_error,
                observations=self._observations,
            )
        )


def _is_comparable(performance: Performance) -> bool:
    """Whether a topology is at rest, now and since its workers changed, and keeps up.

    What was measured first is left out: code is compiled and queues empty for some time after rest.
    """
    return (
        performance.at_rest
        and len(performance.measurements) == MOST_MEASUREMENTS
        and performance.is_steady
        and not performance.is_saturated
    )


def _is_measured(request: PlacementRequest, problem: TopologyProblem) -> bool:
    """Whether nothing that a latency depends on is declared, assumed or remembered."""
    measured = request.measured
    return (
        problem.cpu_measured
        and not problem.delays_assumed
        and problem.rates_unknown is None
        and measured is not None
        and not measured.remembered
    )


def _placement(assignment: Assignment) -> str:
    """Name which executors run together, and where."""
    workers = sorted((it.slot.supervisor, sorted(map(str, it.executors))) for it in assignment)
    return blake2b(repr(workers).encode(), digest_size=8).hexdigest()
