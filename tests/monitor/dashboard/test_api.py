"""The JSON API of a running dashboard, on real stores."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from decision_records import FULL_DECISION, decision
from eyewall_contracts.decision import MetricChange, Verdict, record_id
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.sample import TaskOutput, TaskSample
from msgspec.structs import replace
from rate_documents import FULL_RATES, an_estimate
from reports import COUNT_WORKER, FULL
from sidecar_answers import a_status, a_topology

if TYPE_CHECKING:
    from dashboard_stores import Stores
    from eyewall_contracts.sample import Sample
    from running_dashboard import RunningDashboard
    from scripted_operations import SidecarServer

WORD_COUNT = "word_count-1-1700000000"


def report(
    host: str, until: float, acked: int = 100, latency: float = 0.05, run: int = 0
) -> Sample:
    """A report of a host whose spout saw tuple trees end."""
    spout = TaskSample(1, "sentence", outputs=(TaskOutput("default", 200, 200, acked, 0, latency),))
    worker = replace(COUNT_WORKER, until=until, tasks=(spout,), threads=())
    return replace(FULL, host=host, time=until, sequence=run, workers=(worker,))


def test_the_cluster_view_combines_sidecar_stores_and_agents(
    running: RunningDashboard, stores: Stores
) -> None:
    stores.report(report("edge-1", time.time()))
    stores.place("edge-1", 0.0, 0.0)
    stores.place("cloud-1", 0.03, 0.04)
    stores.probe("edge-1", "cloud-1", 0.05)
    seen = running.until(
        "cluster",
        lambda it: (
            it["supervisors"]
            and it["links"][0]["measured"]
            and it["supervisors"][1]["report"]["state"] == "fresh"
        ),
    )
    cloud, edge = seen["supervisors"]
    assert (edge["host"], edge["site"], edge["labels"]) == ("edge-1", "edge", ["big", "fast"])
    assert (edge["slots"], edge["slots_used"], edge["executors"]) == (2, 1, 1)
    assert edge["topologies"] == ["word_count"]
    assert edge["cores_requested"] == 0.5
    # 1.75 CPU-seconds in 5 s on half a core; 0.5 s of 5 s stopped by the quota.
    assert edge["load"]["cores_busy"] == pytest.approx(0.35)
    assert edge["load"]["cores"] == 0.5
    assert edge["load"]["throttled"] == pytest.approx(0.1)
    assert edge["load"]["memory_used"] == 2_147_483_648 - 1_073_741_824
    assert edge["latency"]["state"] == "fresh"
    assert edge["latency"]["confidence"] == pytest.approx(0.9)
    # Only edge-1's agent reports.
    assert cloud["report"]["state"] == "missing"
    assert cloud["load"] is None
    # 3-4-5: the two are 50 ms apart on the map, as in the latency space.
    a, b = edge["position"], cloud["position"]
    assert a["source"] == "coordinates"
    assert ((a["x"] - b["x"]) ** 2 + (a["y"] - b["y"]) ** 2) ** 0.5 == pytest.approx(0.05, abs=1e-5)
    # The sidecar uses 20 ms; half of a round trip of 50 ms was measured; the coordinates say
    # 50 ms and two heights of 1 ms there and back.
    link = seen["links"][0]
    assert link["delay"] == 0.02
    assert link["measured"] == pytest.approx(0.025)
    assert link["estimated"] == pytest.approx(0.026)
    assert seen["nimbus"]["state"] == seen["sidecar"]["state"] == "fresh"
    assert seen["rules"]["workers_per_round"] == 4
    assert seen["rules"]["workers_per_hour"] is None


def test_a_host_that_reports_without_a_supervisor_is_listed(
    running: RunningDashboard, stores: Stores
) -> None:
    stores.report(report("fog-9", time.time()))
    running.until("cluster", lambda it: it["gone"] == ["fog-9"])


def test_a_topology_is_found_by_id_and_by_name(running: RunningDashboard, stores: Stores) -> None:
    stores.report(report("edge-1", time.time(), latency=0.05))
    now = time.time()
    emitted = replace(
        FULL_RATES.emissions[0],
        component="count_words",
        stream="default",
        rate=an_estimate(2000, now),
    )
    streams = tuple(replace(it, rate=an_estimate(2000, now)) for it in FULL_RATES.streams)
    stores.rate(replace(FULL_RATES, written=now, emissions=(emitted,), streams=streams))
    seen = running.until(
        "topologies/word_count",
        lambda it: (
            it["summary"]["measured_response_time"] and it["summary"]["rates"]["state"] == "fresh"
        ),
    )
    assert seen["summary"]["id"] == WORD_COUNT
    assert running.get(f"topologies/{WORD_COUNT}").json()["summary"]["id"] == WORD_COUNT
    assert seen["summary"]["response_time"] == 0.041
    assert seen["summary"]["measured_response_time"] == pytest.approx(0.05)
    sentence, count = seen["components"]
    assert (sentence["kind"], count["kind"]) == ("spout", "bolt")
    # Storm's reporter writes underscores for dots.
    assert (count["id"], count["emitted"]) == ("count.words", 2000)
    assert count["executors"][0]["host"] == "cloud-1"
    stream, acks = seen["streams"]
    assert (stream["grouping"], stream["signal"]["state"]) == ("partial key", "fresh")
    assert (stream["error"], acks["error"]) == (4.5, None)
    assert (acks["system"], acks["signal"]["state"]) == (True, "missing")
    assert [it["executor"] for it in seen["slowest_path"]] == ["sentence[1-1]", "count.words[2-3]"]
    assert 0 < seen["cooling"] <= 600


def test_an_unknown_topology_is_404_with_similar_names(alone: RunningDashboard) -> None:
    for path in (
        "topologies/word_cuont",
        "topologies/word_cuont/response-time",
    ):
        answer = alone.get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["nearest"][0] == "word_count"
        assert "did you mean word_count" in answer.json()["detail"]


def test_a_changed_placement_is_shown(alone: RunningDashboard, sidecar: SidecarServer) -> None:
    moved = a_status(revision=2)
    moved.topologies[0].executors[1].host = "edge-1"
    sidecar.operations.status = moved
    alone.until(
        "topologies/word_count",
        lambda it: it["components"][1]["executors"][0]["host"] == "edge-1",
    )


def test_the_last_answers_of_a_stopped_sidecar_stay_until_it_is_back(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    sidecar.stop()
    note = f"the sidecar at {sidecar.address}: no connection"
    seen = alone.until("cluster", lambda it: it["sidecar"]["note"] == note)
    assert seen["sidecar"]["state"] == "stale"
    assert len(seen["supervisors"]) == 2
    assert alone.get("policies").status_code == 503
    assert alone.post("plans", {"topology": "word_count"}).status_code == 503
    sidecar.start()
    alone.until("cluster", lambda it: it["sidecar"]["state"] == "fresh")


def test_without_stores_their_data_is_missing_never_zero(
    alone: RunningDashboard,
) -> None:
    seen = alone.get("cluster").json()
    assert seen["supervisors"][0]["load"] is None
    assert "no ZooKeeper is configured" in seen["supervisors"][0]["report"]["note"]
    assert "no Redis is configured" in seen["supervisors"][0]["latency"]["note"]
    assert seen["not_configured"] == ["zookeeper", "redis"]
    assert not seen["switches"]["available"]
    # The delays of all pairs are known: 20 ms there and 20 ms back.
    a, b = (it["position"] for it in seen["supervisors"])
    assert a["source"] == "delays"
    assert abs(a["x"] - b["x"]) == pytest.approx(0.04)
    answer = alone.get("decisions")
    assert (answer.status_code, answer.json()["title"]) == (503, "Away")
    times = alone.get("topologies/word_count/response-time").json()
    assert times["measured"] == []
    assert "no Redis is configured" in times["measured_note"]


def test_decisions_are_paged_and_filtered(running: RunningDashboard, stores: Stores) -> None:
    now = time.time()
    stores.decide(*(decision(now - 10 + i, i) for i in range(3)))
    stores.decide(replace(FULL_DECISION, id=record_id(now - 60, "ab", 7)))
    page = running.until("decisions?count=2", lambda it: len(it["decisions"]) == 2)
    assert [it["said"] for it in page["decisions"]] == ["decision 2", "decision 1"]
    rest = running.get("decisions", params={"count": 2, "before": page["older"]}).json()
    assert rest["decisions"][0]["said"] == "decision 0"
    assert rest["older"] is None
    for name in ("word_count", WORD_COUNT):
        found = running.get("decisions", params={"topology": name}).json()["decisions"]
        assert [(it["name"], it["verdict"]) for it in found] == [("word_count", "moved")]
    assert running.get("decisions?verdict=placed").json()["decisions"] == []
    running.until("topologies", lambda it: it)
    unknown = running.get("decisions?topology=word_cont")
    assert unknown.status_code == 404
    assert unknown.json()["nearest"][0] == "word_count"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("decisions?count=0", "count is '0': input should be greater than or equal to 1"),
        ("decisions?verdict=mvd", "verdict is 'mvd': input should be 'placed', 'moved', 'kept' or"),
        ("decisions?before=yesterday", "before: decision 'yesterday': it must be MILLISECONDS"),
        ("decisions/first", "decision 'first': it must be MILLISECONDS-RUN-NUMBER"),
        ("topologies/word_count/response-time?seconds=5", "seconds is '5'"),
        ("topologies/word_count/explain", "executor: it is required"),
    ],
)
def test_a_bad_parameter_is_422_with_its_value_and_what_is_allowed(
    running: RunningDashboard, path: str, said: str
) -> None:
    running.until("cluster", lambda it: it["sidecar"]["state"] == "fresh")
    running.until("health", lambda it: _part(it, "zookeeper")["signal"]["state"] == "fresh")
    answer = running.get(path)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def _is_wrong(part: Any) -> bool:
    return bool(part["signal"]["state"] != "fresh")


def _part(health: Any, name: str) -> Any:
    return next(it for it in health["parts"] if it["name"] == name)


def test_a_decision_is_shown_with_its_measured_gain(
    running: RunningDashboard, stores: Stores
) -> None:
    made = time.time() - 500
    # 60 ms until the decision, 500 ms in the minute of the move, 40 ms afterwards.
    for until, latency in ((-100, 0.05), (-50, 0.07), (30, 0.5), (100, 0.03), (200, 0.05)):
        stores.remember(report("edge-1", made + until, latency=latency))
    moved = replace(FULL_DECISION, id=record_id(made, "ab", 7))
    stores.decide(moved)
    seen = running.until(
        f"decisions/{moved.id}",
        lambda it: None not in (it["gain"]["measured_before"], it["gain"]["measured_after"]),
    )
    assert seen["gain"] == {
        "predicted_before": 0.061,
        "predicted_after": 0.041,
        "measured_before": pytest.approx(0.06),
        "measured_after": pytest.approx(0.04),
        "note": "",
    }
    assert seen["done"]
    assert seen["moves"][0] == {
        "executor": "count[3-3]",
        "source": "edge-1",
        "target": "cloud-1",
        "source_port": None,
        "target_port": None,
    }
    assert seen["moves"][1]["source"] is None
    assert seen["summary"]["moves"] == 3  # one of them is left out
    assert [(it["name"], it["unit"]) for it in seen["metrics"]] == [("R", "s"), ("objective", "")]


def test_a_decision_that_does_not_exist_is_404(running: RunningDashboard) -> None:
    running.until("health", lambda it: _part(it, "zookeeper")["signal"]["state"] == "fresh")
    answer = running.get(f"decisions/{FULL_DECISION.id}")
    assert answer.status_code == 404
    assert "30 days" in answer.json()["detail"]


def test_response_time_has_predictions_measurements_and_reassignments(
    running: RunningDashboard, stores: Stores
) -> None:
    made = time.time() - 300
    stores.remember(report("edge-1", made - 50, latency=0.07))
    stores.remember(report("edge-1", made + 50, latency=0.03))
    moved = replace(FULL_DECISION, id=record_id(made, "ab", 7))
    kept = replace(
        FULL_DECISION,
        id=record_id(made + 100, "ab", 8),
        verdict=Verdict.KEPT,
        metrics=(MetricChange("R", 0.041, 0.04),),
    )
    stores.decide(moved, kept)
    seen = running.until(
        "topologies/word_count/response-time?seconds=600",
        lambda it: len(it["measured"]) >= 2 and len(it["predicted"]) == 4,
    )
    # Before and after the move, at the decision that kept it, and now.
    assert [it["value"] for it in seen["predicted"]] == [0.061, 0.041, 0.041, 0.041]
    assert [it["value"] for it in seen["measured"] if it["value"] is not None] == [
        pytest.approx(0.07),
        pytest.approx(0.03),
    ]
    assert [it["decision"] for it in seen["reassignments"]] == [moved.id]
    assert seen["reassignments"][0]["moves"] == 3


def test_an_explanation_has_the_answer_and_alternatives(
    alone: RunningDashboard, sidecar: SidecarServer
) -> None:
    found = alone.get(
        "topologies/word_count/explain", params={"executor": "count.words[2-3]", "host": "edge-1"}
    ).json()
    assert sidecar.operations.asked[0].host == "edge-1"
    assert found["answer"] == "edge-1 has no cores left"
    assert found["alternatives"][1]["constraint"] == "cpu"
    assert found["alternatives"][1]["response_time_added"] is None


def test_health_has_every_part_and_its_problem(running: RunningDashboard, stores: Stores) -> None:
    now = time.time()
    for host in ("edge-1", "cloud-1"):
        stores.report(report(host, now))
        stores.place(host, 0.0, 0.0)
    streams = tuple(replace(it, rate=an_estimate(2000, now - 2)) for it in FULL_RATES.streams)
    stores.rate(replace(FULL_RATES, written=now, streams=streams))
    seen = running.until("health", lambda it: it["well"])
    assert _part(seen, "rates job")["lag"] >= 2
    assert "3 reports lost, 7 samples late" in _part(seen, "rates job")["detail"]
    agents = [it["host"] for it in seen["parts"] if it["name"] == "monitor agent"]
    assert agents == ["cloud-1", "edge-1"]
    stores.client.delete(stores.paths.sample("cloud-1"))
    running.until(
        "health",
        lambda it: (
            [(part["name"], part["host"]) for part in it["parts"] if _is_wrong(part)]
            == [("monitor agent", "cloud-1")]
        ),
    )


def test_an_unchanged_answer_is_304(alone: RunningDashboard) -> None:
    first = alone.get("policies")
    again = alone.get("policies", headers={"If-None-Match": f'"other", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert alone.get("policies", headers={"If-None-Match": '"other"'}).status_code == 200
    cluster = alone.get("cluster", headers={"Accept-Encoding": "gzip"})
    assert cluster.headers["content-encoding"] == "gzip"
    plain = alone.get("cluster", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers


def test_head_is_get_without_a_body(alone: RunningDashboard) -> None:
    for path in ("/api/v1/cluster", "/api/v1/policies", "/api/v1/topologies/nobody", "/metrics"):
        got, head = alone.http.get(path), alone.http.head(path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert head.headers["content-type"] == got.headers["content-type"]
    # The events have no end, what is said of them has.
    assert alone.http.head("/api/v1/events").headers["content-type"].startswith("text/event-stream")


def test_openapi_describes_every_operation_and_error(
    alone: RunningDashboard,
) -> None:
    described = alone.http.get("/openapi.json").json()
    paths = described["paths"]
    assert "/api/v1/topologies/{topology}/explain" in paths
    for methods in paths.values():
        for operation in methods.values():
            assert operation["tags"]
            assert operation["summary"]
    errors = paths["/api/v1/plans"]["post"]["responses"]
    assert {"201", "403", "404", "409", "422", "503"} <= set(errors)
    assert list(errors["404"]["content"]) == ["application/problem+json"]
    schemas = described["components"]["schemas"]
    assert "nearest" in schemas["Problem"]["properties"]
    assert "HTTPValidationError" not in schemas
    assert alone.http.get("/docs").status_code == 404  # it would load scripts from elsewhere


def test_topologies_are_sorted_by_name(alone: RunningDashboard, sidecar: SidecarServer) -> None:
    status = a_status(revision=2)
    other = pb.TopologyStatus()
    other.CopyFrom(a_topology())
    other.topology_id, other.name = "alpha-2-1700000000", "alpha"
    status.topologies.append(other)
    sidecar.operations.status = status
    seen = alone.until("topologies", lambda it: len(it) == 2)
    assert [it["name"] for it in seen] == ["alpha", "word_count"]
