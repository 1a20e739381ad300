"""What the JSON API answers of forecasts, and what it keeps of them over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest
from eyewall_contracts.sample import TaskInput, TaskOutput, TaskSample
from eyewall_monitor.dashboard.flow_history import FlowHistory
from eyewall_monitor.dashboard.forecast_history import Band, ForecastHistory, ForecastPoint
from eyewall_monitor.dashboard.readers.forecast_reader import EVERY_SECONDS, ForecastReader
from eyewall_monitor.dashboard.sidecar_client import SidecarClient
from eyewall_monitor.dashboard.snapshot import (
    RedisSnapshot,
    SidecarSnapshot,
    Snapshot,
    ZookeeperSnapshot,
)
from eyewall_monitor.dashboard.views.forecast import forecast_view
from eyewall_monitor.dashboard.views.response_time import (
    MOST_POINTS,
    expected_points,
    response_time_view,
    throughput_view,
)
from msgspec import structs
from reports import COUNT_WORKER, FULL
from scripted_operations import Refusal
from sidecar_answers import a_forecast, a_topology

if TYPE_CHECKING:
    from collections.abc import Iterator

    from running_dashboard import RunningDashboard
    from scripted_operations import SidecarServer

ID = "word_count-1-1700000000"
NOW = 1_700_000_100.0


class Clock:
    """Moves only when a test moves it."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def client(sidecar: SidecarServer) -> Iterator[SidecarClient]:
    made = SidecarClient(sidecar.address)
    yield made
    made.close()


def snapshot(flow: FlowHistory | None = None, forecasts: ForecastHistory | None = None) -> Snapshot:
    return Snapshot(
        now=NOW,
        sidecar=SidecarSnapshot("s:1"),
        zookeeper=ZookeeperSnapshot(
            configured=True, age=0.5, samples={"edge-1": FULL}, sample_ages={"edge-1": 1.0}
        ),
        redis=RedisSnapshot(configured=True, age=0.5, flow=flow or FlowHistory(), history_age=0.5),
        forecasts=forecasts or ForecastHistory(),
    )


def report(until: float, *tasks: TaskSample, seconds: float = 5.0) -> Any:
    worker = structs.replace(COUNT_WORKER, until=until, seconds=seconds, tasks=tasks)
    return structs.replace(FULL, time=until, workers=(worker,))


def test_measured_cpu_is_next_to_the_predicted_share_of_each_host() -> None:
    view = forecast_view(snapshot(), a_forecast(1.5), 1.5)
    edge, cloud = view.hosts
    # 1.75 CPU-seconds in 5 s are 0.35 of 0.5 cores; predicted are 0.5, and 1.5 · 0.5.
    assert edge.host == "edge-1"
    assert edge.measured == pytest.approx(0.7)
    assert edge.then is not None
    assert (edge.now.value, edge.then.value) == (0.5, 0.75)
    assert [edge.then.least, edge.then.greatest] == pytest.approx([0.675, 0.825])
    assert (cloud.host, cloud.measured, cloud.report.state) == ("cloud-1", None, "missing")


def test_the_busiest_host_and_executor_come_first() -> None:
    view = forecast_view(snapshot(), a_forecast(), 1.0)
    assert [it.host for it in view.hosts] == ["edge-1", "cloud-1"]
    assert [it.executor for it in view.executors] == ["sentence[1-1]", "count.words[2-3]"]


def test_a_host_that_is_off_comes_last_without_a_share_and_its_executors_are_elsewhere() -> None:
    view = forecast_view(snapshot(), a_forecast(1.0, ["edge-1"]), 1.0, ["edge-1"], "odp")
    assert [(it.host, it.then is None) for it in view.hosts] == [
        ("cloud-1", False),
        ("edge-1", True),
    ]
    (move,) = view.moves
    assert (move.executor, move.source) == ("sentence[1-1]", "edge-1")
    assert (view.off, view.policy) == (("edge-1",), "odp")


def test_a_response_time_without_bound_has_no_value() -> None:
    view = forecast_view(snapshot(), a_forecast(3.0), 3.0)
    assert view.then.response_time.value is None
    assert view.then.throughput.value == 200  # 100 tuples/s, carried twice
    assert view.now.response_time.value == 0.05


def test_throughput_is_what_spouts_send_and_does_not_depend_on_late_reports() -> None:
    flow = FlowHistory()
    spout = TaskSample(
        1,
        "sentence",
        inputs=(TaskInput("__system", "__tick", 20),),
        outputs=(TaskOutput("default", 400, 800), TaskOutput("__ack_init", 400, 400)),
    )
    bolt = TaskSample(
        2, "count", (TaskInput("sentence", "default", 800),), (TaskOutput("default", 9000, 9000),)
    )
    flow.add(report(NOW - 20, spout, bolt))
    flow.add(report(NOW - 9, spout, bolt, seconds=11.0))  # one report was lost
    view = throughput_view(snapshot(flow), a_topology(), 60)
    # One task: 800 copies in 5 s are 160/s, 800 in 11 s are 72.7/s. Storm's own streams and what
    # bolts send are not counted.
    assert [it.value for it in view.measured] == pytest.approx([160, 72.727], rel=1e-3)
    assert view.measured_note == ""


