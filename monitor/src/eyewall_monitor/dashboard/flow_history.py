"""Measured response time and throughput of topologies over a day, by the reports of all hosts.

Response time is Storm's complete latency, weighted by tuple trees. A spout's task reports the mean
over the trees that were acked lately, and how many were acked since its last report. The mean over
tasks, hosts and reports is therefore Σ acked · latency / Σ acked. Trees that failed or timed out
have no latency and are not part of it.

Throughput is what spouts send, copies included: tuples/s of one task, Σ sent / Σ seconds, times the
number of tasks. Reports that are late or lost do not change it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_contracts.sample import Sample, WorkerSample

SPAN_SECONDS: Final = 5.0
"""Workers report every five seconds."""
KEEP_SECONDS: Final = 24 * 3600.0
MOST_TOPOLOGIES: Final = 200
"""That are kept: those that were reported last."""


class FlowSpan(NamedTuple):
    """What reports that ended in a span of time say of one topology."""

    at: float
    """Start of the span, in seconds since the epoch."""
    acked: int
    """Tuple trees."""
    seconds: float
    """Sum of their complete latencies."""
    sent: int = 0
    """Tuples by tasks of spouts, copies included."""
    task_seconds: float = 0.0
    """Seconds that these tasks' reports cover, summed over tasks."""


class _Sums(NamedTuple):
    acked: int = 0
    seconds: float = 0.0
    sent: int = 0
    task_seconds: float = 0.0

    def plus(self, other: _Sums) -> _Sums:
        return _Sums(
            self.acked + other.acked,
            self.seconds + other.seconds,
            self.sent + other.sent,
            self.task_seconds + other.task_seconds,
        )


def sum_trees(worker: WorkerSample) -> tuple[int, float]:
    """Return the number of acked tuple trees in a report and the sum of their latencies."""
    acked, seconds = 0, 0.0
    for task in worker.tasks:
        for it in task.outputs:
            if it.acked and it.complete_latency is not None and not it.stream.startswith("__"):
                acked += it.acked
                seconds += it.acked * it.complete_latency
    return acked, seconds


def sum_sent(worker: WorkerSample) -> tuple[int, float]:
    """Return the tuples that tasks of spouts sent in a report, and the seconds that they cover.

    A spout's task is one that received nothing but from Storm's own components.
    """
    sent, seconds = 0, 0.0
    for task in worker.tasks:
        streams = [it for it in task.outputs if not it.stream.startswith("__")]
        receives = any(not it.source.startswith("__") for it in task.inputs)
        if streams and not receives and not task.component.startswith("__"):
            sent += sum(it.transferred for it in streams)
            seconds += worker.seconds
    return sent, seconds


def mean(spans: Iterable[FlowSpan]) -> float | None:
    """Return the mean latency over all tuple trees; None if there are none."""
    acked, seconds = 0, 0.0
    for it in spans:
        acked += it.acked
        seconds += it.seconds
    return seconds / acked if acked else None


def rate_of_task(spans: Iterable[FlowSpan]) -> float | None:
    """Return the mean tuples/s that a spout's task sends; None if nothing reports it."""
    sent, seconds = 0, 0.0
    for it in spans:
        sent += it.sent
        seconds += it.task_seconds
    return sent / seconds if seconds else None


def latest(samples: Iterable[Sample]) -> dict[str, float]:
    """Return each topology's response time by the latest report of every host."""
    sums: dict[str, tuple[int, float]] = {}
    for worker in (worker for sample in samples for worker in sample.workers):
        acked, seconds = sum_trees(worker)
        before = sums.get(worker.topology, (0, 0.0))
        sums[worker.topology] = before[0] + acked, before[1] + seconds
    return {topology: seconds / acked for topology, (acked, seconds) in sums.items() if acked}


class FlowHistory:
    """One day; one thread adds to it, any thread reads it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spans: dict[str, dict[int, _Sums]] = {}
        self._complete_since: float | None = None

    def add(self, sample: Sample) -> None:
        """Add one report; the caller adds none twice."""
        for worker in sample.workers:
            found = _Sums(*sum_trees(worker), *sum_sent(worker))
            if any(found):
                self._add(worker.topology, int(worker.until // SPAN_SECONDS), found)

    def _add(self, topology: str, span: int, found: _Sums) -> None:
        with self._lock:
            spans = self._spans.pop(topology, {})
            spans[span] = spans.get(span, _Sums()).plus(found)
            self._spans[topology] = spans  # ordered by when they were last added to

    def set_complete_since(self, at: float) -> None:
        """Set the time since which every report has been added."""
        with self._lock:
            self._complete_since = at

    def complete_since(self) -> float | None:
        """Return the time since which every report has been added; None: no report has."""
        with self._lock:
            return self._complete_since

    def forget_old(self, now: float) -> None:
        """Drop spans that are too old, and topologies beyond the number that is kept."""
        oldest = int((now - KEEP_SECONDS) // SPAN_SECONDS)
        with self._lock:
            for topology in list(self._spans)[:-MOST_TOPOLOGIES]:
                del self._spans[topology]
            for topology, spans in list(self._spans.items()):
                kept = {at: it for at, it in spans.items() if at >= oldest}
                if kept:
                    self._spans[topology] = kept
                else:
                    del self._spans[topology]

    def spans(self, topology: str, start: float, end: float) -> list[FlowSpan]:
        """Return the spans that begin in [start, end), oldest first."""
        with self._lock:
            spans = sorted(self._spans.get(topology, {}).items())
        found = (FlowSpan(at * SPAN_SECONDS, *sums) for at, sums in spans)
        return [it for it in found if start <= it.at < end]
