"""How much the counters of each worker increased.

A worker sends all its counters at once, every few seconds: a counter report. An increment is the
difference from the report before, over the time between the two. That time is read from this
host's clocks as the reports arrive, since the lines carry whole seconds only.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from eyewall_monitor.agent.graphite import COUNTERS, Measurement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eyewall_monitor.agent.graphite import Metric

QUIET: Final = 0.5
"""Seconds without a line after which a counter report is complete."""
OLDEST: Final = 60.0
"""Seconds that a line may have been under way."""
AHEAD: Final = 5.0
"""Seconds that a line may be ahead of this host's clock, which is the worker's too."""
MOST_VALUES: Final = 20_000
"""Of one worker; Storm's own are about ten for each task."""


class Rejection(StrEnum):
    """Why a measurement was not taken; the name under which it is counted."""

    UNKNOWN_WORKER = "unknown worker"
    LATE = "late"
    AHEAD = "ahead of the clock"
    REPEATED = "repeated"
    TOO_MANY = "too many names"


@dataclass(frozen=True, slots=True)
class Instant:
    """One moment by both clocks."""

    wall: float
    """Seconds since the epoch; may jump."""
    steady: float
    """Seconds since some moment; never jumps."""


@dataclass(frozen=True, slots=True)
class WorkerKey:
    """The worker that lines name as their origin."""

    topology: str
    port: int


@dataclass(frozen=True, slots=True)
class Value:
    """What a number measures."""

    task: int
    metric: Metric
    source: str | None
    stream: str | None


@dataclass(frozen=True, slots=True)
class CounterReport:
    """What a worker reported since it was last read.

    Parameters
    ----------
    until
        When the last counter report came, by the steady clock.
    seconds
        What `increments` covers; 0 if nothing can be said.
    """

    until: float
    seconds: float
    step: int
    components: Mapping[int, str]
    increments: Mapping[Value, int]
    gauges: Mapping[Value, float]


@dataclass(slots=True)
class _Worker:
    id: str
    from_zero: bool
    """Whether a counter that is met for the first time was 0 at the counter report before."""
    since: float | None
    """Of the counter report before, by the steady clock; None: there was none yet."""
    time: int
    """Of the present counter report, by its lines; before the first, the worker's start."""
    complete_until: float | None = None
    arrived: float | None = None
    """When the first line of the present counter report came."""
    last_line: float = 0.0
    step: int = 0
    counts: dict[Value, int] = field(default_factory=dict)
    times: dict[Value, int] = field(default_factory=dict)
    """When each value was last reported, by the lines' own time."""
    pending: Counter[Value] = field(default_factory=Counter)
    complete: Counter[Value] = field(default_factory=Counter)
    gauges: dict[Value, float] = field(default_factory=dict)
    components: dict[int, str] = field(default_factory=dict)


class Tally:
    """Adds up measurements by worker."""

    def __init__(self) -> None:
        self._workers: dict[WorkerKey, _Worker] = {}
        self.restarts = 0
        """Counters that fell within the life of one worker, and so started again."""

    def register(
        self, key: WorkerKey, worker_id: str, started: Instant, *, whole_life: bool
    ) -> None:
        """Take lines of this worker from now on; another id on a port is a worker that restarted.

        Parameters
        ----------
        whole_life
            Whether it started while this agent ran, with all counters at 0. If not, the first
            value of a counter is only the base of later differences.
        """
        known = self._workers.get(key)
        if known is None or known.id != worker_id:
            since = started.steady if whole_life else None
            self._workers[key] = _Worker(worker_id, whole_life, since, int(started.wall))

    def forget_all_but(self, keys: Iterable[WorkerKey]) -> None:
        """Forget workers that are gone."""
        kept = set(keys)
        self._workers = {key: worker for key, worker in self._workers.items() if key in kept}

    def knows(self, key: WorkerKey) -> bool:
        """Whether lines of this worker are taken."""
        return key in self._workers

    def take(self, it: Measurement, now: Instant) -> Rejection | None:
        """Take one measurement, or say why not."""
        worker = self._workers.get(WorkerKey(it.topology, it.port))
        if worker is None:
            return Rejection.UNKNOWN_WORKER
        if it.time > now.wall + AHEAD:
            return Rejection.AHEAD
        if worker.time > now.wall + AHEAD:
            worker.time = 0  # the clock was set back
            worker.times.clear()
        if it.time < worker.time or it.time < now.wall - OLDEST:
            return Rejection.LATE
        value = Value(it.task, it.metric, it.source, it.stream)
        if worker.times.get(value) == it.time:
            return Rejection.REPEATED
        if value not in worker.times and len(worker.times) >= MOST_VALUES:
            return Rejection.TOO_MANY
        if it.time > worker.time:
            _complete(worker)
            worker.time, worker.arrived = it.time, now.steady
        worker.last_line = now.steady
        worker.times[value] = it.time
        worker.components[it.task] = it.component
        if it.metric in COUNTERS:
            self._count(worker, value, int(it.value))
        else:
            worker.gauges[value] = it.value
        return None

    def complete_at(self) -> float | None:
        """When the first counter report that is not read yet is complete, by the steady clock."""
        return min(
            (
                it.last_line + QUIET if it.complete_until is None else it.complete_until
                for it in self._workers.values()
                if it.arrived is not None
            ),
            default=None,
        )

    def read(self, key: WorkerKey, now: Instant) -> CounterReport:
        """Return what a registered worker reported since the last call."""
        worker = self._workers[key]
        if now.steady - worker.last_line >= QUIET:
            _complete(worker)
        until = worker.complete_until
        if until is None:
            return CounterReport(now.steady, 0.0, worker.step, {}, {}, {})
        report = CounterReport(
            until=until,
            seconds=until - worker.since if worker.since is not None else 0.0,
            step=worker.step,
            components=dict(worker.components),
            increments=dict(worker.complete),
            gauges=dict(worker.gauges),
        )
        worker.since, worker.complete_until = until, None
        worker.complete = Counter()
        return report

    def _count(self, worker: _Worker, value: Value, count: int) -> None:
        before = worker.counts.get(value, 0 if worker.from_zero else count)
        if count < before:
            self.restarts += 1
            before = 0
        worker.counts[value] = count
        worker.step = math.gcd(worker.step, count)
        worker.pending[value] += count - before


def _complete(worker: _Worker) -> None:
    """Complete the present counter report."""
    if worker.arrived is None:
        return
    if worker.since is None:
        worker.since = worker.arrived  # what follows counts from here
    else:
        worker.complete_until = worker.arrived
        worker.complete.update(worker.pending)
    worker.arrived = None
    worker.pending = Counter()
