"""The CPU of a worker's start is what it had used when it counted its first tuples."""

from __future__ import annotations

import pytest
from eyewall_monitor.agent.graphite import Metric
from eyewall_monitor.agent.start_cpu import LONGEST, StartCpu
from eyewall_monitor.agent.tally import CounterReport, Value


def counted(
    tuples: int,
    metric: Metric = Metric.EXECUTED,
    component: str = "count",
    stream: str = "default",
) -> CounterReport:
    value = Value(3, metric, "split", stream)
    return CounterReport(60.0, 5.0, 20, {3: component}, {value: tuples}, {})


def test_first_tuples_come_halfway_between_two_readings() -> None:
    # 3 CPU-seconds by a reading without tuples, 5 by the one with the first.
    starts = StartCpu()
    assert starts.of("w1", 3.0, 6.0, counted(0)) is None
    assert starts.of("w1", 5.0, 9.0, counted(20)) == 4.0


def test_a_start_stays_what_it_was() -> None:
    starts = StartCpu()
    assert starts.of("w1", 5.0, 9.0, counted(20, Metric.EMITTED)) == 2.5
    assert starts.of("w1", 50.0, 200.0, counted(400)) == 2.5
    assert starts.of("w1", 60.0, 210.0, counted(0)) == 2.5
    starts.forget_all_but({"w1"})
    assert starts.of("w1", 60.0, 215.0, counted(0)) == 2.5


@pytest.mark.parametrize("metric", [Metric.TRANSFERRED, Metric.ACKED, Metric.FAILED])
def test_what_is_no_tuple_taken_or_given_does_not_end_a_start(metric: Metric) -> None:
    assert StartCpu().of("w1", 5.0, 9.0, counted(20, metric)) is None


@pytest.mark.parametrize(
    ("component", "stream"), [("count", "__tick"), ("__acker", "__ack_init"), ("__acker", "x")]
)
def test_tuples_of_storms_own_do_not_end_a_start(component: str, stream: str) -> None:
    assert StartCpu().of("w1", 5.0, 9.0, counted(20, component=component, stream=stream)) is None


def test_where_tuples_were_missing_for_long_nothing_is_known_of_the_start() -> None:
    # It looked for tuples all the time, which takes CPU.
    starts = StartCpu()
    assert starts.of("w1", 5.0, 9.0, counted(0)) is None
    assert starts.of("w1", 40.0, LONGEST + 1, counted(0)) is None
    assert starts.of("w1", 41.0, LONGEST + 2, counted(20)) is None


def test_a_worker_that_has_ended_is_forgotten() -> None:
    starts = StartCpu()
    starts.of("w1", 5.0, 9.0, counted(20))
    starts.forget_all_but(())
    assert starts.of("w1", 4.0, 3.0, counted(20)) == 2.0
