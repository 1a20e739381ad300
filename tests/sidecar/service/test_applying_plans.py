"""Plans that are applied: exactly what a person saw is moved, or nothing is."""

from dataclasses import replace

import pytest
from eyewall_contracts.decision import Verdict
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import Solution
from eyewall_sidecar.service.decision import Keep, Place
from eyewall_sidecar.service.lookup import UnavailableError
from eyewall_sidecar.service.plans import PLAN_SECONDS, Plan, PlanState
from eyewall_sidecar.service.solver_pool import Job, PlacementTask
from obedient_nimbus import Nimbus
from planned_topologies import TRIANGLE, nimbus_with, planned, state_of, topology
from said import codes, values
from storm_builders import chain, supervisor, worker

TAG_ON_C = message(
    Code.EXECUTORS_MOVED,
    changes=[message(Code.EXECUTOR_MOVED, executor="tag[2-2]", here="c:6700", there="a:6700")],
    more=0,
)


def refusal(nimbus: Nimbus, plan: Plan) -> object:
    """Why a plan cannot be applied."""
    with pytest.raises(UnavailableError) as refused:
        nimbus.planner.apply(plan.id)
    assert isinstance(refused.value.reason, Message)
    return refused.value.reason.values["reason"]


def test_the_next_round_runs_exactly_the_plan_and_the_one_after_it_confirms_that() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    assert nimbus.planner.apply(plan.id).state is PlanState.QUEUED
    decision = nimbus.round(it)[it.id]
    assert decision.verdict == Place(plan.assignment)
    assert decision.base == plan.base
    assert codes(decision.status) == [Code.PLAN_PLACED, Code.MOVING_SOLUTION]
    assert values(decision.status, Code.PLAN_PLACED)["plan"] == plan.id
    assert values(decision.status, Code.MOVING_SOLUTION)["moves"] == 1
    assert state_of(nimbus, plan) == (PlanState.HANDED_OVER, None)
    nimbus.round(it)
    assert state_of(nimbus, plan) == (PlanState.APPLIED, None)
    assert set(nimbus.running[it.id]) == set(plan.assignment)


def test_a_plan_of_another_objective_is_applied_though_the_topologys_own_would_not_do_it() -> None:
    # Availability alone is the same everywhere; T is least with all but the pinned on one host.
    it = topology(objective="T=1")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it, objective="R=1")
    nimbus.planner.apply(plan.id)
    assert nimbus.round(it)[it.id].verdict == Place(plan.assignment)


def test_an_applied_plan_is_recorded_as_a_move_that_somebody_ordered() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    nimbus.round(it)
    record = nimbus.recorded.records[-1]
    assert record.verdict is Verdict.MOVED
    assert record.said == str(plan.report)
    assert codes(plan.report) == [Code.PLAN_APPLIED, Code.MOVING_SOLUTION]
    assert [(m.executor, m.source, m.target) for m in record.moves] == [("tag[2-2]", "a", "b")]
    assert record.workers_started == 2
    assert record.id != ""


def test_applying_twice_is_applying_once() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    assert nimbus.planner.apply(plan.id).state is PlanState.QUEUED
    nimbus.round(it)
    assert nimbus.planner.apply(plan.id).state is PlanState.HANDED_OVER
    nimbus.round(it)
    assert nimbus.planner.apply(plan.id).state is PlanState.APPLIED
    assert nimbus.round(it)[it.id].verdict != Place(plan.assignment)


def test_a_plan_that_was_applied_and_no_longer_runs_is_not_said_to_run() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    before = nimbus.running[it.id]
    nimbus.round(it)
    nimbus.round(it)
    nimbus.running[it.id] = before  # somebody rebalanced it
    nimbus.round(it)
    with pytest.raises(UnavailableError) as refused:
        nimbus.planner.apply(plan.id)
    assert refused.value.reason == message(Code.PLAN_MOVED_ON, plan=plan.id, topology="word-1")


