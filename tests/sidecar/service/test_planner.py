"""Plans: what would move, and what it is worth."""

from dataclasses import replace

import pytest
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.service.lookup import InvalidRequestError, UnavailableError, UnknownNameError
from eyewall_sidecar.service.planner import PlanOptions
from eyewall_sidecar.service.plans import MOST_PLANS, PLAN_SECONDS, PlanState
from eyewall_sidecar.service.solver_pool import SolverFailure
from eyewall_sidecar.storm import ChangeKind, Executor, Slot, SlotMove, WorkerChange
from obedient_nimbus import Nimbus, reason
from planned_topologies import nimbus_with, planned, topology
from said import codes
from storm_builders import supervisor, worker


def test_a_plan_says_slot_by_slot_what_would_move_and_what_it_gains_and_moves_nothing() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    before = dict(nimbus.running)
    plan = planned(nimbus, it)
    assert codes(reason(nimbus.round(it)[it.id])) == [Code.OBSERVED, Code.FOUND]
    assert nimbus.running == before
    # tag leaves a, whose worker starts again with source alone, in a fresh slot; sink stays.
    source, tag, sink = (Executor(task, task) for task in (1, 2, 3))
    old, fresh, on_b, on_c = (
        Slot(f"sup-{host}", port)
        for host, port in (("a", 6700), ("a", 6701), ("b", 6700), ("c", 6700))
    )
    assert plan.moves() == (SlotMove(source, old, fresh), SlotMove(tag, old, on_b))
    assert plan.workers() == (
        WorkerChange(old, ChangeKind.STOPPED, (source, tag), ()),
        WorkerChange(fresh, ChangeKind.STARTED, (), (source,)),
        WorkerChange(on_b, ChangeKind.STARTED, (), (tag,)),
        WorkerChange(on_c, ChangeKind.UNCHANGED, (sink,), (sink,)),
    )
    assert plan.record.workers_started == 2
    # 50 ms from a to c; by way of b 10 + 10 ms.
    response_time = next(m for m in plan.record.metrics if m.name == "R")
    assert response_time.before == pytest.approx(0.05)
    assert response_time.after == pytest.approx(0.02)
    assert plan.gain == pytest.approx(0.6)
    assert (plan.record.status, plan.record.policy, plan.record.objective) == (
        "optimal",
        "odp",
        "R=1",
    )
    assert plan.state is PlanState.PROPOSED


def test_a_plan_is_solved_apart_from_the_rounds() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    improved = len(nimbus.solvers.improved)
    planned(nimbus, it)
    assert len(nimbus.solvers.improved) == improved
    assert [asked.limit for asked in nimbus.solvers.planned] == [10.0]


def test_another_policy_objective_seed_and_time_limit_may_be_asked_for() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    plan = planned(
        nimbus, it, policy="hill_climbing", objective="R=0.5,N=0.5", seed=7, time_limit=2.5
    )
    asked = nimbus.solvers.planned[-1]
    assert (asked.limit, asked.task.seed, asked.task.policy) == (2.5, 7, "hill_climbing")
    assert (plan.record.policy, plan.record.objective, plan.record.seed) == (
        "hill_climbing",
        "R=0.5,N=0.5",
        7,
    )


def test_what_the_rules_would_say_to_a_plan_is_part_of_it() -> None:
    it = topology()
    nimbus = nimbus_with(it, minimum_gain=0.7)
    assert planned(nimbus, it).hold == message(Code.GAIN_TOO_SMALL, minimum=0.7)
    nimbus = nimbus_with(it, workers_per_hour=1)
    budget = message(Code.HOUR_BUDGET, workers=2, started=0, limit=1)
    assert planned(nimbus, it).hold == budget
    nimbus = nimbus_with(it, cool_down_seconds=60.0)
    assert planned(nimbus, it).hold == message(Code.COOLING, seconds=60.0)
    nimbus = nimbus_with(it, frozen=True)
    assert planned(nimbus, it).hold == message(Code.FROZEN_BY_CONFIGURATION)
    assert planned(nimbus_with(it), it).hold is None


@pytest.mark.parametrize(
    ("mode", "hold"),
    [("auto", None), ("observe", message(Code.MODE_OBSERVE))],
)
def test_a_plan_that_is_worse_says_why_what_runs_may_not_stay_as_it_is(
    mode: str, hold: Message | None
) -> None:
    # source and tag on b, sink on c: 10 ms. source belongs on a: 10 ms more.
    it = topology(mode=mode)
    nimbus = nimbus_with(it)
    nimbus.running[it.id] = (worker("b", 6700, 1, 2), worker("c", 6700, 3))
    nimbus.round(it, obey=False)
    plan = planned(nimbus, it)
    assert plan.gain == pytest.approx(-1.0)
    assert plan.remarks[0] == message(Code.NOT_PINNED_THERE, executor="source[1-1]")
    assert plan.hold == hold
    assert plan.remarks[0] not in planned(nimbus_with(it), it).remarks


def test_a_plan_that_changes_nothing_says_so_and_cannot_be_applied() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.running[it.id] = (worker("a", 6700, 1), worker("b", 6700, 2), worker("c", 6700, 3))
    nimbus.round(it)
    plan = planned(nimbus, it)
    assert plan.changes_nothing
    assert plan.moves() == ()
    with pytest.raises(UnavailableError) as refused:
        nimbus.planner.apply(plan.id)
    nothing = message(Code.PLAN_CHANGES_NOTHING, plan=plan.id, topology="word-1")
    assert refused.value.reason == nothing


