"""What is written down of decisions, round by round."""

from dataclasses import replace
from typing import Any

import pytest
from eyewall_contracts.decision import (
    DecisionRecord,
    ExecutorMove,
    Verdict,
    decode_decision,
    encode_decision,
)
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.service.solver_pool import SolverFailure
from measured_topologies import rates_of
from msgspec import structs
from obedient_nimbus import Nimbus, is_placed
from storm_builders import chain, supervisor, worker

PINNED = chain(
    ("source", 1),
    ("tag", 1),
    ("sink", 1),
    settings={"pin": {"source": ["a"], "sink": ["b"]}, "objective": "R=1"},
)
NEAR = {("a", "b"): 10, ("a", "c"): 50, ("b", "c"): 50}


def nimbus_of_three(**rules: float | bool) -> Nimbus:
    return Nimbus([supervisor("a"), supervisor("b"), supervisor("c")], NEAR, **rules)


def response_time(record: DecisionRecord) -> Any:
    return next((it.before, it.after) for it in record.metrics if it.name == "R")


def test_a_first_placement_is_recorded_with_what_it_rests_on() -> None:
    nimbus = nimbus_of_three()
    nimbus.round(PINNED)
    (record,) = nimbus.recorded.records
    assert record.verdict is Verdict.PLACED
    assert record.id == "0000000101000-5f1c1a0e-000001"  # the clock of these tests is at 101 s then
    assert (record.topology, record.policy, record.objective) == ("chain-1", "odp", "R=1")
    assert record.status == "optimal"
    # 10 ms from a to b, wherever `tag` is of the two.
    assert response_time(record) == (None, pytest.approx(0.010))
    assert [it.source for it in record.moves] == ["", "", ""]
    assert record.moves[0] == ExecutorMove("source[1-1]", "", "a")
    assert record.workers_started == 2
    assert record.delays_confidence == 1.0
    assert record.rates_age is None


def test_a_move_is_recorded_with_before_and_after() -> None:
    # `tag` on c: 50 + 50 ms; on a or b 10 ms.
    nimbus = nimbus_of_three()
    nimbus.running[PINNED.id] = (worker("a", 6700, 1), worker("c", 6700, 2), worker("b", 6700, 3))
    nimbus.rounds(PINNED, 3)
    moved = next(it for it in nimbus.recorded.records if it.verdict is Verdict.MOVED)
    assert response_time(moved) == (pytest.approx(0.100), pytest.approx(0.010))
    (move,) = moved.moves
    assert (move.executor, move.source) == ("tag[2-2]", "c")
    assert move.target in "ab"


def test_why_nothing_moved_is_recorded_with_what_would_have_moved() -> None:
    nimbus = nimbus_of_three(frozen=True)
    nimbus.running[PINNED.id] = (worker("a", 6700, 1), worker("c", 6700, 2), worker("b", 6700, 3))
    nimbus.rounds(PINNED, 3)
    kept = nimbus.recorded.records[-1]
    assert kept.verdict is Verdict.KEPT
    assert kept.said.endswith("but moves are frozen ([replacement] frozen)")
    assert response_time(kept) == (pytest.approx(0.100), pytest.approx(0.010))
    assert [it.executor for it in kept.moves] == ["tag[2-2]"]
    assert kept.workers_started is None


def test_what_goes_on_round_after_round_is_recorded_once() -> None:
    nimbus = nimbus_of_three()
    nimbus.rounds(PINNED, 10)
    assert [it.verdict for it in nimbus.recorded.records] == [Verdict.PLACED, Verdict.KEPT]
    assert nimbus.recorded.records[-1].said == "optimal as it is"


def test_a_placement_is_recorded_each_time_that_it_happens() -> None:
    # The same words as the last time that anything was recorded.
    nimbus = nimbus_of_three()
    nimbus.solvers.late = True
    placed = worker("a", 6700, 1), worker("b", 6700, 2, 3)
    for _ in range(2):
        nimbus.solvers.late = False
        nimbus.round(PINNED)
        nimbus.solvers.late = True
        nimbus.running[PINNED.id] = placed
        nimbus.rounds(PINNED, 2)  # is looked at: no news
        nimbus.running[PINNED.id] = ()
    verdicts = [it.verdict for it in nimbus.recorded.records]
    assert verdicts == [Verdict.PLACED, Verdict.PLACED]


