"""How long a spout waits for its acks, by what ackers report."""

from collections.abc import Mapping

import pytest
from delay_tables import delay_table
from eyewall_contracts.sample import TaskInput, TaskOutput, TaskSample, WorkerSample
from eyewall_sidecar.service.complete_latency import NO_LATENCY, MeasuredLatency, measure_latency

FAR = delay_table({("edge", "fog"): 400, ("fog", "cloud"): 30, ("edge", "cloud"): 50})


def spout(latency: float | None = 0.03, task: int = 1, acked: int = 100) -> TaskSample:
    output = TaskOutput("default", acked, acked, acked, complete_latency=latency)
    return TaskSample(task, "source", outputs=(output,))


def bolt(task: int = 3) -> TaskSample:
    return TaskSample(task, "count", (TaskInput("tag", "default", 100),))


def acker(task: int = 4) -> TaskSample:
    return TaskSample(task, "__acker")


def measured(tasks: Mapping[str, tuple[TaskSample, ...]]) -> MeasuredLatency:
    workers = {
        (host, 6700): WorkerSample("t", 6700, "w", 0.0, 5.0, 5.0, 20, tasks=its)
        for host, its in tasks.items()
    }
    return measure_latency(workers, FAR)


def found(tasks: Mapping[str, tuple[TaskSample, ...]]) -> float | None:
    return measured(tasks).complete


def test_the_way_to_the_acker_and_back_is_not_in_storms_figure() -> None:
    # The acker is at the consumer: it hears of a tuple 400 ms late, and is heard 400 ms later.
    assert found({"edge": (spout(0.03),), "fog": (bolt(), acker())}) == pytest.approx(0.83)


def test_an_acker_at_the_spout_sees_all_of_it() -> None:
    assert found({"edge": (spout(0.83), acker()), "fog": (bolt(),)}) == pytest.approx(0.83)


def test_trees_are_spread_over_all_ackers_alike() -> None:
    # Of three ackers one is at the spout, two are in the fog: 2/3 of the trees wait for 800 ms.
    some = {"edge": (spout(0.1), acker()), "fog": (bolt(), acker(5), acker(6))}
    assert found(some) == pytest.approx(0.1 + 0.8 * 2 / 3)


def test_spouts_count_by_what_was_acked() -> None:
    # 100 trees from the edge take 30 + 800 ms, 300 from the cloud 70 + 60 ms: 305 ms on average.
    some = {"edge": (spout(0.03),), "cloud": (spout(0.07, 2, acked=300),), "fog": (acker(),)}
    assert found(some) == pytest.approx(0.305)


def test_a_delay_that_is_not_known_leaves_it_unknown() -> None:
    assert found({"edge": (spout(),), "nowhere": (bolt(), acker())}) is None
    # Of a spout that got no acks none has to be known, and on one host there is none.
    some = {"edge": (spout(),), "nowhere": (spout(acked=0),), "fog": (acker(),)}
    assert found(some) == pytest.approx(0.83)
    assert found({"nowhere": (spout(0.03), bolt(), acker())}) == pytest.approx(0.03)


def test_without_acked_tuples_it_is_unknown() -> None:
    some = {"edge": (spout(None), spout(0.03, acked=0), bolt(), acker())}
    assert measured(some) == NO_LATENCY


def test_where_no_acker_reports_storms_figure_says_nothing() -> None:
    some = {"edge": (spout(0.03),), "fog": (bolt(),)}
    assert measured(some) == NO_LATENCY
