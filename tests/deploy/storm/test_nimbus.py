from types import SimpleNamespace
from typing import Any

from eyewall_deploy.storm.nimbus import (
    RunningExecutor,
    WorkerSlot,
    convert_topology,
    describe_hosts,
    describe_workers,
    find_moves,
)


def summary(component: str, task: int, host: str, port: int = 6700) -> Any:
    return SimpleNamespace(
        component_id=component,
        executor_info=SimpleNamespace(task_start=task, task_end=task),
        host=host,
        port=port,
    )


def info(executors: list[Any], sched_status: str | None = None) -> Any:
    return SimpleNamespace(
        id="t-1-1", name="t", status="ACTIVE", sched_status=sched_status, executors=executors
    )


def test_executors_are_known_by_component_and_task_with_their_slot() -> None:
    topology = convert_topology(
        info([summary("tag", 5, "fog-1"), summary("__acker", 1, "edge-1", 6701)])
    )
    assert topology.slots == {
        RunningExecutor("tag", 5, 5): WorkerSlot("fog-1", 6700),
        RunningExecutor("__acker", 1, 1): WorkerSlot("edge-1", 6701),
    }
    assert topology.scheduling == ""


def test_moved_is_what_changed_its_host() -> None:
    a, b, c = (RunningExecutor(name, 1, 1) for name in "abc")
    assert find_moves({a: "x", b: "x"}, {a: "x", b: "y", c: "z"}) == [b]


def test_a_host_and_each_of_its_workers_is_described_by_its_executors() -> None:
    topology = convert_topology(
        info(
            [
                summary("tag", 5, "fog-1"),
                summary("tag", 4, "fog-1"),
                summary("sink", 6, "fog-1", 6701),
                summary("source", 1, "edge-1"),
            ]
        )
    )
    assert describe_hosts(topology.hosts()) == ["edge-1: source", "fog-1: sink, tag ×2"]
    assert describe_workers(topology.slots) == ["edge-1: source", "fog-1: sink", "fog-1: tag ×2"]
