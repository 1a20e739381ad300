"""Counters that only grow, added up from what agents and the sidecar tell in pieces.

Agents report what was added since the report before. Here that is added up since the dashboard was
started: Prometheus knows how to read counters that begin again at zero. A report that got lost is
not in them; how many there were is counted. What no report names any more, such as a topology that
ended, is forgotten after a while, or there would be ever more of it.
"""

from __future__ import annotations

import threading
import time as _time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eyewall_monitor.dashboard.decision_view import topology_name
from eyewall_monitor.dashboard.measured import acked
from eyewall_monitor.dashboard.response_time_view import DONE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable

    from eyewall_contracts.sample import Sample, TaskSample, WorkerSample

    from eyewall_monitor.dashboard.known import ZookeeperKnown

FORGET_SECONDS: Final = 3600.0
"""After which a topology, a component or a worker's slot that no report named is forgotten."""
FORGET_DECISIONS_SECONDS: Final = 24 * 3600.0
"""After the last decision on a topology that no report names."""
_TIDY_SECONDS: Final = 60.0


class ComponentKey(NamedTuple):
    """A component of a topology, by names."""

    topology: str
    component: str


class WorkerKey(NamedTuple):
    """A worker's slot."""

    topology: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What was added up; tuples, but for seconds.

    Parameters
    ----------
    acked_trees, complete_seconds
        Whole tuple trees by topology, and their complete latencies together.
    reports, missed
        Reports that are in it, and that are known to have got lost.
    decides
        Whether decisions are counted yet: what came before is in no counter.
    """

    emitted: Counter[ComponentKey] = field(default_factory=Counter)
    transferred: Counter[ComponentKey] = field(default_factory=Counter)
    executed: Counter[ComponentKey] = field(default_factory=Counter)
    acked: Counter[ComponentKey] = field(default_factory=Counter)
    failed: Counter[ComponentKey] = field(default_factory=Counter)
    cpu_seconds: dict[WorkerKey, float] = field(default_factory=dict)
    acked_trees: Counter[str] = field(default_factory=Counter)
    complete_seconds: dict[str, float] = field(default_factory=dict)
    decisions: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By topology and verdict."""
    moved: Counter[str] = field(default_factory=Counter)
    """Executors, by topology."""
    reports: int = 0
    missed: int = 0
    decides: bool = False


class RunningTotals:
    """Adds up; for any thread.

    Parameters
    ----------
    steady
        A clock that does not jump.
    """

    def __init__(self, steady: Callable[[], float] = _time.monotonic) -> None:
        self._steady = steady
        self._lock = threading.Lock()
        self._totals = Totals()
        self._last: dict[str, tuple[str, int]] = {}
        self._decisions: frozenset[str] | None = None
        self._reported: dict[Hashable, float] = {}
        """Topology, component or worker's slot → when a report last named it."""
        self._decided: dict[str, float] = {}
        """Topology → when a decision on it was last added."""
        self._tidied_at = steady()

    def read(self) -> Totals:
        """Return what it comes to by now."""
        with self._lock:
            self._tidy()
            it = self._totals
            return replace(
                it,
                **{
                    name: getattr(it, name).copy()
                    for name in Totals.__slots__
                    if name not in ("reports", "missed", "decides")
                },
            )

    def take(self, sample: Sample) -> None:
        """Add a report, unless it is in already."""
        with self._lock:
            run, sequence = self._last.get(sample.host, ("", -1))
            if run == sample.run and sample.sequence <= sequence:
                return
            self._last[sample.host] = sample.run, sample.sequence
            missed = sample.sequence - sequence - 1 if run == sample.run else 0
            totals = self._totals
            now = self._steady()
            for worker in sample.workers:
                for named in _add(totals, sample.host, worker):
                    self._reported[named] = now
            self._tidy()
            self._totals = replace(
                totals, reports=totals.reports + 1, missed=totals.missed + missed
            )

    def decided(self, store: ZookeeperKnown) -> None:
        """Add the decisions that were not there before; those from before the start are not."""
        if not store.decisions_whole:
            return
        with self._lock:
            before = self._decisions
            self._decisions = frozenset(it.id for it in store.decisions)
            self._totals = replace(self._totals, decides=True)
            for it in store.decisions:
                if before is None or it.id in before:
                    continue
                name = topology_name(it.topology)
                self._decided[name] = self._steady()
                self._totals.decisions[name, it.verdict.value] += 1
                if it.verdict in DONE:
                    self._totals.moved[name] += it.moves

    def _tidy(self) -> None:
        """Forget what was not heard of for long."""
        now = self._steady()
        if now - self._tidied_at < _TIDY_SECONDS:
            return
        self._tidied_at = now
        self._reported = {it: at for it, at in self._reported.items() if now - at <= FORGET_SECONDS}
        self._decided = {
            it: at
            for it, at in self._decided.items()
            if it in self._reported or now - at <= FORGET_DECISIONS_SECONDS
        }
        it = self._totals
        for counts in (it.emitted, it.transferred, it.executed, it.acked, it.failed):
            _keep(counts, self._reported)
        for counted in (it.cpu_seconds, it.acked_trees, it.complete_seconds):
            _keep(counted, self._reported)
        _keep(it.moved, self._decided)
        for name, verdict in list(it.decisions):
            if name not in self._decided:
                del it.decisions[name, verdict]


def _keep(counts: dict[Any, Any], kept: Collection[Hashable]) -> None:
    for it in [it for it in counts if it not in kept]:
        del counts[it]


def _add(totals: Totals, host: str, worker: WorkerSample) -> set[Hashable]:
    """Add what a worker told; returns what it is of: topology, components and slot."""
    topology = topology_name(worker.topology)
    named: set[Hashable] = {topology}
    for task in worker.tasks:
        if not task.component.startswith("__"):
            component = ComponentKey(topology, task.component)
            named.add(component)
            _add_task(totals, component, task)
    key = WorkerKey(topology, host, worker.port)
    used = (worker.cpu or 0.0) + (worker.children_cpu or 0.0)
    totals.cpu_seconds[key] = totals.cpu_seconds.get(key, 0.0) + used
    trees, seconds = acked(worker)
    totals.acked_trees[topology] += trees
    totals.complete_seconds[topology] = totals.complete_seconds.get(topology, 0.0) + seconds
    return named | {key}


def _add_task(totals: Totals, key: ComponentKey, task: TaskSample) -> None:
    """Storm's own streams are left out, as in Storm UI."""
    for it in task.outputs:
        if not it.stream.startswith("__"):
            totals.emitted[key] += it.emitted
            totals.transferred[key] += it.transferred
            totals.acked[key] += it.acked
            totals.failed[key] += it.failed
    for one in task.inputs:
        if not one.stream.startswith("__"):
            totals.executed[key] += one.executed
            totals.acked[key] += one.acked
            totals.failed[key] += one.failed
