"""What keeps the sidecar from moving without an order: switches, budgets, gains, the horizon."""

from dataclasses import replace
from math import inf, nan

import pytest
from eyewall_contracts.switches import Switches
from eyewall_sidecar.messages import Code, Message
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.service.candidate_move import MoveConditions
from eyewall_sidecar.service.decision import Keep
from eyewall_sidecar.service.movement_rules import (
    evaluate_move,
    relative_gain,
)
from eyewall_sidecar.stores import HeldSwitches
from eyewall_sidecar.storm import Topology
from obedient_nimbus import Nimbus, is_placed
from said import codes, values
from storm_builders import chain, supervisor, worker

TRIANGLE = {("a", "b"): 10, ("b", "c"): 10, ("a", "c"): 50}
"""a and c are nearer by way of b."""


def topology(name: str = "word-1", **settings: object) -> Topology:
    """source on a, sink on c, and one bolt between them."""
    pins = {"pin": {"source": ["a"], "sink": ["c"]}, "rate.hint": {"source": 10}}
    return chain(("source", 1), ("tag", 1), ("sink", 1), name=name, settings=pins | settings)


def nimbus_with(*running: Topology, **limits: float | bool | None) -> Nimbus:
    """Each topology's tag runs on a: it would gain 60 % on b, and start two workers."""
    nimbus = Nimbus([supervisor(it, 4) for it in "abc"], TRIANGLE, **limits)
    for number, it in enumerate(running):
        nimbus.running[it.id] = (worker("a", 6700 + number, 1, 2), worker("c", 6700 + number, 3))
    return nimbus


def status_after(nimbus: Nimbus, of: Topology, rounds: int = 3) -> Message | None:
    return nimbus.rounds(of, rounds)[-1].status


def hold_of(nimbus: Nimbus, of: Topology) -> Message | None:
    """What holds back the candidate move of the last round."""
    snapshot = nimbus.service.last_round()
    topologies = snapshot.observation.state.topologies
    (state,) = [it for it in topologies if it.topology.id == of.id]
    candidate = snapshot.records[of.id].candidate
    assert candidate is not None
    limits = nimbus.service.settings.moves
    conditions = nimbus.service.conditions(state, snapshot.records)
    return evaluate_move(candidate, limits, conditions).hold


# Gains


def test_a_loss_is_a_part_of_what_it_was_as_a_gain_is() -> None:
    # R from 20 to 36 ms: (20 - 36) / 20; A from 0.9 to 0.99, the more the better: 0.09 / 0.9.
    assert relative_gain(Objective.parse("R=1"), 0.020, 0.036) == pytest.approx(-0.8)
    assert relative_gain(Objective.parse("A=1"), 0.9, 0.99) == pytest.approx(0.1)


def test_a_loss_of_nothing_is_infinite() -> None:
    assert relative_gain(Objective.parse("N=1"), 0.0, 0.7) == -inf
    assert relative_gain(Objective.parse("N=1"), 0.0, 0.0) == 0.0


@pytest.mark.parametrize("minimum_gain", [0.0, 0.1])
def test_a_gain_that_is_not_a_number_is_too_small(minimum_gain: float) -> None:
    it = topology()
    nimbus = nimbus_with(it, minimum_gain=minimum_gain, cool_down_seconds=86_400.0)
    nimbus.rounds(it, 2)
    snapshot = nimbus.service.last_round()
    candidate = snapshot.records[it.id].candidate
    assert candidate is not None
    limits = nimbus.service.settings.moves
    assert evaluate_move(candidate, limits, MoveConditions()).hold is None  # gains 60 %
    hold = evaluate_move(replace(candidate, gain=nan), limits, MoveConditions()).hold
    assert codes(hold) == [Code.GAIN_TOO_SMALL]


# Switches


def test_freeze_holds_and_unfreezing_takes_effect_in_the_next_round() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.switches.turn(it.id)
    assert not any(map(is_placed, nimbus.rounds(it, 5)))
    status = nimbus.service.last_round().decisions[it.id].status
    assert codes(status) == [Code.HELD, Code.FOUND, Code.TOPOLOGY_FROZEN]
    assert values(status, Code.FOUND)["gain"] == pytest.approx(0.6)
    nimbus.switches.turn()
    assert is_placed(nimbus.round(it)[it.id])


def test_freezing_takes_effect_in_the_next_round_too() -> None:
    it = topology()
    nimbus = nimbus_with(it, cool_down_seconds=3.0)
    nimbus.switches.turn()
    nimbus.rounds(it, 2)
    nimbus.switches.turn(everything=True)
    assert not any(map(is_placed, nimbus.rounds(it, 5)))


def test_one_frozen_topology_does_not_keep_the_others_from_moving() -> None:
    frozen, free = topology(), topology("free-1")
    nimbus = nimbus_with(frozen, free)
    nimbus.switches.turn(frozen.id)
    moved: set[str] = set()
    for _ in range(3):
        decisions = nimbus.round(frozen, free)
        moved |= {name for name, it in decisions.items() if is_placed(it)}
    assert moved == {free.id}


def test_freeze_keeps_nothing_from_its_first_slot_nor_from_another_one_for_a_lost_one() -> None:
    it = topology()
    nimbus = nimbus_with()
    nimbus.switches.turn(everything=True)
    assert is_placed(nimbus.round(it)[it.id])
    nimbus.running[it.id] = tuple(w for w in nimbus.running[it.id] if w.slot.supervisor != "sup-b")
    assert is_placed(nimbus.round(it)[it.id])


