"""What counts as a setback, and for how long it makes moves rarer."""

from dataclasses import replace

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.service.decision import Handover, record_of
from eyewall_sidecar.service.look_back import MoveHistory, MoveTrial
from eyewall_sidecar.service.movement_rules import evaluate_move
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.storm import USUAL_COST, Topology
from obedient_nimbus import Nimbus, is_placed
from planned_topologies import nimbus_with, topology
from reported_rounds import moved, report_round
from said import codes
from storm_builders import state, worker


def setbacks(nimbus: Nimbus, of: Topology) -> int:
    return nimbus.service.last_round().records[of.id].history.setbacks


def nimbus_after_the_move(of: Topology) -> Nimbus:
    """tag has moved to b, and its worker there has not come to rest."""
    nimbus = nimbus_with(of)
    moved(nimbus, of)
    report_round(nimbus, of, 0.05)
    return nimbus


def give_up(nimbus: Nimbus, of: Topology, *hosts: str) -> None:
    """Nimbus gives up the workers on these hosts."""
    gone = {f"sup-{it}" for it in hosts}
    left = (it for it in nimbus.running[of.id] if it.slot.supervisor not in gone)
    nimbus.running[of.id] = tuple(left)
    report_round(nimbus, of, 0.05)


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [("b", 1), ("abc", 0)],  # a rebalance takes the slots of what did not move, too
)
def test_a_move_whose_workers_never_start_is_a_setback_and_a_rebalance_is_none(
    hosts: str, expected: int
) -> None:
    it = topology()
    nimbus = nimbus_after_the_move(it)
    give_up(nimbus, it, *hosts)
    assert setbacks(nimbus, it) == expected


def test_a_host_that_is_lost_after_a_move_is_no_setback() -> None:
    it = topology()
    nimbus = nimbus_after_the_move(it)
    # Nimbus misses the supervisor before it gives up its workers.
    nimbus.hosts = [host for host in nimbus.hosts if host.id != "sup-b"]
    report_round(nimbus, it, 0.05)
    give_up(nimbus, it, "b")
    assert setbacks(nimbus, it) == 0


def nimbus_after_an_undo(it: Topology) -> Nimbus:
    """A move made latency worse, and was undone."""
    nimbus = nimbus_with(it)
    moved(nimbus, it)
    assert any(is_placed(report_round(nimbus, it, 0.2)) for _ in range(10))
    report_round(nimbus, it, 0.2)
    return nimbus


def test_in_rounds_a_confirmed_move_takes_a_setback_back() -> None:
    it = topology()
    nimbus = nimbus_after_an_undo(it)
    assert setbacks(nimbus, it) == 1
    nimbus.clock.now += 700
    assert any(is_placed(report_round(nimbus, it, 0.05)) for _ in range(20))
    for _ in range(12):
        report_round(nimbus, it, 0.02)
    assert setbacks(nimbus, it) == 0


def test_a_setback_counts_for_a_day_of_rounds() -> None:
    it = topology()
    nimbus = nimbus_after_an_undo(it)
    nimbus.switches.turn(everything=True)
    nimbus.clock.now += 86_000
    report_round(nimbus, it, 0.2)
    assert setbacks(nimbus, it) == 1
    nimbus.clock.now += 500
    report_round(nimbus, it, 0.2)
    assert setbacks(nimbus, it) == 0


def test_a_move_that_made_nothing_worse_takes_a_setback_back() -> None:
    twice = MoveHistory().with_setback(100.0).with_setback(1000.0)
    assert twice.confirmed().uncertainty == 2.0
    assert MoveHistory().confirmed() == MoveHistory()


def test_a_setback_counts_less_after_each_day() -> None:
    day = 86_400.0
    twice = MoveHistory().with_setback(0.0).with_setback(1000.0)
    assert twice.faded(1000.0 + day - 1) is twice
    once = twice.faded(1000.0 + day)
    assert (once.setbacks, once.faded(1000.0 + day).setbacks) == (1, 1)
    assert once.faded(1000.0 + 2 * day).setbacks == 0


def test_after_a_move_was_undone_nothing_moves_for_ten_minutes() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    moved(nimbus, it)
    assert any(is_placed(report_round(nimbus, it, 0.2)) for _ in range(10))
    for _ in range(10):
        report_round(nimbus, it, 0.05)
    snapshot = nimbus.service.last_round()
    conditions = nimbus.service.conditions(
        snapshot.observation.state.topologies[0], snapshot.records
    )
    candidate = snapshot.records[it.id].candidate
    assert candidate is not None
    hold = evaluate_move(candidate, nimbus.service.settings.moves, conditions).hold
    assert codes(hold) == [Code.STILL]
    nimbus.clock.now += 600
    assert any(is_placed(report_round(nimbus, it, 0.05)) for _ in range(10))


def test_each_further_setback_doubles_the_time_for_which_nothing_moves() -> None:
    first = MoveHistory().with_setback(100.0)
    second = first.with_setback(1000.0)
    assert (first.still_until, second.still_until) == (700.0, 2200.0)
    assert (first.uncertainty, second.uncertainty) == (2.0, 4.0)


def test_a_move_is_left_before_it_is_judged_once_in_ten_minutes() -> None:
    assert MoveHistory().may_leave_unjudged(0.0)
    left = MoveHistory(left_unjudged=100.0)
    assert not left.may_leave_unjudged(699.0)
    assert left.may_leave_unjudged(700.0)
    assert not left.with_setback(200.0).may_leave_unjudged(300.0)


def test_a_move_that_follows_one_that_is_not_judged_yet_is_remembered() -> None:
    it = topology()
    nimbus = nimbus_after_the_move(it)
    record = nimbus.service.last_round().records[it.id]
    assert record.trial is not None
    assert record.history.may_leave_unjudged(nimbus.clock.now)
    again = (worker("a", 6703, 1, 2), worker("c", 6703, 3))
    trial = MoveTrial(nimbus.running[it.id], Performance())
    record = replace(record, handover=Handover(again, message(Code.STILL_BEST), trial))
    found = record_of(record, state(it, *again), frozenset(), 500.0, USUAL_COST)
    assert found.history.left_unjudged == 500.0
    judged = record_of(
        replace(record, trial=None), state(it, *again), frozenset(), 500.0, USUAL_COST
    )
    assert judged.history.may_leave_unjudged(500.0)
