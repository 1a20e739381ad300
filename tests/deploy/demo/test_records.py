import json

from eyewall_deploy.demo.records import Medians, Placement, Run, medians, plain
from eyewall_deploy.measure.latency import Summary
from eyewall_deploy.measure.nimbus import Executor

HOSTS = {
    Executor("tag", 6, 6): "edge-1",
    Executor("tag", 5, 5): "edge-1",
    Executor("source", 9, 9): "cloud-1",
    Executor("__acker", 1, 1): "edge-1",
}


def run(scheduler: str, p50: float, complete: float | None = None) -> Run:
    placement = Placement(HOSTS, "", predicted=p50 / 2, predicted_mean=None, detour=0.0)
    return Run(scheduler, placement, Summary(100, p50, 2 * p50, 0), complete, 20.0)


def test_hosts_are_listed_with_their_executors() -> None:
    assert run("ras", 1.0).placement.host_words() == ["cloud-1: source", "edge-1: __acker, tag ×2"]


def test_medians_are_by_scheduler_in_the_order_of_their_turns() -> None:
    runs = [run("ras", 3.0), run("eyewall", 1.0), run("ras", 5.0, 7.0), run("ras", 4.0)]
    assert medians(runs) == [
        Medians("ras", 3, 2.0, None, 4.0, 8.0, 7.0, 0.0),
        Medians("eyewall", 1, 0.5, None, 1.0, 2.0, None, 0.0),
    ]


def test_records_become_json_with_executors_as_text() -> None:
    content = json.loads(json.dumps(plain([run("ras", 1.0)])))
    assert content[0]["placement"]["hosts"]["tag:5"] == "edge-1"
    assert content[0]["measured"] == {"tuples": 100, "p50": 1.0, "p99": 2.0, "missing": 0}
