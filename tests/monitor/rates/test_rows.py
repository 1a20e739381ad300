from __future__ import annotations

import pytest
from eyewall_contracts.sample import TaskInput, TaskSample, ThreadGroup
from eyewall_monitor.rates.rows import MeasurementRow, RowKind, rows
from msgspec.structs import replace
from reports import COUNT_WORKER, FULL


def of(kind: RowKind, found: list[MeasurementRow]) -> list[MeasurementRow]:
    return [it for it in found if it.kind == kind]


def test_a_report_is_taken_apart_stream_by_stream() -> None:
    found = list(rows(FULL, FULL.time, 60))
    received = of(RowKind.RECEIVED, found)
    assert [(it.task, it.component, it.source, it.stream, it.amount) for it in received] == [
        (3, "count", "split", "default", 1000),
        (1, "sentence", "__system", "__tick", 20),
    ]
    emitted = of(RowKind.EMITTED, found)
    # count took 1,000 in; sentence took ticks only, and so nothing: it is a spout.
    assert [(it.task, it.amount, it.base, it.extra) for it in emitted] == [
        (3, 1000, 1000, 2000),
        (1, 200, 0, 200),
    ]
    assert {it.time for it in found} == {COUNT_WORKER.until}


def test_cpu_of_indistinguishable_threads_is_shared_out_by_busy_time() -> None:
    # 3 and 4 share 0.75 + 0.5 CPU-seconds; 4 did nothing. 1 has its own, and gave 200 tuples out.
    found = of(RowKind.CPU, list(rows(FULL, FULL.time, 60)))
    assert [(it.task, it.amount, it.base, it.extra) for it in found] == [
        (1, pytest.approx(0.125), 200, 1),
        (3, pytest.approx(1.25), 1000, 2),
        (4, 0.0, 0, 2),
    ]


def test_cpu_is_over_the_seconds_of_the_counts() -> None:
    # Counts cover 10 s, CPU the report's 5 s: at the same pace 2 CPU-seconds are 4.
    worker = replace(
        COUNT_WORKER,
        seconds=10.0,
        tasks=(TaskSample(3, "count", (TaskInput("split", "s", 100, 0, 0, 0.1, None),)),),
        threads=(ThreadGroup((3,), 1, 2.0, 0.0),),
    )
    (cpu,) = of(RowKind.CPU, list(rows(replace(FULL, workers=(worker,)), FULL.time, 60)))
    assert (cpu.seconds, cpu.amount) == (10.0, 4.0)


def test_a_worker_that_reported_nothing_new_is_unknown_not_zero() -> None:
    assert {it.topology for it in rows(FULL, FULL.time, 60)} == {COUNT_WORKER.topology}


def test_late_is_what_was_written_long_after_it_happened() -> None:
    at = COUNT_WORKER.until
    assert not any(it.late for it in rows(FULL, at + 59.9, 60))
    assert all(it.late for it in rows(FULL, at + 60, 60))


def test_ackers_work_is_what_storm_sends_them() -> None:
    acker = TaskSample(9, "__acker", (TaskInput("count", "__ack_ack", 500, 0, 0, 0.001, None),))
    worker = replace(COUNT_WORKER, tasks=(acker,), threads=(ThreadGroup((9,), 1, 1.0, 0.0),))
    (cpu,) = of(RowKind.CPU, list(rows(replace(FULL, workers=(worker,)), FULL.time, 60)))
    assert cpu.base == 500