def test_nothing_that_runs_is_moved_before_the_switches_were_read_and_the_status_says_so() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.switches.held = HeldSwitches(wanted=True, remark="no connection")
    unread = values(status_after(nimbus, it), Code.SWITCHES_UNREAD)
    assert unread == {"remark": "no connection"}
    nimbus.switches.held = HeldSwitches(wanted=True, switches=Switches(), age=0.0)
    assert is_placed(nimbus.round(it)[it.id])


def test_switches_that_cannot_be_read_any_more_hold_as_they_were() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    known = Switches(frozen=False, frozen_topologies=frozenset({it.id}))
    for age in (600.0, 601.0, 602.0):
        nimbus.switches.held = HeldSwitches(
            wanted=True, switches=known, age=age, remark="no connection"
        )
        assert not is_placed(nimbus.round(it)[it.id])


# Budgets


def test_a_move_that_would_start_more_workers_than_a_round_allows_is_not_made() -> None:
    it = topology()
    nimbus = nimbus_with(it, workers_per_round=1)
    held = values(status_after(nimbus, it), Code.ROUND_BUDGET)
    assert held == {"workers": 2, "started": 0, "limit": 1}
    assert is_placed(nimbus_with(it, workers_per_round=2).rounds(it, 2)[-1])


def test_of_two_moves_in_one_round_the_second_waits_if_both_are_too_much() -> None:
    one, two = topology("one-1"), topology("two-1")
    nimbus = nimbus_with(one, two, workers_per_round=3)
    nimbus.round(one, two)
    first = nimbus.round(one, two)
    assert [is_placed(first[it.id]) for it in (one, two)] == [True, False]
    held = values(first[two.id].status, Code.ROUND_BUDGET)
    assert held == {"workers": 2, "started": 2, "limit": 3}
    nimbus.clock.now += 60  # the first one's workers have had their time on the same hosts
    assert is_placed(nimbus.round(one, two)[two.id])


def test_the_hours_budget_lets_go_when_the_hour_is_over() -> None:
    one, two = topology("one-1"), topology("two-1")
    nimbus = nimbus_with(one, two, workers_per_hour=3)
    nimbus.round(one, two)
    nimbus.round(one, two)
    held = nimbus.round(one, two)[two.id]
    assert isinstance(held.verdict, Keep)
    budget = values(held.status, Code.HOUR_BUDGET)
    assert budget == {"workers": 2, "started": 2, "limit": 3}
    nimbus.clock.now += 3600
    assert is_placed(nimbus.round(one, two)[two.id])


def test_a_move_that_nimbus_did_not_make_costs_nothing_of_the_hours_budget() -> None:
    it = topology()
    nimbus = nimbus_with(it, workers_per_hour=2)
    nimbus.round(it)
    assert is_placed(nimbus.round(it, obey=False)[it.id])
    assert is_placed(nimbus.round(it)[it.id])
    nimbus.round(it)
    assert nimbus.service.workers_started_in_hour() == 2


def test_first_placements_are_not_held_back_by_budgets_nor_count() -> None:
    it = topology()
    nimbus = nimbus_with(workers_per_round=0, workers_per_hour=0)
    assert is_placed(nimbus.round(it)[it.id])
    nimbus.round(it)
    assert nimbus.service.workers_started_in_hour() == 0


# Stages


def test_on_one_host_workers_of_one_topology_start_at_a_time() -> None:
    # Both leave a worker on a changed, and start one on b.
    one, two = topology("one-1"), topology("two-1")
    nimbus = nimbus_with(one, two)
    nimbus.round(one, two)
    first = nimbus.round(one, two)
    assert [is_placed(first[it.id]) for it in (one, two)] == [True, False]
    held = values(hold_of(nimbus, two), Code.HOST_STARTS)
    assert held == {"host": "a", "topology": one.id}
    nimbus.clock.now += 58
    assert not is_placed(nimbus.round(one, two)[two.id])
    nimbus.clock.now += 2  # whether they have come up or not
    assert is_placed(nimbus.round(one, two)[two.id])


# Going back


def moved_to_b(nimbus: Nimbus, it: Topology) -> None:
    while nimbus.host_of(it, 2) != "b":
        nimbus.round(it)


def test_what_runs_where_it_is_not_pinned_goes_back_at_once() -> None:
    nimbus = Nimbus([supervisor("a", 4), supervisor("b", 4)], {("a", "b"): 10}, minimum_gain=1.0)
    it = chain(("x", 1), ("y", 1), settings={"pin": {"x": ["a"], "y": ["b"]}})
    nimbus.running[it.id] = (worker("a", 6700, 1), worker("a", 6701, 2))
    assert any(map(is_placed, nimbus.rounds(it, 3)))


# The horizon


@pytest.mark.parametrize(
    ("horizon", "moves"),
    [
        # What tag's worker sends and gets is lost for 8 s and replayed after 45 s: 8 · 45 = 360 s;
        # 30 ms · 10,000 s = 300 s are saved.
        (10_000.0, False),
        (13_000.0, True),  # 390 s
        (0.0, True),
    ],
)
def test_a_move_has_to_save_more_than_its_restarts_cost_within_the_horizon(
    horizon: float, moves: bool
) -> None:
    it = topology()
    nimbus = nimbus_with(it, horizon_seconds=horizon)
    assert any(map(is_placed, nimbus.rounds(it, 3))) is moves
    if not moves:
        held = values(hold_of(nimbus, it), Code.SAVES_TOO_LITTLE_WAITING)
        assert held == {"horizon": 10_000.0, "saved": pytest.approx(300.0), "cost": 360.0}


def test_an_objective_without_a_common_unit_is_not_held_against_the_restarts() -> None:
    it = topology(objective="N=1")
    assert any(map(is_placed, nimbus_with(it, horizon_seconds=1.0).rounds(it, 3)))
