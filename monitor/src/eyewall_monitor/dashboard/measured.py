"""Measured response time: Storm's complete latency, weighted by the tuple trees it is of.

Storm's figure is the mean over the trees that a spout's task saw acked lately, and it is told with
how many were acked since the report before. So the mean over tasks, hosts and reports is
Σ acked · latency / Σ acked. Trees that failed or timed out have no latency and are not in it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.known import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eyewall_contracts.sample import Sample, WorkerSample

    from eyewall_monitor.dashboard.known import Known

SPAN_SECONDS: Final = 5.0
"""Workers tell every five seconds."""
LATELY_SECONDS: Final = 60.0
KEEP_SECONDS: Final = 24 * 3600.0
MOST_TOPOLOGIES: Final = 200
"""Whose response times are remembered: those measured last."""


def acked(worker: WorkerSample) -> tuple[int, float]:
    """Return how many tuple trees a report tells of, and their complete latencies together."""
    count, seconds = 0, 0.0
    for task in worker.tasks:
        for out in task.outputs:
            if out.acked and out.complete_latency is not None and not out.stream.startswith("__"):
                count += out.acked
                seconds += out.acked * out.complete_latency
    return count, seconds


def mean(spans: Iterable[Span]) -> float | None:
    """Return the mean over all tuple trees; None if there were none."""
    count, seconds = 0, 0.0
    for it in spans:
        count += it.acked
        seconds += it.seconds
    return seconds / count if count else None


def lately(known: Known, topologies: Iterable[str]) -> dict[str, float]:
    """Return each topology's response time over the last minute, where there was any.

    Of a slow topology the latest reports alone often tell of no tuple tree, as Storm counts one in
    twenty. They do where no history is read.
    """
    found = latest(known.zookeeper.samples.values())
    for it in topologies:
        spans = known.redis.response_times.spans(it, known.now - LATELY_SECONDS, known.now)
        if (over_them := mean(spans)) is not None:
            found[it] = over_them
    return found


def latest(samples: Iterable[Sample]) -> dict[str, float]:
    """Return each topology's response time by the latest report of every host."""
    sums: dict[str, tuple[int, float]] = {}
    for worker in (worker for sample in samples for worker in sample.workers):
        count, seconds = acked(worker)
        before = sums.get(worker.topology, (0, 0.0))
        sums[worker.topology] = before[0] + count, before[1] + seconds
    return {topology: seconds / count for topology, (count, seconds) in sums.items() if count}


class MeasuredResponseTimes:
    """A day of them, added up as reports are read; written by one thread, read by any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spans: dict[str, dict[int, tuple[int, float]]] = {}
        self._since: float | None = None

    def take(self, sample: Sample) -> None:
        """Add one report; whoever calls sees to it that none is added twice."""
        for worker in sample.workers:
            count, seconds = acked(worker)
            if count:
                self._add(worker.topology, int(worker.until // SPAN_SECONDS), count, seconds)

    def _add(self, topology: str, span: int, count: int, seconds: float) -> None:
        with self._lock:
            spans = self._spans.pop(topology, {})
            before = spans.get(span, (0, 0.0))
            spans[span] = before[0] + count, before[1] + seconds
            self._spans[topology] = spans  # the last one is the one added to last

    def whole_since(self, at: float) -> None:
        """Say from when on every report is in."""
        with self._lock:
            self._since = at

    def forget(self, now: float) -> None:
        """Drop what is too old, and topologies beyond those that are remembered."""
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

    def spans(self, topology: str, start: float, end: float) -> list[Span]:
        """Return the spans that begin in [start, end), oldest first."""
        with self._lock:
            spans = self._spans.get(topology, {})
            return sorted(_within(spans, start, end), key=lambda it: it.at)

    def since(self) -> float | None:
        """Seconds since the epoch from which on every report is in; None: none is."""
        with self._lock:
            return self._since


def _within(spans: dict[int, tuple[int, float]], start: float, end: float) -> Iterator[Span]:
    for span, (count, seconds) in spans.items():
        at = span * SPAN_SECONDS
        if start <= at < end:
            yield Span(at, count, seconds)