def test_a_plan_that_grew_stale_while_it_was_solved_says_so_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    run = nimbus.solvers.run

    def meanwhile(task: PlacementTask, time_limit: float) -> Job[Solution]:
        nimbus.running[it.id] = (worker("a", 6700, 1), worker("c", 6700, 2, 3))
        nimbus.round(it)
        return run(task, time_limit)

    monkeypatch.setattr(nimbus.solvers, "run", meanwhile)
    plan = planned(nimbus, it)
    assert (plan.state, plan.reason) == (PlanState.STALE, TAG_ON_C)


def test_a_stale_plan_is_refused_and_says_what_changed() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.running[it.id] = (worker("a", 6700, 1), worker("c", 6700, 2, 3))
    nimbus.round(it)
    assert state_of(nimbus, plan) == (PlanState.STALE, TAG_ON_C)
    with pytest.raises(UnavailableError) as refused:
        nimbus.planner.apply(plan.id)
    stale = message(Code.PLAN_STALE, plan=plan.id, reason=TAG_ON_C, topology="word-1")
    assert refused.value.reason == stale
    assert nimbus.round(it)[it.id].verdict != Place(plan.assignment)


def test_a_plan_whose_base_changes_before_its_round_is_stale_and_nothing_is_done() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    nimbus.running[it.id] = (worker("a", 6700, 1, 2),)
    assert not isinstance(nimbus.round(it)[it.id].verdict, Place)
    lost = message(Code.EXECUTOR_LOST, executor="sink[3-3]")
    stale = message(Code.EXECUTORS_MOVED, changes=[lost], more=0)
    assert state_of(nimbus, plan) == (PlanState.STALE, stale)


def test_an_order_that_comes_while_a_round_is_under_way_is_held_against_that_rounds_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    # It comes after the round has looked at what became of the orders before.
    monkeypatch.setattr(nimbus.service.plans, "follow_up", lambda _: nimbus.planner.apply(plan.id))
    nimbus.running[it.id] = (worker("a", 6700, 1), worker("c", 6700, 2, 3))
    assert not isinstance(nimbus.round(it)[it.id].verdict, Place)
    assert state_of(nimbus, plan)[0] is PlanState.STALE


def test_a_topology_that_is_gone_leaves_its_plan_stale() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    nimbus.round()
    gone = message(Code.TOPOLOGY_GONE, topology="word-1")
    assert state_of(nimbus, plan) == (PlanState.STALE, gone)


def test_that_nimbus_did_not_take_a_plan_is_seen_in_the_next_round_and_it_may_be_tried_again() -> (
    None
):
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    nimbus.round(it, obey=False)
    nimbus.round(it)
    unknown = message(Code.NOT_TAKEN, reason="its log has the reason")
    assert state_of(nimbus, plan) == (PlanState.REFUSED, unknown)
    assert nimbus.planner.apply(plan.id).state is PlanState.QUEUED
    nimbus.round(it)
    nimbus.round(it)
    assert state_of(nimbus, plan) == (PlanState.APPLIED, None)


def test_a_slot_that_another_topology_took_meanwhile_refuses_the_plan() -> None:
    it, other = topology(mode="observe"), topology("other-1", mode="observe")
    nimbus = nimbus_with(it)
    first, second = planned(nimbus, it), planned(nimbus, it)
    nimbus.planner.apply(first.id)
    nimbus.running[other.id] = (worker("a", 6703, 1), worker("b", 6700, 2), worker("c", 6703, 3))
    assert not isinstance(nimbus.round(it, other)[it.id].verdict, Place)
    taken = message(Code.SLOT_TAKEN, slot="b:6700", topology="other-1")
    assert state_of(nimbus, first) == (PlanState.REFUSED, taken)
    assert refusal(nimbus, second) == taken