def test_a_solver_that_fails_is_recorded() -> None:
    nimbus = nimbus_of_three()
    nimbus.round(PINNED)
    nimbus.solvers.answer = SolverFailure(message(Code.SOLVER_DIED))
    nimbus.rounds(PINNED, 5)
    assert [it.said for it in nimbus.recorded.records[1:]] == [str(message(Code.SOLVER_DIED))]


def test_without_any_delay_their_age_is_not_known() -> None:
    nimbus = Nimbus([supervisor("a")], {})
    nimbus.round(chain(("source", 1)))
    assert nimbus.recorded.records[0].delays_age is None


def test_a_bound_is_not_recorded_of_a_problem_that_is_another_one_now() -> None:
    nimbus = nimbus_of_three(frozen=True)
    nimbus.running[PINNED.id] = (worker("a", 6700, 1), worker("c", 6700, 2), worker("b", 6700, 3))
    nimbus.round(PINNED)
    nimbus.delays.milliseconds = {**NEAR, ("a", "b"): 1}  # while it was looked for
    nimbus.round(PINNED)
    kept = nimbus.recorded.records[-1]
    assert response_time(kept) == (pytest.approx(0.100), pytest.approx(0.001))
    assert (kept.bound, kept.gap) == (None, None)


def test_an_improvement_that_no_longer_fits_is_recorded_without_its_moves() -> None:
    # `tag` on c: it belongs on a or b, which lose their last free slots while that is found.
    nimbus = nimbus_of_three()
    nimbus.running[PINNED.id] = (worker("a", 6700, 1), worker("c", 6700, 2), worker("b", 6700, 3))
    nimbus.round(PINNED)
    nimbus.hosts = [supervisor("a", 1), supervisor("b", 1), supervisor("c")]
    tight = replace(PINNED, settings={**(PINNED.settings or {}), "eyewall.executors.per.slot": "1"})
    nimbus.round(tight)
    kept = nimbus.recorded.records[-1]
    assert kept.verdict is Verdict.KEPT
    assert kept.said.startswith("the improvement no longer fits")
    assert kept.moves == ()


def test_what_is_still_looked_for_is_not_recorded() -> None:
    nimbus = nimbus_of_three()
    nimbus.solvers.late = True
    nimbus.rounds(PINNED, 3)
    assert nimbus.recorded.records == []


def test_what_is_declined_is_recorded_with_the_reason() -> None:
    nimbus = Nimbus([supervisor("a", 0)], {})
    nimbus.round(PINNED)
    (record,) = nimbus.recorded.records
    assert record.verdict is Verdict.DECLINED
    assert record.said == "eyewall.pin of source: a: no free slot"
    assert (record.policy, record.moves) == ("odp", ())


def test_the_age_of_rates_is_recorded() -> None:
    nimbus = nimbus_of_three()
    nimbus.measured.wanted = True
    rates = rates_of(PINNED, {2: 9.0, 3: 9.0}, {1: 9.0, 2: 9.0}, until=nimbus.clock.now)
    nimbus.measured.rates[PINNED.id] = structs.replace(rates, written=nimbus.clock.now)
    nimbus.clock.now += 4
    nimbus.round(PINNED)  # at which the clock moves on by 1 s
    assert nimbus.recorded.records[-1].rates_age == 5.0


def test_what_was_asked_before_is_not_told_of_a_decision_that_asked_nothing() -> None:
    nimbus = nimbus_of_three()
    nimbus.rounds(PINNED, 4)
    nimbus.round(replace(PINNED, settings={"eyewall.mode": '"off"'}))
    last = nimbus.recorded.records[-1]
    assert (last.said, last.policy, last.delays_age) == ("eyewall.mode is off", "", None)


def test_every_record_can_be_written_and_read() -> None:
    nimbus = nimbus_of_three()
    nimbus.rounds(PINNED, 5)
    for it in nimbus.recorded.records:
        assert decode_decision(encode_decision(it)) == it


def test_a_decision_counts_though_it_cannot_be_written_down(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    nimbus = nimbus_of_three()
    monkeypatch.setattr(nimbus.recorded, "put", None)
    assert is_placed(nimbus.round(PINNED)[PINNED.id])
    assert "chain-1: a decision is not recorded" in caplog.text
