"""How a topology does, by the reports of its hosts: throughput, CPU and latency, and their rest.

A worker that starts changes all of them for a while: it takes CPU, its code is not compiled yet,
and what waited is made up for. Nothing measured in that time says what a placement is worth. A
topology is at rest when its last measurements show no trend beyond their noise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from statistics import fmean
from types import MappingProxyType

from eyewall_contracts.sample import Sample

from eyewall_sidecar.service.estimates import Estimates
from eyewall_sidecar.service.level import Level, level_of, relative_change
from eyewall_sidecar.service.measurement import (
    ONE_TASK_EACH,
    CountedReport,
    Measurement,
    first_tasks_of,
    have_begun,
    measure,
)
from eyewall_sidecar.service.worker_restarts import WorkerRestarts
from eyewall_sidecar.storm import ClusterState, DelayTable

FEWEST = 6
"""Measurements that rest is found in, half of them before the others."""
LATEST = 2
"""Measurements that say how a topology does now."""
MOST = 12
"""Measurements that are kept."""
STALE_SECONDS = 20.0
"""After which a worker's last counts are no longer measured with those of the others."""
GROWTH = 0.5
"""Part by which latency grows from one half of the measurements to the other where a topology is
saturated: tuples wait longer and longer."""
LEAST_GROWTH = 0.5
"""Seconds of that growth at least: where a thirtieth of the tuples is not kept up with, latency
grows by as much in the 15 s of half of the measurements. Less may be noise, or a rate that rose."""
LEAST_EMITTED = 0.1
"""Tuples/s by which queues are taken to empty at least."""
FEW_WAITING = 0.1
"""Seconds that tuples wait at least in each queue, in the mean, where a topology is saturated."""
LONG_WAITING, MANY_WAITING = 0.25, 50.0
"""Seconds that a tuple waits in all queues together, and how many do, where it is saturated, too:
where `topology.max.spout.pending` bounds them, one full executor of many has all that may wait."""
NOTHING_MISSED: Mapping[str, tuple[Sample, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Performance:
    """What was measured of a topology since its workers last changed.

    Parameters
    ----------
    workers
        (host, port) → Storm's id of the worker there.
    counted
        (host, port) → the last report with new counts of the worker there.
    newest
        Host → (run, sequence) of its last report in `measurements`.
    measurements
        The oldest first.
    at_rest
        Whether they have come to rest since the workers changed.
    caught_up
        Whether they were at rest at some time since then, with six measurements in a row in which
        nothing queued: whatever waited for their start is made up for.
    since
        When the workers last changed, by the clock of rounds: one that died and started again has
        as much to make up for as one that was moved.
    restarts
        How often its workers were restarted.
    """

    workers: Mapping[tuple[str, int], str] = field(default_factory=dict)
    counted: Mapping[tuple[str, int], CountedReport] = field(default_factory=dict)
    newest: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    measurements: tuple[Measurement, ...] = ()
    at_rest: bool = False
    caught_up: bool = False
    since: float = -inf
    restarts: WorkerRestarts = field(default_factory=WorkerRestarts)

    @property
    def unsettled(self) -> bool:
        """Whether its workers are measured, and have not come to rest."""
        return bool(self.workers) and not self.at_rest

    @property
    def is_steady(self) -> bool:
        """Whether the last measurements show no trend, whatever those before them did."""
        return _is_at_rest(self.measurements)

    @property
    def throughput(self) -> Level | None:
        """Tuples/s of all executors together."""
        return level_of([it.throughput for it in self._last], _noise(self._last))

    @property
    def cpu(self) -> Level | None:
        """Cores in use."""
        return level_of([it.cpu for it in self._last])

    @property
    def latency(self) -> Level | None:
        """Seconds from a spout's emit to its ack."""
        known = [it.latencies.complete for it in self._last]
        found = [it for it in known if it is not None]
        return level_of(found) if len(found) == len(known) else None

    @property
    def lacks_delay(self) -> bool:
        """Whether its latency is unknown only since a delay between hosts is, or was lately."""
        return self.latency is None and bool(_latencies(self._last))

    @property
    def is_saturated(self) -> bool:
        """Whether queues hold more than they would if executors kept up, or latency grows.

        What waits in front of a process of another language is in no queue that Storm reports.
        """
        if len(self._last) < FEWEST:
            return False
        return all(map(_queues, self._last)) or _grows_on(_latencies(self._last))

    @property
    def is_quiet(self) -> bool:
        """Whether tuples neither queued nor took longer and longer in its last measurements."""
        is_known = len(self._last) == FEWEST
        return is_known and not any(map(_queues, self._last)) and not self.is_saturated

    @property
    def is_queueing(self) -> bool:
        """Whether tuples queued when it was last measured, which may be for that moment only."""
        return bool(self.measurements) and _queues(self.measurements[-1])

    @property
    def waits(self) -> list[float | None]:
        """Seconds that tuples took each time it was measured; None where that is not known.

        Where none is acked, what they wait in queues (Little's law, with what was emitted lately).
        """
        if self.is_acked:
            return [it.latencies.reported for it in self.measurements]
        emitted = sum(it.emitted for it in self._last) / max(1, len(self._last))
        return [it.waiting / max(emitted, LEAST_EMITTED) for it in self.measurements]

    @property
    def newest_wait(self) -> float | None:
        """The last of `waits` that is known; None if acks have stopped for six measurements."""
        return next((it for it in reversed(self.waits[-FEWEST:]) if it is not None), None)

    @property
    def is_acked(self) -> bool:
        """Whether ackers have anything to do, as far as it was measured."""
        return any(it.is_acked for it in self.measurements)

    @property
    def least_wait(self) -> float | None:
        """The least of `waits` that is known; None if none is."""
        return min((it for it in self.waits if it is not None), default=None)

    @property
    def holds_back(self) -> bool:
        """Whether queues do not empty and nothing grows: further tuples wait in spouts."""
        known = [it for it in self.waits[-FEWEST:] if it is not None]
        is_full = len(known) == FEWEST and all(map(_queues, self._last))
        return is_full and relative_change(known) <= 0

    def latest(self) -> "Performance":
        """Return the last two measurements alone: those before may be of another world.

        A host that was slowed is why a topology moves; what ran before that is no measure.
        """
        return replace(self, measurements=self.measurements[-LATEST:])

    @property
    def _last(self) -> tuple[Measurement, ...]:
        return self.measurements[-FEWEST:]


class PerformanceTracker:
    """The performance of every topology, from round to round."""

    def __init__(self) -> None:
        """Begin with nothing measured."""
        self._performances: Mapping[str, Performance] = {}

    def observe(
        self, state: ClusterState, delays: DelayTable, estimates: Estimates, now: float
    ) -> None:
        """Add the hosts' new reports, and forget topologies that are gone."""
        hosts = {it.id: it.host for it in state.supervisors}
        self._performances = {
            it.topology.id: update_performance(
                self.performance(it.topology.id),
                it.topology.id,
                frozenset(
                    (hosts[worker.slot.supervisor], worker.slot.port)
                    for worker in it.assignment
                    if worker.slot.supervisor in hosts
                ),
                delays,
                estimates.reports,
                now,
                it.assignment_digest,
                estimates.missed,
                first_tasks_of(it.assignment),
            )
            for it in state.topologies
        }

    def performance(self, topology: str) -> Performance:
        """Return what is measured of a topology; without measurements if nothing is."""
        return self._performances.get(topology, Performance())


def update_performance(
    before: Performance,
    topology: str,
    wanted: frozenset[tuple[str, int]],
    delays: DelayTable,
    reports: Mapping[str, Sample],
    now: float,
    digest: bytes = b"",
    missed: Mapping[str, tuple[Sample, ...]] = NOTHING_MISSED,
    first_tasks: Mapping[int, int] = ONE_TASK_EACH,
) -> Performance:
    """Add the hosts' reports, once each host with a worker of the topology has new counts.

    Parameters
    ----------
    wanted
        Host and port of each worker that the topology has by Nimbus's assignment.
    delays
        Between hosts, as they are now.
    reports
        Host → its latest report.
    now
        By the clock of rounds.
    digest
        Of Nimbus's assignment: executors may change places within the same slots.
    missed
        Host → reports since the last round, before its latest: of workers that count in turns, each
        may have counts of another one.
    first_tasks
        Task → the first one of its executor, where that has several.
    """
    found = {
        (host, it.port): it
        for host in {host for host, _ in wanted} & reports.keys()
        for it in reports[host].workers
        if it.topology == topology and (host, it.port) in wanted
    }
    workers = {at: it.id for at, it in found.items()}
    if workers != before.workers or wanted != workers.keys() or digest != before.restarts.digest:
        since, restarts = now if workers else -inf, before.restarts.after(workers, digest)
        before = Performance(workers, since=since, restarts=restarts)
    counted = dict(before.counted)
    for host in {host for host, _ in found}:
        for sample in (*missed.get(host, ()), reports[host]):
            for worker in sample.workers:
                at = host, worker.port
                if worker.seconds > 0 and workers.get(at) == worker.id:
                    counted[at] = CountedReport(sample, worker)
    before = replace(before, counted=counted)
    newest: dict[str, tuple[str, int]] = {}
    for (host, _), it in counted.items():
        numbered = it.report.run, it.report.sequence
        newest[host] = max(numbered, newest.get(host, numbered), key=lambda each: each[1])
    is_whole = wanted == counted.keys() and all(
        reports[host].time - it.report.time <= STALE_SECONDS for (host, _), it in counted.items()
    )
    if not is_whole or any(before.newest.get(host) == it for host, it in newest.items()):
        return before
    last = [it.worker for it in counted.values()]
    if not before.measurements and not have_begun(last, now - before.since):
        return before  # its first tuples are still to come
    measured = (*before.measurements, measure(counted, delays, first_tasks))[-MOST:]
    at_rest = before.at_rest or _is_at_rest(measured)
    after = replace(before, newest=newest, measurements=measured, at_rest=at_rest)
    return replace(after, caught_up=before.caught_up or (at_rest and after.is_quiet))


def _queues(measurement: Measurement) -> bool:
    waiting, emitted = measurement.waiting, measurement.emitted
    if waiting > FEW_WAITING * max(measurement.throughput, 1.0):
        return True
    # Little's law: what waits, by what comes each second.
    return waiting >= MANY_WAITING and waiting > LONG_WAITING * max(emitted, LEAST_EMITTED)


def _is_at_rest(measured: tuple[Measurement, ...]) -> bool:
    last = measured[-FEWEST:]
    if len(last) < FEWEST:
        return False
    # What starts makes latency fall. Where tuples come faster than they are worked on it grows on
    # and on, while all else is steady.
    return (
        relative_change([it.throughput for it in last], _noise(last)) == 0
        and relative_change([it.cpu for it in last]) == 0
        and relative_change(_latencies(last)) >= 0
    )


def _latencies(measured: tuple[Measurement, ...]) -> list[float]:
    """Return the latencies by Storm; none unless all are known.

    A delay that is another one from now on is no trend, and says nothing of queues.
    """
    known = [it.latencies.reported for it in measured]
    found = [it for it in known if it is not None]
    return found if len(found) == len(known) else []


def _grows_on(latencies: list[float]) -> bool:
    half = len(latencies) // 2
    if relative_change(latencies) <= GROWTH:
        return False
    return fmean(latencies[half:]) - fmean(latencies[:half]) > LEAST_GROWTH


def _noise(measured: tuple[Measurement, ...]) -> float:
    return max((it.throughput_noise for it in measured), default=0.0)
