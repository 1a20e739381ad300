"""Views of snapshots, without a store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from decision_records import FULL_DECISION
from eyewall_contracts.decision import Verdict, record_id
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.sample import TaskOutput, TaskSample
from eyewall_contracts.switches import Switches
from eyewall_contracts.topology_id import topology_name
from eyewall_monitor.dashboard.flow_history import FlowHistory, FlowSpan, latest, mean
from eyewall_monitor.dashboard.readers.reader import LONGEST_PAUSE
from eyewall_monitor.dashboard.snapshot import (
    RedisSnapshot,
    SidecarSnapshot,
    Snapshot,
    ZookeeperSnapshot,
)
from eyewall_monitor.dashboard.views.cluster import cluster_view
from eyewall_monitor.dashboard.views.decision import MeasuredGain, measured_gain
from eyewall_monitor.dashboard.views.decision_summary import decision_summary
from eyewall_monitor.dashboard.views.health import health_view
from eyewall_monitor.dashboard.views.plan import PlanSummaryView, WorkerChangeView
from eyewall_monitor.dashboard.views.response_time import (
    MOST_POINTS,
    measured_points,
    response_time_view,
)
from eyewall_monitor.dashboard.views.signal import nimbus_signal, redis_signal
from eyewall_monitor.dashboard.views.switches import switches_view
from msgspec import structs
from reports import COUNT_WORKER, FULL
from sidecar_answers import a_status

MADE = FULL_DECISION.time
TOPOLOGY = FULL_DECISION.topology


def answered(**changes: Any) -> SidecarSnapshot:
    return SidecarSnapshot("s:1", status=a_status(**changes), age=0.5, round_age=1.0, error="")


def measured(*spans: tuple[float, float]) -> FlowHistory:
    """One hundred trees at each of these moments after the decision, in seconds."""
    times = FlowHistory()
    for after, seconds in spans:
        spout = TaskSample(1, "sentence", outputs=(TaskOutput("default", 1, 1, 100, 0, seconds),))
        worker = structs.replace(COUNT_WORKER, until=MADE + after, tasks=(spout,))
        times.add(structs.replace(FULL, time=MADE + after, workers=(worker,)))
    times.set_complete_since(MADE - 3600)
    return times


def snapshot(now: float, times: FlowHistory | None = None, **store: Any) -> Snapshot:
    redis = RedisSnapshot()
    if times is not None:
        redis = RedisSnapshot(configured=True, age=0.5, flow=times, history_age=0.5)
    zookeeper = ZookeeperSnapshot(configured=True, age=0.5, **store)
    return Snapshot(now=now, sidecar=answered(), zookeeper=zookeeper, redis=redis)


def gain_of(record: Any, *args: Any, **store: Any) -> MeasuredGain:
    return measured_gain(decision_summary(record), snapshot(*args, **store))


def test_the_gain_leaves_out_the_minute_of_the_move() -> None:
    times = measured((-400, 9.0), (-200, 0.06), (-10, 0.08), (20, 5.0), (70, 0.04), (370, 9.0))
    gain = gain_of(FULL_DECISION, MADE + 1000, times)
    assert gain.measured_before == pytest.approx(0.07)
    assert gain.measured_after == pytest.approx(0.04)
    assert gain.note == ""


def test_a_pending_gain_has_the_time_that_is_left() -> None:
    gain = gain_of(FULL_DECISION, MADE + 100, measured((-10, 0.08), (70, 0.04)))
    assert gain.measured_before == pytest.approx(0.08)
    assert gain.measured_after is None
    assert "260 s" in gain.note  # 60 + 300 - 100


def test_an_unknown_gain_has_a_reason() -> None:
    late = MADE + 1000
    without = gain_of(FULL_DECISION, late)
    assert "no Redis is configured" in without.note
    young = measured()
    young.set_complete_since(MADE)
    assert "does not go back that far" in gain_of(FULL_DECISION, late, young).note
    partly = measured((-10, 0.08), (70, 0.04))
    partly.set_complete_since(MADE - 20)
    assert "does not cover" in gain_of(FULL_DECISION, late, partly).note
    silent = gain_of(FULL_DECISION, late, measured())
    assert "No spout reported an acked tuple" in silent.note


def test_other_moves_in_the_same_minutes_are_noted() -> None:
    other = structs.replace(FULL_DECISION, id=record_id(MADE + 200, "ab", 1))
    kept = structs.replace(FULL_DECISION, id=record_id(MADE + 210, "ab", 2), verdict=Verdict.KEPT)
    decisions = tuple(map(decision_summary, (kept, other, FULL_DECISION)))
    times = measured((-10, 0.08), (70, 0.04))
    gain = gain_of(FULL_DECISION, MADE + 1000, times, decisions=decisions)
    assert "1 other move" in gain.note


def test_a_decision_without_moves_is_noted() -> None:
    kept = structs.replace(FULL_DECISION, verdict=Verdict.KEPT)
    assert "No executor was moved." in gain_of(kept, MADE + 1000, measured()).note


def test_response_time_is_weighted_by_tuple_trees() -> None:
    # 100 trees of 10 ms and 300 of 50 ms: (1 + 15) s / 400 = 40 ms.
    assert mean([FlowSpan(0.0, 100, 1.0), FlowSpan(5.0, 300, 15.0)]) == pytest.approx(0.04)
    assert mean([]) is None
    assert latest([FULL]) == {"word_count-1-1700000000": pytest.approx(0.0405)}


def test_response_time_is_that_of_the_last_minute_or_of_the_latest_reports() -> None:
    topology = FULL_DECISION.topology
    # A hundred trees each, of 9 s, 60 ms and 80 ms; the first ones are older than a minute.
    times = measured((-70, 9.0), (-50, 0.06), (-10, 0.08))
    assert snapshot(MADE, times).response_times([topology]) == {topology: pytest.approx(0.07)}
    assert snapshot(MADE).response_times([topology]) == {}
    reports = snapshot(MADE, samples={"edge-1": FULL})
    assert reports.response_times([topology]) == {"word_count-1-1700000000": pytest.approx(0.0405)}


def test_a_series_is_bounded_and_interrupted_by_gaps() -> None:
    spans = [FlowSpan(it * 5.0, 10, 0.5) for it in range(1000) if not 300 <= it < 400]
    points = measured_points(spans, 5000.0, mean)
    # 5,000 s in 300 points: 16.7 s each, and so 20 s, which is whole spans. 4,500 s are measured:
    # 225 points, and one for the gap of 500 s.
    assert len(points) == 226
    assert len(points) <= MOST_POINTS
    empty = [it for it in points if it.value is None]
    assert [it.at for it in empty] == [1510.0]
    assert [it.value for it in points if it.value is not None] == pytest.approx([0.05] * 225)


def test_many_decisions_are_thinned_but_the_newest_stays() -> None:
    last = decision_summary(FULL_DECISION)
    decisions = tuple(
        last.model_copy(update={"id": record_id(MADE - it, "ab", it), "at": MADE - it})
        for it in range(1000)
    )
    seen = response_time_view(snapshot(MADE + 1, decisions=decisions), TOPOLOGY, 0.5, 3600)
    assert len(seen.predicted) == MOST_POINTS
    assert seen.predicted[-1].value == 0.5
    assert len(seen.reassignments) == MOST_POINTS
    assert seen.reassignments[-1].decision == decisions[0].id


def test_values_of_a_store_that_is_away_are_stale() -> None:
    away = ZookeeperSnapshot(
        configured=True,
        servers="zk:1",
        age=60.0,
        samples={"edge-1": FULL},
        sample_ages={"edge-1": 62.0},
        error="no connection",
    )
    seen = cluster_view(Snapshot(now=0.0, sidecar=answered(), zookeeper=away), 7, {})
    edge = next(it for it in seen.supervisors if it.host == "edge-1")
    assert edge.load is not None
    assert (edge.report.state, edge.report.age) == ("stale", 62.0)
    assert edge.report.note == "ZooKeeper zk:1: no connection"
    cloud = next(it for it in seen.supervisors if it.host == "cloud-1")
    assert cloud.report.state == "missing"
    assert seen.revision == 7


def test_a_doubtful_delay_is_stale_and_an_unknown_one_missing() -> None:
    status = a_status()
    status.delays.links[0].confidence = 0.2
    status.delays.links[1].ClearField("delay")
    sidecar = SidecarSnapshot("s:1", status=status, age=0.5, error="")
    doubtful, unknown = cluster_view(Snapshot(now=0.0, sidecar=sidecar), 1, {}).links
    assert doubtful.signal.state == "stale"
    assert doubtful.signal.note == "its confidence is 0.20, the minimum 0.3"
    assert (unknown.signal.state, unknown.delay) == ("missing", None)


def test_before_the_sidecars_first_answer_everything_is_unknown() -> None:
    seen = cluster_view(Snapshot(now=0.0, sidecar=SidecarSnapshot("s:1")), 1, {})
    assert (seen.supervisors, seen.links, seen.topologies) == ((), (), ())
    assert seen.rules is None
    assert seen.nimbus.state == "missing"
    assert not health_view(Snapshot(now=0.0, sidecar=SidecarSnapshot("s:1")), 1).well


@pytest.mark.parametrize(
    ("changes", "wrong", "note"),
    [
        ({}, "", ""),
        ({"switches": {"frozen": True}}, "", "the sidecar has not read the last change yet"),
        ({"switches": {"drained": ["a"]}}, "", "the sidecar has not read the last change yet"),
        ({}, "no connection", "the sidecar does not answer"),
    ],
)
def test_switches_are_in_force_once_the_sidecar_has_the_same(
    changes: dict[str, Any], wrong: str, note: str
) -> None:
    status = a_status()
    status.switches.frozen = changes.get("switches", {}).get("frozen", False)
    status.switches.drained_hosts.extend(changes.get("switches", {}).get("drained", ()))
    sidecar = SidecarSnapshot("s:1", status=status, age=0.5, error=wrong)
    store = ZookeeperSnapshot(configured=True, age=0.5, switches=Switches())
    seen = switches_view(Snapshot(now=0.0, sidecar=sidecar, zookeeper=store))
    assert seen.available
    assert seen.in_force == (note == "")
    assert seen.note.startswith(note)


def test_switches_are_not_in_force_for_a_sidecar_without_zookeeper() -> None:
    status = a_status()
    status.switches.available = False
    sidecar = SidecarSnapshot("s:1", status=status, age=0.5, error="")
    store = ZookeeperSnapshot(configured=True, age=0.5, switches=Switches(frozen=True))
    seen = switches_view(Snapshot(now=0.0, sidecar=sidecar, zookeeper=store))
    assert (seen.in_force, "no ZooKeeper" in seen.note) == (False, True)


def test_the_duration_of_the_last_round_is_shown_if_there_was_one() -> None:
    def detail(sidecar: SidecarSnapshot) -> str:
        parts = health_view(Snapshot(now=0.0, sidecar=sidecar), 1).parts
        return next(it.detail for it in parts if it.name == "sidecar")

    assert detail(replace(answered(), round_age=None)) == "run 5f1c1a0e"
    assert detail(answered()) == "run 5f1c1a0e; its last round took 12 ms"


def test_nimbus_is_stale_after_three_missed_rounds() -> None:
    sidecar = replace(answered(), round_age=31.0)
    signal = nimbus_signal(Snapshot(now=0.0, sidecar=sidecar))
    assert (signal.state, signal.age) == ("stale", 31.0)


def test_a_store_that_is_read_as_seldom_as_that_of_a_large_cluster_is_fresh_in_between() -> None:
    def state(age: float) -> str:
        redis = RedisSnapshot(configured=True, server="redis:6379", age=age)
        return redis_signal(Snapshot(now=0.0, sidecar=answered(), redis=redis)).state

    assert state(LONGEST_PAUSE + 2.0) == "fresh"  # reading it took 2 s
    assert state(2 * LONGEST_PAUSE + 1.0) == "stale"


@pytest.mark.parametrize(
    ("id_", "name"), [("word_count-1-1700000000", "word_count"), ("a-b-2-17", "a-b"), ("x", "x")]
)
def test_the_name_of_a_topology_is_part_of_its_id(id_: str, name: str) -> None:
    assert topology_name(id_) == name


def test_a_view_of_a_message_has_its_fields_and_none_for_absent_ones() -> None:
    plan = pb.PlanSummary(id="p", state=pb.Plan.HANDED_OVER, workers_started=2)
    view = PlanSummaryView.of(plan, topology="t-1-1", name="t")
    assert (view.id, view.name, view.state, view.workers_started) == ("p", "t", "handed_over", 2)
    assert view.gain is None
    plan.gain = 0.0
    assert PlanSummaryView.of(plan, topology="t-1-1", name="t").gain == 0.0


@pytest.mark.parametrize("kind", [pb.WorkerChange.KIND_UNSPECIFIED, 99])
def test_an_enum_value_of_a_later_contract_is_the_first_that_a_view_knows(kind: int) -> None:
    change = pb.WorkerChange(host="edge-1", kind=kind, after=["a[1-1]"])  # type: ignore[arg-type]
    view = WorkerChangeView.of(change)
    assert (view.kind, view.before, view.after) == ("unchanged", (), ("a[1-1]",))
