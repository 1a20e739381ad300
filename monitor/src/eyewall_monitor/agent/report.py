"""A report, put together from what was told and what was seen."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eyewall_contracts.errors import ContractError
from eyewall_contracts.field_types import MOST_ROWS
from eyewall_contracts.sample import (
    Sample,
    TaskInput,
    TaskOutput,
    TaskQueue,
    TaskSample,
    WorkerSample,
    encode_sample,
)
from msgspec.structs import replace

from eyewall_monitor.agent.graphite import Metric
from eyewall_monitor.agent.tally import Value

if TYPE_CHECKING:
    from eyewall_monitor.agent.tally import Instant, Told
    from eyewall_monitor.agent.worker_cpu import Used
    from eyewall_monitor.agent.workers import WorkerProcess

_MILLISECOND: Final = 3
"""Digits that times are rounded to."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One worker, as it was told of and as it was seen."""

    process: WorkerProcess
    started: Instant
    told: Told
    used: Used


def worker(seen: Seen, now: Instant) -> WorkerSample:
    """Make a worker's part of a report."""
    told, used = seen.told, seen.used
    return WorkerSample(
        topology=seen.process.topology,
        port=seen.process.port,
        id=seen.process.id,
        started=round(max(0.0, seen.started.wall), _MILLISECOND),
        until=round(max(0.0, now.wall - (now.steady - told.until)), _MILLISECOND),
        seconds=round(max(0.0, told.seconds), _MILLISECOND),
        step=told.step,
        cpu=used.cpu,
        children_cpu=used.children_cpu,
        memory=used.memory,
        tasks=tasks(told),
        threads=used.threads,
    )


def tasks(told: Told) -> tuple[TaskSample, ...]:
    """Sort what was told by task, input and output."""
    inputs: defaultdict[int, dict[tuple[str, str], None]] = defaultdict(dict)
    outputs: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for value in (*told.raised, *told.gauges):
        if value.stream is not None and value.source is not None:
            inputs[value.task][value.source, value.stream] = None
        elif value.stream is not None:
            outputs[value.task][value.stream] = None
    return tuple(
        TaskSample(
            task=task,
            component=component,
            inputs=tuple(_input(told, task, *of) for of in sorted(inputs[task])),
            outputs=tuple(_output(told, task, of) for of in sorted(outputs[task])),
            queue=_queue(told, task),
            capacity=told.gauges.get(Value(task, Metric.CAPACITY, None, None)),
        )
        for task, component in sorted(told.components.items())
    )


def fit(sample: Sample) -> Sample:
    """Leave tasks out until a report is small enough to be written; it says how many."""
    left_out = 0
    most = max((len(worker.tasks) for worker in sample.workers), default=0)
    fitting = sample
    while not _fits(fitting) and most > 0:
        most //= 2
        workers = tuple(replace(w, tasks=w.tasks[:most]) for w in sample.workers)
        left_out = sum(max(0, len(w.tasks) - most) for w in sample.workers)
        fitting = replace(sample, workers=workers, left_out=left_out)
    return fitting


def _fits(sample: Sample) -> bool:
    if any(len(worker.tasks) > MOST_ROWS for worker in sample.workers):
        return False
    try:
        encode_sample(sample)
    except ContractError:
        return False
    return True


def _input(told: Told, task: int, source: str, stream: str) -> TaskInput:
    def raised(metric: Metric) -> int:
        return told.raised.get(Value(task, metric, source, stream), 0)

    def gauge(metric: Metric) -> float | None:
        return told.gauges.get(Value(task, metric, source, stream))

    return TaskInput(
        source=source,
        stream=stream,
        executed=raised(Metric.EXECUTED),
        acked=raised(Metric.ACKED),
        failed=raised(Metric.FAILED),
        execute_latency=gauge(Metric.EXECUTE_LATENCY),
        process_latency=gauge(Metric.PROCESS_LATENCY),
    )


def _output(told: Told, task: int, stream: str) -> TaskOutput:
    def raised(metric: Metric) -> int:
        return told.raised.get(Value(task, metric, None, stream), 0)

    return TaskOutput(
        stream=stream,
        emitted=raised(Metric.EMITTED),
        transferred=raised(Metric.TRANSFERRED),
        acked=raised(Metric.ACKED),
        failed=raised(Metric.FAILED),
        complete_latency=told.gauges.get(Value(task, Metric.COMPLETE_LATENCY, None, stream)),
    )


def _queue(told: Told, task: int) -> TaskQueue | None:
    population, capacity, overflow = (
        told.gauges.get(Value(task, metric, None, None))
        for metric in (Metric.QUEUE_POPULATION, Metric.QUEUE_CAPACITY, Metric.QUEUE_OVERFLOW)
    )
    if population is None or capacity is None:
        return None
    return TaskQueue(int(population), int(capacity), int(overflow or 0))
