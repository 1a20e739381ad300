"""What tuples take to the end of their way, by the complete latency that an acker reports."""

from collections.abc import Mapping

import pytest
from delay_tables import delay_table
from eyewall_contracts.sample import TaskInput, TaskOutput, TaskSample, WorkerSample
from eyewall_sidecar.service.response_time import end_tasks, measured_response_time
from eyewall_sidecar.storm import Component, ComponentKind, Executor, Grouping, Input, Topology
from storm_builders import chain

CHAIN = chain(("source", 1), ("tag", 1), ("count", 1), acker=True)
SOURCE, TAG, COUNT, ACKER = 1, 2, 3, 4
FAR = delay_table({("edge", "fog"): 400, ("fog", "cloud"): 30, ("edge", "cloud"): 50})


def spout(latency: float | None = 0.03, task: int = SOURCE, acked: int = 100) -> TaskSample:
    output = TaskOutput("default", acked, acked, acked, complete_latency=latency)
    return TaskSample(task, "source", outputs=(output,))


def bolt(name: str, task: int, executed: int = 100) -> TaskSample:
    inputs = TaskInput("tag", "default", executed), TaskInput("__system", "__tick", 1000)
    return TaskSample(task, name, inputs)


def acker(task: int = ACKER) -> TaskSample:
    return TaskSample(task, "__acker")


def found(tasks: Mapping[str, tuple[TaskSample, ...]], topology: Topology = CHAIN) -> float | None:
    workers = {
        (host, 6700): WorkerSample("t", 6700, "w", 0.0, 5.0, 5.0, 20, tasks=its)
        for host, its in tasks.items()
    }
    return measured_response_time(workers, end_tasks(topology), FAR)


def test_the_way_from_spout_to_acker_is_not_in_the_complete_latency() -> None:
    # At the consumer's host an acker sees the first message 400 ms late, the last without delay.
    far = {"edge": (spout(0.03),), "fog": (bolt("count", COUNT), acker())}
    assert found(far) == pytest.approx(0.43)


def test_the_way_from_the_last_bolt_to_the_acker_is_in_it() -> None:
    # At the spout's host it sees the first at once, and the last 400 ms after it was sent.
    far = {"edge": (spout(0.83), acker()), "fog": (bolt("count", COUNT),)}
    assert found(far) == pytest.approx(0.43)


def test_where_all_is_on_one_host_it_is_the_complete_latency() -> None:
    here = {"edge": (spout(0.03), bolt("count", COUNT), acker())}
    assert found(here) == pytest.approx(0.03)


def test_trees_are_spread_over_all_ackers_alike() -> None:
    # One at either end: half of the trees are as in the first case, half as in the second, which
    # report (30 + 830) / 2 = 430 ms.
    both = {"edge": (spout(0.43), acker()), "fog": (bolt("count", COUNT), acker(5))}
    assert found(both) == pytest.approx(0.43)


def test_spouts_count_by_what_was_acked_and_ends_by_what_they_took() -> None:
    # Spouts: 100 acked on the edge with 30 ms, 300 in the cloud with 70 ms: 60 ms on average, and
    # 0.25 · 400 + 0.75 · 30 = 122.5 ms to the acker in the fog. Ends: 300 of 400 on the edge, 100
    # in the fog: 0.75 · 400 = 300 ms to it. 60 + 122.5 - 300 is less than nothing, so 560 ms here.
    topology = chain(("source", 2), ("count", 2), acker=True)
    where = {
        "edge": (spout(0.53, task=1, acked=100), bolt("count", 3, 300)),
        "cloud": (spout(0.57, task=2, acked=300),),
        "fog": (bolt("count", 4, 100), acker(5)),
    }
    assert found(where, topology) == pytest.approx(0.56 + 0.1225 - 0.3)


def test_ends_that_counted_nothing_yet_count_alike() -> None:
    # Storm counts one in twenty. 400 ms / 2 from two ends.
    topology = chain(("source", 1), ("count", 2), acker=True)
    where = {"edge": (spout(0.83), bolt("count", 2, 0), acker()), "fog": (bolt("count", 3, 0),)}
    assert found(where, topology) == pytest.approx(0.83 - 0.2)


def test_a_delay_that_is_not_known_leaves_it_unknown() -> None:
    assert found({"edge": (spout(),), "nowhere": (bolt("count", COUNT), acker())}) is None
    # On one host there is none to be known.
    assert found({"nowhere": (spout(0.03), bolt("count", COUNT), acker())}) == pytest.approx(0.03)


def test_a_latency_that_delays_leave_nothing_of_is_unknown() -> None:
    # The last acks alone take 400 ms.
    assert found({"edge": (spout(0.03), acker()), "fog": (bolt("count", COUNT),)}) is None


def test_without_acked_tuples_it_is_unknown() -> None:
    silent = (spout(None), spout(0.03, acked=0), bolt("count", COUNT), acker())
    assert found({"edge": silent}) is None


def test_where_no_acker_reports_it_is_the_complete_latency() -> None:
    assert found({"edge": (spout(0.03),), "fog": (bolt("count", COUNT),)}) == pytest.approx(0.03)


def test_ways_end_in_all_bolts_that_feed_no_other_bolt() -> None:
    assert end_tasks(CHAIN) == {COUNT}

    def part(name: str, first: int, last: int, *sources: str) -> Component:
        kind = ComponentKind.BOLT if sources else ComponentKind.SPOUT
        inputs = tuple(Input(it, "default", Grouping.SHUFFLE) for it in sources)
        return Component(name, kind, (Executor(first, last),), inputs=inputs)

    branches = (
        part("source", 1, 1),
        part("left", 2, 3, "source"),
        part("right", 4, 4, "source"),
        part("join", 5, 6, "left"),
    )
    # Executors of two tasks have two ends. Storm's own are none.
    metrics = Component("__acker", ComponentKind.SYSTEM, (Executor(7, 7),))
    assert end_tasks(Topology("t", "t", (*branches, metrics))) == {4, 5, 6}
