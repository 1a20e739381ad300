"""A report taken apart into rows, one for each thing that was measured."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_contracts.sample import Sample, TaskSample, WorkerSample

AHEAD_SECONDS: Final = 5.0
"""By how much a report may be ahead of the reader's clock."""


class RowKind(StrEnum):
    """What a row is about."""

    RECEIVED = "received"
    """`amount`: tuples that a task took from `source`'s `stream`."""
    EMITTED = "emitted"
    """`amount`: tuples that a task gave out on `stream`; `base`: those it took in; `extra`: copies
    sent."""
    CPU = "cpu"
    """`amount`: CPU-seconds of a task; `base`: its tuples; `extra`: tasks with which its thread
    could not be distinguished."""
    LOST = "lost"
    """`amount`: reports of `host` that are missing, or rejected; `stream`: why."""
    LATE = "late"
    """What becomes of late rows where windows are made: they are counted only."""


class MeasurementRow(NamedTuple):
    """One thing that was measured. Fields that a kind has no use for are empty or 0."""

    time: float
    """Seconds since the epoch: the end of what it covers."""
    written: float
    """Seconds since the epoch: when the report got into the history."""
    late: bool
    """Whether that was so long afterwards that streaming has to do without it."""
    kind: str
    topology: str
    component: str
    source: str
    stream: str
    task: int
    host: str
    port: int
    seconds: float
    amount: float
    base: float
    extra: float
    step: int


def rows(sample: Sample, written: float, late_after: float) -> Iterator[MeasurementRow]:
    """Rows of one report.

    Parameters
    ----------
    written
        Seconds since the epoch: when it got into the history.
    late_after
        Seconds between what was measured and the writing of it after which it is late.
    """
    for worker in sample.workers:
        if worker.seconds <= 0:
            continue
        late = worker.until <= written - late_after
        flows = {task.task: task for task in worker.tasks}
        for task in worker.tasks:
            yield from _flows(task, worker, sample.host, written, late)
        if sample.seconds > 0:
            yield from _cpu(worker, flows, sample, written, late)


def lost(time: float, written: float, host: str, reports: int, why: str) -> MeasurementRow:
    """Return a row that says that reports are missing."""
    return MeasurementRow(
        time=time,
        written=written,
        late=False,
        kind=RowKind.LOST,
        topology="",
        component="",
        source="",
        stream=why,
        task=0,
        host=host,
        port=0,
        seconds=0.0,
        amount=reports,
        base=0.0,
        extra=0.0,
        step=0,
    )


def count_received(task: TaskSample) -> int | None:
    """Tuples that a task took from other components; None: it has no such input."""
    if task.component.startswith("__"):
        return sum(it.executed for it in task.inputs)
    own = [it.executed for it in task.inputs if not _is_system(it.source, it.stream)]
    return sum(own) if own else None


def _is_system(source: str, stream: str) -> bool:
    return source.startswith("__") or stream.startswith("__")


def _flows(
    task: TaskSample, worker: WorkerSample, host: str, written: float, late: bool
) -> Iterator[MeasurementRow]:
    until, topology, port, seconds, step = (
        worker.until,
        worker.topology,
        worker.port,
        worker.seconds,
        worker.step,
    )
    for it in task.inputs:
        yield MeasurementRow(
            *(until, written, late, "received", topology, task.component, it.source, it.stream),
            *(task.task, host, port, seconds, it.executed, 0.0, 0.0, step),
        )
    if task.outputs:
        base = count_received(task) or 0.0
        for out in task.outputs:
            yield MeasurementRow(
                *(until, written, late, "emitted", topology, task.component, "", out.stream),
                *(task.task, host, port, seconds, out.emitted, base, out.transferred, step),
            )


def _cpu(
    worker: WorkerSample, tasks: dict[int, TaskSample], sample: Sample, written: float, late: bool
) -> Iterator[MeasurementRow]:
    """CPU of each task, over the seconds that its counts are over."""
    for group in worker.threads:
        members = [tasks[it] for it in group.tasks if it in tasks]
        whole = (group.cpu + group.children_cpu) * worker.seconds / sample.seconds
        weights = [_busy(it) for it in members]
        if not sum(weights):
            weights = [1.0] * len(members)
        for it, weight in zip(members, weights, strict=True):
            cpu = whole * weight / sum(weights)
            yield MeasurementRow(
                *(worker.until, written, late, "cpu", worker.topology, it.component, "", ""),
                *(it.task, sample.host, worker.port, worker.seconds, cpu, _handled(it)),
                *(len(members), worker.step),
            )


def _busy(task: TaskSample) -> float:
    return sum(it.executed * (it.execute_latency or 0.0) for it in task.inputs)


def _handled(task: TaskSample) -> float:
    """Tuples that CPU went into: taken in, or of a spout given out."""
    received = count_received(task)
    if received is not None:
        return received
    return sum(it.emitted for it in task.outputs if not it.stream.startswith("__"))
