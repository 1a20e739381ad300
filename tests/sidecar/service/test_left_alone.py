"""What cannot be decided on stays where it runs; the inner scheduler gets what lacks a slot."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.service import decider, problem_cache
from eyewall_sidecar.service.decision import Keep, Place
from eyewall_sidecar.service.lookup import UnavailableError
from eyewall_sidecar.service.planner import PlanOptions
from eyewall_sidecar.storm import SlotChoice, Topology
from obedient_nimbus import Nimbus, reason
from said import codes, values
from storm_builders import chain, supervisor, worker


def running(
    settings: Mapping[str, object] | None = None, **rules: float | bool
) -> tuple[Nimbus, Topology]:
    """source on a, tag on c, 50 ms away; both would fit on one host."""
    nimbus = Nimbus([supervisor("a"), supervisor("c")], {("a", "c"): 50}, **rules)
    topology = chain(("source", 1), ("tag", 1), settings=settings)
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("c", 6700, 2))
    return nimbus, topology


def surprise(*_: object) -> None:
    raise OverflowError("math range error")


def test_a_surprise_leaves_what_runs_whole_as_it_is_and_is_over_when_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nimbus, topology = running(frozen=True)
    nimbus.rounds(topology, 2)  # asked, and answered
    with monkeypatch.context() as surprising:
        surprising.setattr(decider, "request_placement", surprise)
        surprised = nimbus.round(topology)[topology.id]
    assert isinstance(surprised.verdict, Keep)
    failed = message(Code.FAILED, error="OverflowError: math range error")
    assert surprised.status == failed
    later = nimbus.round(topology, obey=False)[topology.id]
    assert later.verdict == Keep()
    assert codes(later.status) == [
        Code.STATUS_WITH_HOLD,
        Code.KEPT,
        Code.HELD,
        Code.FOUND,
        Code.FROZEN_BY_CONFIGURATION,
    ]
    # Both on one host: nothing crosses the 50 ms.
    assert values(later.status, Code.FOUND)["gain"] == 1.0


def test_a_surprise_is_logged_once_with_its_traceback(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    nimbus, topology = running(frozen=True)
    nimbus.rounds(topology, 2)
    monkeypatch.setattr(decider, "request_placement", surprise)
    nimbus.rounds(topology, 3)
    assert [it.exc_info is not None for it in caplog.records if it.levelname == "ERROR"] == [True]


def test_bad_settings_leave_what_runs_whole_as_it_is() -> None:
    nimbus, topology = running({"polcy": "odp"})
    kept = nimbus.round(topology)[topology.id]
    assert isinstance(kept.verdict, Keep)
    assert codes(kept.status) == [Code.BAD_SETTINGS]
    assert "eyewall.polcy" in str(kept.status)
    nimbus.running[topology.id] = (worker("a", 6700, 1),)  # tag lost its slot
    assert codes(reason(nimbus.round(topology)[topology.id])) == [Code.BAD_SETTINGS]


@pytest.mark.parametrize("mode", ["off", "observe"])
def test_what_is_not_eyewalls_stays_the_inner_schedulers_with_bad_settings_too(mode: str) -> None:
    nimbus, topology = running({"polcy": "odp", "mode": mode})
    assert codes(reason(nimbus.round(topology)[topology.id])) == [Code.BAD_SETTINGS]


def test_a_refused_topology_stays_where_it_runs_and_keeps_its_slots() -> None:
    nimbus = Nimbus([supervisor("a", 2)], {})
    bad = replace(chain(("x", 1), name="bad-1"), refused="cpu_cores is -0.1")
    good = chain(("y", 1), name="good-1")
    nimbus.running[bad.id] = (worker("a", 6700, 1),)
    decisions = nimbus.round(bad, good)
    refused = message(Code.BAD_DEFINITION, definition_error="cpu_cores is -0.1")
    assert decisions[bad.id].verdict == Keep(refused)
    assert nimbus.running[good.id] == (worker("a", 6701, 1),)
    nimbus.running[bad.id] = ()
    assert reason(nimbus.round(bad, good)[bad.id]) == refused


def test_a_topology_whose_strategy_isolates_it_is_left_to_storm() -> None:
    # Its strategy would be the only one that knows which hosts it may have.
    package = "org.apache.storm.scheduler.resource.strategies.scheduling"
    nimbus = Nimbus([supervisor("a", 2), supervisor("b", 2)], {("a", "b"): 10})
    plain = chain(("source", 1), ("tag", 1))
    isolated = replace(plain, strategy=f"{package}.RoundRobinResourceAwareStrategy")
    left = nimbus.round(isolated)[isolated.id]
    assert codes(reason(left)) == [Code.LEFT_TO_STORM]
    assert "topology.scheduler.strategy is RoundRobinResourceAwareStrategy" in str(reason(left))
    nimbus.running[isolated.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    assert isinstance(nimbus.round(isolated)[isolated.id].verdict, Keep)
    with pytest.raises(UnavailableError, match="left to Storm"):
        nimbus.planner.make(PlanOptions(isolated.name), lambda: True)
    nimbus.running[plain.id] = ()
    other = replace(plain, strategy="org.apache.storm.DefaultResourceAwareStrategy")
    assert isinstance(nimbus.round(other)[other.id].verdict, Place)


def test_a_move_for_which_no_slots_are_found_leaves_everything_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(*_: object) -> SlotChoice:
        raise ProblemError("c: 2 executors do not fit")

    nimbus, topology = running()
    monkeypatch.setattr(problem_cache, "choose_slots", none)
    *_, last = nimbus.rounds(topology, 2)
    assert last.verdict == Keep()
    assert last.status == message(
        Code.NO_SLOTS, slot_error="c: 2 executors do not fit", must_move=None
    )


def test_nothing_is_moved_onto_a_blacklisted_host() -> None:
    # tag runs on c, which offers no slot any more; source is pinned there too. Together on c there
    # would be no delay, but the scheduler in Nimbus could only refuse that.
    nimbus, topology = running({"pin": {"source": ["c"]}})
    nimbus.hosts[1] = supervisor("c", 0)
    before = nimbus.running[topology.id]
    assert [type(it.verdict) for it in nimbus.rounds(topology, 4)] == [Keep] * 4
    assert nimbus.running[topology.id] == before


def test_what_runs_on_a_blacklisted_host_stays_while_the_rest_is_moved() -> None:
    nimbus = Nimbus([supervisor("a"), supervisor("b"), supervisor("c", 0)], {})
    nimbus.delays.milliseconds = {("a", "b"): 50, ("a", "c"): 50, ("b", "c"): 1}
    topology = chain(("source", 1), ("tag", 1))
    nimbus.running[topology.id] = (worker("c", 6700, 1), worker("a", 6700, 2))
    nimbus.rounds(topology, 3)
    assert set(nimbus.running[topology.id]) == {worker("c", 6700, 1), worker("b", 6700, 2)}
