from types import SimpleNamespace
from typing import Any

import pytest
from eyewall_deploy.storm.nimbus import RunningExecutor, WorkerSlot, convert_topology, find_moves


def summary(component: str, task: int, host: str, port: int = 6700, spout: Any = None) -> Any:
    stats = SimpleNamespace(specific=SimpleNamespace(spout=spout)) if spout else None
    return SimpleNamespace(
        component_id=component,
        executor_info=SimpleNamespace(task_start=task, task_end=task),
        host=host,
        port=port,
        stats=stats,
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
    assert [executor.is_system for executor in topology.hosts()] == [True, False]
    assert topology.scheduling == ""


def test_complete_latency_weighs_each_spout_executor_with_its_acks() -> None:
    # 100 acks at 20 ms and 300 at 40 ms: (2000 + 12000) / 400 = 35 ms.
    def spout(milliseconds: float, acks: int) -> Any:
        return SimpleNamespace(
            complete_ms_avg={":all-time": {"default": milliseconds}},
            acked={":all-time": {"default": acks}},
        )

    topology = convert_topology(
        info([summary("s", 1, "a", spout=spout(20.0, 100)),
              summary("s", 2, "b", spout=spout(40.0, 300)),
              summary("tag", 3, "b")])
    )  # fmt: skip
    assert topology.complete_latency == pytest.approx(0.035)


def test_without_a_sample_there_is_no_complete_latency() -> None:
    empty = SimpleNamespace(complete_ms_avg={":all-time": {}}, acked={})
    assert convert_topology(info([summary("s", 1, "a", spout=empty)])).complete_latency is None


def test_moved_is_what_changed_its_host() -> None:
    a, b, c = (RunningExecutor(name, 1, 1) for name in "abc")
    assert find_moves({a: "x", b: "x"}, {a: "x", b: "y", c: "z"}) == [b]
