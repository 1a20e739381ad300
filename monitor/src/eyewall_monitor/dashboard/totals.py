"""Counters for Prometheus, summed up from agents' reports and from decisions.

Agents report increments. Their sums begin at zero when the dashboard starts, which Prometheus knows
how to read. A lost report is not part of them, but counted. A topology, a component or a worker's
slot that reports no longer name is forgotten after a while, so that memory is bounded.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eyewall_contracts.topology_id import topology_name

from eyewall_monitor.dashboard.flow_history import sum_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable

    from eyewall_contracts.sample import Sample, TaskSample, WorkerSample

    from eyewall_monitor.dashboard.snapshot import ZookeeperSnapshot

FORGET_SECONDS: Final = 3600.0
"""After the last report that named a topology, a component or a worker's slot."""
FORGET_DECISIONS_SECONDS: Final = 24 * 3600.0
"""After the last decision on a topology that no report names."""
_TIDY_SECONDS: Final = 60.0


class ComponentKey(NamedTuple):
    """A component of a topology, by names."""

    topology: str
    component: str


class SlotKey(NamedTuple):
    """A worker's slot."""

    topology: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums, in tuples unless said otherwise.

    Parameters
    ----------
    acked_trees, complete_seconds
        Tuple trees by topology, and the sum of their complete latencies.
    moved
        Executors by topology.
    decisions
        By topology and verdict.
    reports, missed
        Reports in the sums, and lost reports.
    decisions_counted
        Whether decisions are counted yet; those before the dashboard's start are not.
    """

    emitted: Counter[ComponentKey] = field(default_factory=Counter)
    transferred: Counter[ComponentKey] = field(default_factory=Counter)
    executed: Counter[ComponentKey] = field(default_factory=Counter)
    acked: Counter[ComponentKey] = field(default_factory=Counter)
    failed: Counter[ComponentKey] = field(default_factory=Counter)
    cpu_seconds: dict[SlotKey, float] = field(default_factory=dict)
    acked_trees: Counter[str] = field(default_factory=Counter)
    complete_seconds: dict[str, float] = field(default_factory=dict)
    decisions: Counter[tuple[str, str]] = field(default_factory=Counter)
    moved: Counter[str] = field(default_factory=Counter)
    reports: int = 0
    missed: int = 0
    decisions_counted: bool = False


class RunningTotals:
    """Sums up; for any thread.

    Parameters
    ----------
    steady
        A clock that does not jump.
    """

    def __init__(self, steady: Callable[[], float]) -> None:
        self._steady = steady
        self._lock = threading.Lock()
        self._totals = Totals()
        self._last: dict[str, tuple[str, int]] = {}
        """Host → run and sequence of its last report."""
        self._decisions: frozenset[str] | None = None
        self._reported: dict[Hashable, float] = {}
        """Topology, component or slot → time of the last report that named it."""
        self._decided: dict[str, float] = {}
        """Topology → time of the last decision."""
        self._tidied_at = steady()

    def read(self) -> Totals:
        """Return a copy of the sums."""
        with self._lock:
            self._tidy()
            totals = self._totals
            values: dict[str, Any] = {name: getattr(totals, name) for name in Totals.__slots__}
            counts = {name: it.copy() for name, it in values.items() if isinstance(it, dict)}
            return Totals(**{**values, **counts})

    def add(self, sample: Sample) -> None:
        """Add a report unless it has been added already."""
        with self._lock:
            run, sequence = self._last.get(sample.host, ("", -1))
            if run == sample.run and sample.sequence <= sequence:
                return
            self._last[sample.host] = sample.run, sample.sequence
            missed = sample.sequence - sequence - 1 if run == sample.run else 0
            totals, now = self._totals, self._steady()
            for worker in sample.workers:
                self._reported |= dict.fromkeys(_add_worker(totals, sample.host, worker), now)
            self._tidy()
            self._totals = replace(
                totals, reports=totals.reports + 1, missed=totals.missed + missed
            )

    def add_decisions(self, store: ZookeeperSnapshot) -> None:
        """Add the decisions that were not in the last snapshot; the first one is not counted."""
        if not store.decisions_complete:
            return
        with self._lock:
            before = self._decisions
            self._decisions = frozenset(it.id for it in store.decisions)
            self._totals = replace(self._totals, decisions_counted=True)
            for it in store.decisions:
                if before is None or it.id in before:
                    continue
                self._decided[it.name] = self._steady()
                self._totals.decisions[it.name, it.verdict.value] += 1
                if it.verdict.is_executed:
                    self._totals.moved[it.name] += it.moves

    def _tidy(self) -> None:
        """Forget what has not been reported for long."""
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
            _retain(counts, self._reported)
        for sums in (it.cpu_seconds, it.acked_trees, it.complete_seconds):
            _retain(sums, self._reported)
        _retain(it.moved, self._decided)
        for name, verdict in list(it.decisions):
            if name not in self._decided:
                del it.decisions[name, verdict]


def _retain(counts: dict[Any, Any], kept: Collection[Hashable]) -> None:
    for it in [it for it in counts if it not in kept]:
        del counts[it]


def _add_worker(totals: Totals, host: str, worker: WorkerSample) -> set[Hashable]:
    """Add a worker's part of a report; return its topology, components and slot."""
    topology = topology_name(worker.topology)
    slot = SlotKey(topology, host, worker.port)
    named: set[Hashable] = {topology, slot}
    for task in worker.tasks:
        if not task.component.startswith("__"):
            component = ComponentKey(topology, task.component)
            named.add(component)
            _add_task(totals, component, task)
    cpu = (worker.cpu or 0.0) + (worker.children_cpu or 0.0)
    totals.cpu_seconds[slot] = totals.cpu_seconds.get(slot, 0.0) + cpu
    acked, seconds = sum_trees(worker)
    totals.acked_trees[topology] += acked
    totals.complete_seconds[topology] = totals.complete_seconds.get(topology, 0.0) + seconds
    return named


def _add_task(totals: Totals, key: ComponentKey, task: TaskSample) -> None:
    """Add a task's streams but Storm's own, which Storm UI leaves out too."""
    for output in task.outputs:
        if not output.stream.startswith("__"):
            totals.emitted[key] += output.emitted
            totals.transferred[key] += output.transferred
            totals.acked[key] += output.acked
            totals.failed[key] += output.failed
    for it in task.inputs:
        if not it.stream.startswith("__"):
            totals.executed[key] += it.executed
            totals.acked[key] += it.acked
            totals.failed[key] += it.failed
