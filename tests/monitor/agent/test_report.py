from __future__ import annotations

from eyewall_contracts.codec import MOST_BYTES
from eyewall_contracts.sample import TaskInput, TaskOutput, TaskQueue, TaskSample, encode_sample
from eyewall_monitor.agent.graphite import Metric
from eyewall_monitor.agent.report import WorkerObservation, fit, task_samples, worker_sample
from eyewall_monitor.agent.tally import CounterReport, Instant, Value
from eyewall_monitor.agent.worker_cpu import WorkerUsage
from eyewall_monitor.agent.workers import WorkerProcess
from msgspec.structs import replace
from reports import COUNT_WORKER, FULL

REPORT = CounterReport(
    until=60.0,
    seconds=5.0,
    step=20,
    components={3: "count", 1: "source"},
    increments={
        Value(3, Metric.EXECUTED, "split", "default"): 1000,
        Value(3, Metric.ACKED, "split", "default"): 980,
        Value(3, Metric.EXECUTED, "split", "retries"): 0,
        Value(3, Metric.EMITTED, None, "default"): 40,
        Value(3, Metric.TRANSFERRED, None, "default"): 80,
        Value(1, Metric.EMITTED, None, "default"): 200,
        Value(1, Metric.ACKED, None, "default"): 180,
        Value(1, Metric.FAILED, None, "default"): 20,
    },
    gauges={
        Value(3, Metric.EXECUTE_LATENCY, "split", "default"): 0.002,
        Value(1, Metric.COMPLETE_LATENCY, None, "default"): 0.05,
        Value(3, Metric.CAPACITY, None, None): 0.25,
        Value(3, Metric.QUEUE_POPULATION, None, None): 12,
        Value(3, Metric.QUEUE_CAPACITY, None, None): 1024,
    },
)


def test_counts_stand_where_the_tuples_came_from_and_where_they_went() -> None:
    assert task_samples(REPORT) == (
        TaskSample(1, "source", (), (TaskOutput("default", 200, 0, 180, 20, 0.05),), None, None),
        TaskSample(
            3,
            "count",
            (
                TaskInput("split", "default", 1000, 980, 0, 0.002, None),
                TaskInput("split", "retries", 0, 0, 0, None, None),
            ),
            (TaskOutput("default", 40, 80, 0, 0, None),),
            TaskQueue(12, 1024, 0),
            0.25,
        ),
    )


def test_the_time_of_a_counter_report_is_on_the_clock_of_the_report() -> None:
    # CounterReport at 60 s of the steady clock, reported at 62.5 s: 2.5 s before the report's time.
    process = WorkerProcess(7, "wc-1-1000", 6700, "w1", "", "")
    observed = WorkerObservation(
        process, Instant(900.0, -100.0), REPORT, WorkerUsage(1.0, 0.5, 1024, (), 7.5), 3.5
    )
    made = worker_sample(observed, Instant(1_000_000.0, 62.5))
    assert (made.until, made.seconds, made.started) == (999_997.5, 5.0, 900.0)
    assert made.start_cpu == 3.5


def test_a_report_that_is_too_large_leaves_tasks_out_and_says_how_many() -> None:
    # About 200 bytes a task: 4,000 of them are more than 512 KiB.
    many = tuple(replace(COUNT_WORKER.tasks[0], task=i, component="c" * 60) for i in range(4000))
    large = replace(FULL, workers=(replace(COUNT_WORKER, tasks=many),), left_out=0)
    fitting = fit(large)
    kept = fitting.workers[0].tasks
    assert len(encode_sample(fitting)) <= MOST_BYTES
    assert kept == many[: len(kept)]
    assert fitting.left_out == 4000 - len(kept)
    assert len(kept) >= 1000


def test_a_report_that_is_small_enough_stays_whole() -> None:
    assert fit(replace(FULL, left_out=0)) == replace(FULL, left_out=0)