def test_throughput_is_measured_without_acks_and_response_time_is_not() -> None:
    flow = FlowHistory()
    flow.add(report(NOW - 10, TaskSample(1, "sentence", (), (TaskOutput("default", 100, 100),))))
    assert [it.value for it in throughput_view(snapshot(flow), a_topology(), 60).measured] == [20]
    times = response_time_view(snapshot(flow), ID, None, 60)
    assert (times.measured, "without acks" in times.measured_note) == ((), True)


def test_the_history_of_forecasts_is_shown_with_its_gaps() -> None:
    forecasts = ForecastHistory()
    forecasts.add(ID, ForecastPoint(NOW - 90, Band(0.01, 0.01, 0.01), Band(10, 9, 11)))
    forecasts.add(ID, ForecastPoint(NOW - 40, None, None))
    forecasts.add(ID, ForecastPoint(NOW - 10, Band(0.05, 0.04, float("inf")), Band(50, 40, 60)))
    times = response_time_view(snapshot(forecasts=forecasts), ID, None, 60)
    assert [(it.at - NOW, it.value, it.greatest) for it in times.expected] == [
        (-40, None, None),
        (-10, 0.05, None),
    ]
    flow = throughput_view(snapshot(forecasts=forecasts), a_topology(), 60)
    assert [(it.value, it.least) for it in flow.expected] == [(None, None), (50, 40)]


def test_many_forecasts_are_thinned_but_the_newest_stays() -> None:
    points = expected_points((float(it), Band(it, it, it)) for it in range(1000))
    assert len(points) == MOST_POINTS
    assert points[-1].value == 999


def test_forecasts_older_than_a_day_and_of_ended_topologies_are_forgotten() -> None:
    history = ForecastHistory()
    for at in (0.0, 10.0, 86_405.0):
        history.add(ID, ForecastPoint(at, None, None))
    assert [it.at for it in history.points(ID, 0)] == [10.0, 86_405.0]
    history.retain(["other"])
    assert history.points(ID, 0) == []


def test_each_topology_is_forecast_every_half_minute(client: SidecarClient) -> None:
    clock = Clock()
    reader = ForecastReader(client, lambda: ["a-1-1", "b-1-1"], clock=clock, steady=clock)
    for _ in range(3):  # the third finds nothing to ask for
        reader.poll()
    clock.at += EVERY_SECONDS
    reader.poll()
    assert [it.at for it in reader.history.points("a-1-1", 0)] == [1000, 1000 + EVERY_SECONDS]
    assert [it.at for it in reader.history.points("b-1-1", 0)] == [1000]
    (first, _) = reader.history.points("a-1-1", 0)
    assert first.throughput == pytest.approx((100, 90, 110))


def test_a_refused_forecast_is_a_gap(client: SidecarClient, sidecar: SidecarServer) -> None:
    sidecar.operations.refusals = {
        "MakeForecast": Refusal(grpc.StatusCode.UNAVAILABLE, "2 executors have no slot")
    }
    clock = Clock()
    reader = ForecastReader(client, lambda: [ID], clock=clock, steady=clock)
    reader.poll()
    assert reader.history.points(ID, 0) == [ForecastPoint(1000, None, None)]


def test_a_forecast_by_the_rates_of_a_start_is_a_gap(
    client: SidecarClient, sidecar: SidecarServer
) -> None:
    sidecar.operations.unsettled = True
    clock = Clock()
    reader = ForecastReader(client, lambda: [ID], clock=clock, steady=clock)
    reader.poll()
    assert reader.history.points(ID, 0) == [ForecastPoint(1000, None, None)]


def test_the_api_asks_the_sidecar_for_the_rate(alone: RunningDashboard) -> None:
    answer = alone.get("topologies/word_count/forecast?rate=1.5").json()
    assert (answer["rate"], answer["then"]["throughput"]["value"]) == (1.5, 150)
    assert answer["then"]["bottleneck"] == "edge-1"
    assert alone.get("topologies/word_count/forecast").json()["rate"] == 1
    flow = alone.get("topologies/word_count/throughput").json()
    assert (flow["topology"], flow["measured"]) == (ID, [])
    assert "no Redis is configured" in flow["measured_note"]


def test_the_api_asks_the_sidecar_without_hosts_and_with_a_policy(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    answer = alone.get("topologies/word_count/forecast?off=cloud-1&off=cloud-1&policy=odp").json()
    assert (answer["off"], answer["policy"]) == (["cloud-1"], "odp")
    assert answer["moves"][0]["source"] == "cloud-1"
    assert {it["host"]: it["then"] is None for it in answer["hosts"]} == {
        "edge-1": False,
        "cloud-1": True,
    }
    request = next(it for it in sidecar.operations.forecasts_asked if it.policy == "odp")
    assert [(it.host, it.share) for it in request.hosts] == [("cloud-1", 0.0)]


@pytest.mark.parametrize("rate", ["0", "-1", "nan", "inf", "twice"])
def test_a_rate_that_makes_no_sense_is_422(alone: RunningDashboard, rate: str) -> None:
    answer = alone.get(f"topologies/word_count/forecast?rate={rate}")
    assert answer.status_code == 422
    assert "rate" in answer.json()["detail"]


def test_a_topology_that_the_sidecar_does_not_know_is_404_with_similar_names(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    sidecar.operations.refusals = {
        "MakeForecast": Refusal(grpc.StatusCode.NOT_FOUND, "no topology wc", "word_count")
    }
    answer = alone.get("topologies/wc/forecast")
    assert (answer.status_code, answer.json()["nearest"]) == (404, ["word_count"])