@pytest.mark.parametrize(
    ("answer", "status", "remark"),
    [
        (Solution(Status.INFEASIBLE, "odp", "", reasons=("too little CPU",)), "infeasible", "CPU"),
        (Solution(Status.TIMED_OUT, "odp", "", reasons=("10 s over",)), "timed out", "10 s over"),
        (SolverFailure(message(Code.SOLVER_DIED)), "failed", "died"),
    ],
)
def test_that_nothing_was_found_is_a_plan_too(
    answer: Solution | SolverFailure, status: str, remark: str
) -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    nimbus.solvers.answer = answer
    plan = planned(nimbus, it)
    assert plan.record.status == status
    assert remark in " ".join(map(str, plan.remarks))
    assert (plan.moves(), plan.gain, plan.hold) == ((), None, None)
    assert plan.changes_nothing


def test_what_cannot_be_modelled_is_a_plan_that_failed_with_the_reason() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.delays.milliseconds.clear()
    nimbus.round(it)
    plan = planned(nimbus, it)
    assert plan.record.status == "failed"
    assert "delay" in str(plan.remarks[0])


# What is asked amiss


def test_before_any_round_there_is_nothing_to_plan_for() -> None:
    nimbus = Nimbus([supervisor("a")], {})
    with pytest.raises(UnavailableError) as refused:
        nimbus.planner.make(PlanOptions("word-1"), lambda: True)
    assert refused.value.reason == message(Code.NO_ROUND_YET)


def test_unknown_topologies_policies_and_plans_are_named_with_what_is_near() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    with pytest.raises(UnknownNameError, match="no topology wort-1") as topologies:
        nimbus.planner.make(PlanOptions("wort-1"), lambda: True)
    assert topologies.value.nearest == ("word-1",)
    with pytest.raises(UnknownNameError, match="no policy hill_climb") as policies:
        planned(nimbus, it, policy="hill_climb")
    assert policies.value.nearest[0] == "hill_climbing"
    with pytest.raises(UnknownNameError) as plans:
        nimbus.planner.get("0000000f")
    assert codes(plans.value.reason) == [Code.NO_PLAN]


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"objective": "R=0.5,A=0.2"}, "the weights sum to 0.7; they must sum to 1"),
        ({"objective": "R=0"}, "the weights sum to 0; they must sum to 1"),
        ({"objective": "Q=1"}, "no term 'Q'"),
        ({"objective": "ecker"}, "policy is odp, which optimises"),
        ({"time_limit": 61.0}, "time limit 61: it must be a number of seconds > 0 and at most 60"),
        ({"time_limit": -1.0}, "time limit -1"),
        ({"time_limit": float("nan")}, "time limit nan"),
        ({"seed": 2**32}, "seed 4294967296"),
    ],
)
def test_what_makes_no_sense_is_refused_in_the_grammars_own_words(
    wanted: dict[str, object], complaint: str
) -> None:
    it = topology()
    nimbus = nimbus_with(it)
    with pytest.raises(InvalidRequestError) as refused:
        planned(nimbus, it, **wanted)
    assert complaint in str(refused.value)
    assert nimbus.solvers.planned == []


def test_a_topology_that_is_off_refused_or_not_whole_has_no_plan() -> None:
    off, refused = topology("off-1", mode="off"), replace(topology("bad-1"), refused="nonsense")
    partly = topology("part-1")
    nimbus = nimbus_with(off, refused, partly)
    with pytest.raises(UnavailableError) as is_off:
        planned(nimbus, off)
    assert Code.MODE_OFF in codes(is_off.value.reason)
    with pytest.raises(UnavailableError, match="nonsense"):
        planned(nimbus, refused)
    nimbus.running[partly.id] = (worker("a", 6702, 1), worker("c", 6702, 3))
    nimbus.round(off, refused, partly, obey=False)
    with pytest.raises(UnavailableError) as is_partly:
        planned(nimbus, partly)
    lacking = message(Code.NOT_WHOLE, topology="part-1", executors=["tag[2-2]"])
    assert is_partly.value.reason == lacking


def test_nobody_is_kept_waiting_who_no_longer_waits() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.solvers.late = True
    with pytest.raises(UnavailableError) as refused:
        nimbus.planner.make(PlanOptions("word-1"), lambda: False)
    assert refused.value.reason == message(Code.NOBODY_WAITS)
    assert nimbus.solvers.planned[-1].cancelled


# How long plans are kept


def test_plans_are_forgotten_after_a_quarter_of_an_hour() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    plan = planned(nimbus, it)
    nimbus.clock.now += PLAN_SECONDS - 1
    assert nimbus.planner.all() == (plan,)
    nimbus.clock.now += 1
    assert nimbus.planner.all() == ()


def test_the_oldest_plan_makes_room_for_another_one_but_not_one_that_is_queued() -> None:
    it = topology(mode="observe")
    nimbus = nimbus_with(it)
    plans = []
    for _ in range(MOST_PLANS):
        nimbus.clock.now += 0.01
        plans.append(planned(nimbus, it))
    nimbus.planner.apply(plans[0].id)
    newest = planned(nimbus, it)
    kept = {it.id for it in nimbus.planner.all()}
    assert len(kept) == MOST_PLANS
    assert {plans[0].id, newest.id} <= kept
    assert plans[1].id not in kept
