"""A host's report, from its workers' counters and what the kernel shows."""

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
    from eyewall_monitor.agent.tally import CounterReport, Instant
    from eyewall_monitor.agent.worker_cpu import WorkerUsage
    from eyewall_monitor.agent.workers import WorkerProcess

_MILLISECOND: Final = 3
"""Digits that times are rounded to."""


@dataclass(frozen=True, slots=True)
class WorkerObservation:
    """One worker: its counters and its use of the host."""

    process: WorkerProcess
    started: Instant
    counters: CounterReport
    usage: WorkerUsage
    start_cpu: float | None


def worker_sample(observed: WorkerObservation, now: Instant) -> WorkerSample:
    """Make a worker's part of a report."""
    counters, usage = observed.counters, observed.usage
    agent = observed.process.overlap_agent()
    return WorkerSample(
        topology=observed.process.topology,
        port=observed.process.port,
        id=observed.process.id,
        started=round(max(0.0, observed.started.wall), _MILLISECOND),
        until=round(max(0.0, now.wall - (now.steady - counters.until)), _MILLISECOND),
        seconds=round(max(0.0, counters.seconds), _MILLISECOND),
        step=counters.step,
        cpu=usage.cpu,
        children_cpu=usage.children_cpu,
        memory=usage.memory,
        tasks=task_samples(counters),
        threads=usage.threads,
        overlaps=agent is not None,
        agent_contract=agent.contract if agent else 0,
        agent_version=agent.version if agent else "",
        start_cpu=observed.start_cpu,
        unknown_storm="" if agent else observed.process.unknown_storm(),
    )


def task_samples(counters: CounterReport) -> tuple[TaskSample, ...]:
    """Sort a worker's counters by task, input and output."""
    inputs: defaultdict[int, dict[tuple[str, str], None]] = defaultdict(dict)
    outputs: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for value in (*counters.increments, *counters.gauges):
        if value.stream is not None and value.source is not None:
            inputs[value.task][value.source, value.stream] = None
        elif value.stream is not None:
            outputs[value.task][value.stream] = None
    return tuple(
        TaskSample(
            task=task,
            component=component,
            inputs=tuple(_input(counters, task, *of) for of in sorted(inputs[task])),
            outputs=tuple(_output(counters, task, of) for of in sorted(outputs[task])),
            queue=_queue(counters, task),
            capacity=counters.gauges.get(Value(task, Metric.CAPACITY, None, None)),
        )
        for task, component in sorted(counters.components.items())
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


def _input(counters: CounterReport, task: int, source: str, stream: str) -> TaskInput:
    def increment(metric: Metric) -> int:
        return counters.increments.get(Value(task, metric, source, stream), 0)

    def gauge(metric: Metric) -> float | None:
        return counters.gauges.get(Value(task, metric, source, stream))

    return TaskInput(
        source=source,
        stream=stream,
        executed=increment(Metric.EXECUTED),
        acked=increment(Metric.ACKED),
        failed=increment(Metric.FAILED),
        execute_latency=gauge(Metric.EXECUTE_LATENCY),
        process_latency=gauge(Metric.PROCESS_LATENCY),
    )


def _output(counters: CounterReport, task: int, stream: str) -> TaskOutput:
    def increment(metric: Metric) -> int:
        return counters.increments.get(Value(task, metric, None, stream), 0)

    return TaskOutput(
        stream=stream,
        emitted=increment(Metric.EMITTED),
        transferred=increment(Metric.TRANSFERRED),
        acked=increment(Metric.ACKED),
        failed=increment(Metric.FAILED),
        complete_latency=counters.gauges.get(Value(task, Metric.COMPLETE_LATENCY, None, stream)),
    )


def _queue(counters: CounterReport, task: int) -> TaskQueue | None:
    population, capacity, overflow = (
        counters.gauges.get(Value(task, metric, None, None))
        for metric in (Metric.QUEUE_POPULATION, Metric.QUEUE_CAPACITY, Metric.QUEUE_OVERFLOW)
    )
    if population is None or capacity is None:
        return None
    return TaskQueue(int(population), int(capacity), int(overflow or 0))
