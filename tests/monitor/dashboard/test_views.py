"""Views made of what is known, without a store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from decision_records import FULL_DECISION
from eyewall_contracts.decision import Verdict, record_id
from eyewall_contracts.sample import TaskOutput, TaskSample
from eyewall_contracts.switches import Switches
from eyewall_monitor.dashboard import signals
from eyewall_monitor.dashboard.cluster_view import cluster_view
from eyewall_monitor.dashboard.decision_view import measured_gain, topology_name
from eyewall_monitor.dashboard.health_view import health_view
from eyewall_monitor.dashboard.known import (
    Known,
    RedisKnown,
    SidecarKnown,
    Span,
    ZookeeperKnown,
    event_of,
)
from eyewall_monitor.dashboard.measured import MeasuredResponseTimes, lately, latest, mean
from eyewall_monitor.dashboard.response_time_view import (
    MOST_POINTS,
    measured_points,
    response_time_view,
)
from eyewall_monitor.dashboard.switches_view import switches_view
from msgspec import structs
from reports import COUNT_WORKER, FULL
from scripted_operations import a_status

MADE = FULL_DECISION.time
TOPOLOGY = FULL_DECISION.topology


def told(**changes: Any) -> SidecarKnown:
    return SidecarKnown("s:1", status=a_status(**changes), age=0.5, round_age=1.0, wrong="")


def measured(*spans: tuple[float, float]) -> MeasuredResponseTimes:
    """One hundred trees at each of these moments after the decision, in seconds."""
    times = MeasuredResponseTimes()
    for after, seconds in spans:
        spout = TaskSample(1, "sentence", outputs=(TaskOutput("default", 1, 1, 100, 0, seconds),))
        worker = structs.replace(COUNT_WORKER, until=MADE + after, tasks=(spout,))
        times.take(structs.replace(FULL, time=MADE + after, workers=(worker,)))
    times.whole_since(MADE - 3600)
    return times


def known(now: float, times: MeasuredResponseTimes | None = None, **store: Any) -> Known:
    redis = RedisKnown()
    if times is not None:
        redis = RedisKnown(wanted=True, age=0.5, response_times=times, history_age=0.5)
    zookeeper = ZookeeperKnown(wanted=True, age=0.5, **store)
    return Known(now=now, sidecar=told(), zookeeper=zookeeper, redis=redis)


def test_the_gain_leaves_out_the_minute_of_the_move() -> None:
    times = measured((-400, 9.0), (-200, 0.06), (-10, 0.08), (20, 5.0), (70, 0.04), (370, 9.0))
    gain = measured_gain(FULL_DECISION, known(MADE + 1000, times))
    assert gain.measured_before == pytest.approx(0.07)
    assert gain.measured_after == pytest.approx(0.04)
    assert gain.note == ""


def test_a_gain_that_is_not_known_yet_says_when_it_will_be() -> None:
    gain = measured_gain(FULL_DECISION, known(MADE + 100, measured((-10, 0.08), (70, 0.04))))
    assert gain.measured_before == pytest.approx(0.08)
    assert gain.measured_after is None
    assert gain.note == "What came of it is known in 260 s: six minutes after the decision."


def test_a_gain_says_why_nothing_is_measured() -> None:
    late = MADE + 1000
    without = measured_gain(FULL_DECISION, known(late))
    assert "no Redis is configured" in without.note
    young = measured()
    young.whole_since(MADE)
    assert "does not go back so far" in measured_gain(FULL_DECISION, known(late, young)).note
    partly = measured((-10, 0.08), (70, 0.04))
    partly.whole_since(MADE - 20)
    assert "does not reach back" in measured_gain(FULL_DECISION, known(late, partly)).note
    silent = measured_gain(FULL_DECISION, known(late, measured()))
    assert "No spout told of an acknowledged tuple" in silent.note


def test_another_move_in_the_same_minutes_is_said() -> None:
    other = structs.replace(FULL_DECISION, id=record_id(MADE + 200, "ab", 1))
    kept = structs.replace(FULL_DECISION, id=record_id(MADE + 210, "ab", 2), verdict=Verdict.KEPT)
    events = tuple(map(event_of, (kept, other, FULL_DECISION)))
    times = measured((-10, 0.08), (70, 0.04))
    gain = measured_gain(FULL_DECISION, known(MADE + 1000, times, decisions=events))
    assert gain.note.startswith("1 other move of this topology fell into these minutes")


def test_what_moved_nothing_says_so() -> None:
    kept = structs.replace(FULL_DECISION, verdict=Verdict.KEPT)
    assert "Nothing was moved." in measured_gain(kept, known(MADE + 1000, measured())).note


def test_response_time_is_weighted_by_the_trees_it_is_of() -> None:
    # 100 trees of 10 ms and 300 of 50 ms: (1 + 15) s / 400 = 40 ms.
    assert mean([Span(0.0, 100, 1.0), Span(5.0, 300, 15.0)]) == pytest.approx(0.04)
    assert mean([]) is None
    assert latest([FULL]) == {"word_count-1-1700000000": pytest.approx(0.0405)}


def test_response_time_is_that_of_the_last_minute_or_else_of_the_latest_reports() -> None:
    topology = FULL_DECISION.topology
    # A hundred trees each, of 9 s, 60 ms and 80 ms; the first ones are older than a minute.
    times = measured((-70, 9.0), (-50, 0.06), (-10, 0.08))
    assert lately(known(MADE, times), [topology]) == {topology: pytest.approx(0.07)}
    assert lately(known(MADE), [topology]) == {}
    reports = known(MADE, samples={"edge-1": FULL})
    assert lately(reports, [topology]) == {"word_count-1-1700000000": pytest.approx(0.0405)}


def test_a_series_has_so_many_points_and_a_gap_breaks_the_line() -> None:
    spans = [Span(it * 5.0, 10, 0.5) for it in range(1000) if not 300 <= it < 400]
    points = measured_points(spans, 5000.0)
    # 5,000 s in 300 points: 16.7 s each, and so 20 s, which is whole spans. 4,500 s are measured:
    # 225 points, and one for the gap of 500 s.
    assert len(points) == 226
    assert len(points) <= MOST_POINTS
    empty = [it for it in points if it.value is None]
    assert [it.at for it in empty] == [1510.0]
    assert [it.value for it in points if it.value is not None] == pytest.approx([0.05] * 225)


def test_many_decisions_are_thinned_and_the_newest_point_stays() -> None:
    events = tuple(
        replace(event_of(FULL_DECISION), id=record_id(MADE - it, "ab", it), time=MADE - it)
        for it in range(1000)
    )
    seen = response_time_view(known(MADE + 1, decisions=events), TOPOLOGY, 0.5, 3600)
    assert len(seen.predicted) == MOST_POINTS
    assert seen.predicted[-1].value == 0.5
    assert len(seen.reassignments) == MOST_POINTS
    assert seen.reassignments[-1].decision == events[0].id


def test_a_store_that_is_away_leaves_what_was_read_and_its_age() -> None:
    away = ZookeeperKnown(
        wanted=True,
        servers="zk:1",
        age=60.0,
        samples={"edge-1": FULL},
        sample_ages={"edge-1": 62.0},
        wrong="no connection",
    )
    seen = cluster_view(Known(now=0.0, sidecar=told(), zookeeper=away), 7, {})
    edge = next(it for it in seen.supervisors if it.host == "edge-1")
    assert edge.load is not None
    assert (edge.report.state, edge.report.age) == ("stale", 62.0)
    assert edge.report.note == "ZooKeeper zk:1: no connection"
    cloud = next(it for it in seen.supervisors if it.host == "cloud-1")
    assert cloud.report.state == "missing"
    assert seen.revision == 7


def test_a_delay_that_is_known_too_little_is_stale_and_one_that_is_not_known_is_missing() -> None:
    status = a_status()
    status.delays.links[0].confidence = 0.2
    status.delays.links[1].ClearField("delay")
    sidecar = SidecarKnown("s:1", status=status, age=0.5, wrong="")
    doubtful, unknown = cluster_view(Known(now=0.0, sidecar=sidecar), 1, {}).links
    assert doubtful.signal.state == "stale"
    assert doubtful.signal.note == "its confidence 0.20 is below the least of 0.3"
    assert (unknown.signal.state, unknown.delay) == ("missing", None)


def test_before_the_sidecar_has_answered_nothing_is_claimed() -> None:
    seen = cluster_view(Known(now=0.0, sidecar=SidecarKnown("s:1")), 1, {})
    assert (seen.supervisors, seen.links, seen.topologies) == ((), (), ())
    assert seen.rules is None
    assert seen.nimbus.state == "missing"
    assert not health_view(Known(now=0.0, sidecar=SidecarKnown("s:1")), 1).well


@pytest.mark.parametrize(
    ("changes", "wrong", "note"),
    [
        ({}, "", ""),
        ({"switches": {"frozen": True}}, "", "the sidecar has not read the last change yet"),
        ({}, "no connection", "whether the sidecar holds them is not known"),
    ],
)
def test_switches_are_in_force_once_the_sidecar_holds_the_same(
    changes: dict[str, Any], wrong: str, note: str
) -> None:
    status = a_status()
    status.switches.frozen = changes.get("switches", {}).get("frozen", False)
    sidecar = SidecarKnown("s:1", status=status, age=0.5, wrong=wrong)
    store = ZookeeperKnown(wanted=True, age=0.5, switches=Switches())
    seen = switches_view(Known(now=0.0, sidecar=sidecar, zookeeper=store))
    assert seen.available
    assert seen.in_force == (note == "")
    assert seen.note.startswith(note)


def test_a_sidecar_without_zookeeper_is_said_not_to_see_the_switches() -> None:
    status = a_status()
    status.switches.available = False
    sidecar = SidecarKnown("s:1", status=status, age=0.5, wrong="")
    store = ZookeeperKnown(wanted=True, age=0.5, switches=Switches(frozen=True))
    seen = switches_view(Known(now=0.0, sidecar=sidecar, zookeeper=store))
    assert "it does not see these switches" in seen.note


def test_how_long_a_round_took_is_said_once_there_was_one() -> None:
    def said(sidecar: SidecarKnown) -> str:
        parts = health_view(Known(now=0.0, sidecar=sidecar), 1).parts
        return next(it.detail for it in parts if it.name == "sidecar")

    assert said(replace(told(), round_age=None)) == "run 5f1c1a0e"
    assert said(told()) == "run 5f1c1a0e; its last round took 12 ms"


def test_nimbus_that_has_stopped_asking_is_stale() -> None:
    sidecar = replace(told(), round_age=31.0)
    signal = signals.of_nimbus(Known(now=0.0, sidecar=sidecar))
    assert (signal.state, signal.note) == ("stale", "its last round was 31 s ago")


@pytest.mark.parametrize(
    ("id_", "name"), [("word_count-1-1700000000", "word_count"), ("a-b-2-17", "a-b"), ("x", "x")]
)
def test_a_topologys_name_is_in_its_id(id_: str, name: str) -> None:
    assert topology_name(id_) == name