def test_a_slot_that_a_first_placement_takes_in_the_same_round_refuses_the_plan() -> None:
    it = topology(mode="observe")
    newcomer = chain(("x", 1), name="new-1", settings={"pin": {"x": ["b"]}})
    nimbus = Nimbus([supervisor("a", 4), supervisor("b", 1), supervisor("c", 4)], TRIANGLE)
    nimbus.running[it.id] = (worker("a", 6700, 1, 2), worker("c", 6700, 3))
    nimbus.round(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    decisions = nimbus.round(it, newcomer)
    assert isinstance(decisions[newcomer.id].verdict, Place)
    taken = message(Code.SLOT_TAKEN, slot="b:6700", topology="new-1")
    assert state_of(nimbus, plan) == (PlanState.REFUSED, taken)


def test_a_slot_or_a_supervisor_that_is_gone_refuses_the_plan() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.hosts[1] = replace(nimbus.hosts[1], ports=(6702,))
    nimbus.round(it)
    assert refusal(nimbus, plan) == message(Code.PORT_WITHDRAWN, slot="b:6700")
    del nimbus.hosts[1]
    nimbus.round(it)
    assert refusal(nimbus, plan) == message(Code.SUPERVISOR_GONE, supervisor="sup-b")


def test_the_later_of_two_orders_for_one_topology_refuses_the_earlier() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    earlier, later = planned(nimbus, it), planned(nimbus, it, objective="N=1")
    nimbus.planner.apply(earlier.id)
    nimbus.planner.apply(later.id)
    superseded = message(Code.SUPERSEDED, plan=later.id)
    assert state_of(nimbus, earlier) == (PlanState.REFUSED, superseded)
    assert nimbus.round(it)[it.id].verdict == Place(later.assignment)


def test_a_queued_plan_says_since_when_no_round_was_seen() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    nimbus.clock.now += 45
    assert state_of(nimbus, plan) == (PlanState.QUEUED, message(Code.NO_ROUND, seconds=45.0))


def test_an_order_that_no_round_came_for_is_forgotten_with_its_plan() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    nimbus.clock.now += PLAN_SECONDS
    assert nimbus.round(it)[it.id].verdict != Place(plan.assignment)


def test_gain_cool_down_and_budget_do_not_hold_a_person_back_but_the_move_counts() -> None:
    it = topology()
    nimbus = nimbus_with(it, minimum_gain=0.9, cool_down_seconds=600.0, workers_per_hour=1)
    plan = planned(nimbus, it)
    nimbus.planner.apply(plan.id)
    assert nimbus.round(it)[it.id].verdict == Place(plan.assignment)
    nimbus.round(it)
    assert nimbus.service.workers_started_in_hour() == 2
    # The cool-down of what was applied began with the round that showed it.
    snapshot = nimbus.service.last_round()
    (now,) = snapshot.observation.state.topologies
    assert nimbus.service.conditions(now, snapshot.records).cooling_seconds == 600.0


def test_a_frozen_topology_refuses_an_order_and_says_who_froze_it() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.switches.turn(it.id)
    assert refusal(nimbus, plan) == message(Code.TOPOLOGY_FROZEN)
    nimbus.switches.turn()
    nimbus.planner.apply(plan.id)
    nimbus.switches.turn(everything=True)
    assert not isinstance(nimbus.round(it)[it.id].verdict, Place)
    assert state_of(nimbus, plan) == (PlanState.REFUSED, message(Code.FROZEN_BY_OPERATORS))
    configured = nimbus_with(it, frozen=True)
    assert refusal(configured, planned(configured, it)) == message(Code.FROZEN_BY_CONFIGURATION)


def test_the_other_topologies_are_decided_as_ever_while_one_is_ordered() -> None:
    ordered, other = topology(mode="observe"), topology("other-1")
    nimbus = nimbus_with(ordered, other)
    plan = planned(nimbus, ordered)
    nimbus.planner.apply(plan.id)
    decisions = nimbus.round(ordered, other)
    assert decisions[ordered.id].verdict == Place(plan.assignment)
    assert isinstance(decisions[other.id].verdict, Place | Keep)
