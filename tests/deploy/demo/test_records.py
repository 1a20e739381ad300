import json

from eyewall_deploy.demo.records import (
    DemoPlacement,
    RunMedians,
    SchedulerRun,
    TimelinePoint,
    medians,
    timeline,
    to_json,
)
from eyewall_deploy.measure.latency import LatencySummary
from eyewall_deploy.measure.tuple_events import TupleArrival, TupleEvents
from eyewall_deploy.storm.nimbus import RunningExecutor

HOSTS = {
    RunningExecutor("tag", 6, 6): "edge-1",
    RunningExecutor("tag", 5, 5): "edge-1",
    RunningExecutor("source", 9, 9): "cloud-1",
    RunningExecutor("__acker", 1, 1): "edge-1",
}


def run(scheduler: str, p50: float, complete: float | None = None) -> SchedulerRun:
    placement = DemoPlacement(HOSTS, "", predicted=p50 / 2, predicted_mean=None, detour=0.0)
    return SchedulerRun(scheduler, placement, LatencySummary(100, p50, 2 * p50, 0), complete, 20.0)


def test_hosts_are_listed_with_their_executors() -> None:
    assert run("ras", 1.0).placement.describe_hosts() == [
        "cloud-1: source",
        "edge-1: __acker, tag ×2",
    ]


def test_medians_are_by_scheduler_in_the_order_of_their_turns() -> None:
    runs = [run("ras", 3.0), run("eyewall", 1.0), run("ras", 5.0, 7.0), run("ras", 4.0)]
    assert medians(runs) == [
        RunMedians("ras", 3, 2.0, None, 4.0, 8.0, 7.0, 0.0),
        RunMedians("eyewall", 1, 0.5, None, 1.0, 2.0, None, 0.0),
    ]


def test_records_become_json_with_executors_as_text() -> None:
    content = json.loads(json.dumps(to_json([run("ras", 1.0)])))
    assert content[0]["placement"]["hosts"]["tag:5"] == "edge-1"
    assert content[0]["measured"] == {"tuples": 100, "p50": 1.0, "p99": 2.0, "missing": 0}


def test_latency_over_time_spans_all_that_was_emitted_and_leaves_lost_tuples_unknown() -> None:
    # Emitted at 0, 1.2 and 2 s; the one of 1.2 s never arrives. Windows of 1 s end at 1, 1.5, 2 s:
    # [0, 1) holds "a", [0.5, 1.5) and [1, 2) hold only "b", which never arrived.
    events = TupleEvents(
        emitted={"a": 0.0, "b": 1.2, "c": 2.0},
        acked={},
        dropped={},
        failed=(),
        arrivals=(TupleArrival("a", 0.0, 0.3), TupleArrival("c", 2.0, 2.1)),
    )
    assert timeline("ras", events).moments == (
        TimelinePoint(1.0, 0.3, 0.3),
        TimelinePoint(1.5, None, None),
        TimelinePoint(2.0, None, None),
    )


def test_a_topology_that_emitted_nothing_has_no_points() -> None:
    nothing = TupleEvents(emitted={}, acked={}, dropped={}, failed=(), arrivals=())
    assert timeline("ras", nothing).moments == ()
