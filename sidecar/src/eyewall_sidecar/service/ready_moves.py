"""Moves that no search has to find: a plan that a person ordered, and the way back from a move."""

from collections.abc import Callable
from dataclasses import replace

from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.service.decision import (
    Handover,
    Keep,
    Place,
    RoundInputs,
    TopologyOutcome,
    TopologyRecord,
)
from eyewall_sidecar.service.look_back import (
    MoveHistory,
    MoveOutcome,
    MoveTrial,
    SlowedLink,
    find_full_origin,
    find_slowed_links,
    find_surroundings,
    judge_move,
)
from eyewall_sidecar.service.move_price import price_move
from eyewall_sidecar.service.movement_rules import find_freeze
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.service.plans import (
    PlanState,
    PlanStore,
    find_staleness,
    lost_slot_message,
)
from eyewall_sidecar.service.started_workers import StartedWorkers
from eyewall_sidecar.storm import TopologyState, find_lost_slot

MOST_UNDOS = 3
"""Orders of an undo that Nimbus does not take."""
MOST_RESTARTS = 3
"""Of the worker in one slot, from which on a move that came before them is to blame."""


class ReadyMoves:
    """Makes them as long as they fit what runs."""

    def __init__(
        self,
        limits: MoveLimits,
        plans: PlanStore,
        started: StartedWorkers,
        clock: Callable[[], float],
    ) -> None:
        """Move within these limits; `clock` is the one of rounds."""
        self._limits = limits
        self._plans = plans
        self._started = started
        self._clock = clock

    def apply_plan(
        self, topology: TopologyState, record: TopologyRecord, inputs: RoundInputs
    ) -> TopologyOutcome | None:
        """Run what a person ordered; None if nothing was ordered, or if it cannot be done."""
        plan = inputs.plans.get(topology.topology.id)
        if plan is None:
            return None
        state = inputs.observation.state
        # The order may rest on the round before this one.
        if stale := find_staleness(plan, state):
            self._plans.turn(plan, PlanState.STALE, stale)
            return None
        refusal = find_freeze(self._limits, inputs.switches, topology.topology.id)
        if refusal is None and (lost := find_lost_slot(plan.assignment, topology, state)):
            refusal = lost_slot_message(lost, plan.hosts)
        if refusal is not None:
            self._plans.turn(plan, PlanState.REFUSED, refusal)
            return None
        if plan.status is None or not self._plans.turn(plan, PlanState.HANDED_OVER):
            return None
        self._started.spend(topology, plan.assignment)
        self._started.expect(topology, plan.assignment, state)
        record = replace(record, handover=Handover(plan.assignment, plan.status))
        return TopologyOutcome(Place(plan.assignment), record, plan.report, plan=plan)

    def look_back(
        self,
        topology: TopologyState,
        record: TopologyRecord,
        inputs: RoundInputs,
        performance: Performance,
        problem: PlacementProblem | None,
    ) -> tuple[TopologyRecord, TopologyOutcome | None]:
        """Review the last setback, and judge the last move; with an outcome if there is one.

        Where delays, rates or loads are unknown there is no `problem`, and a move is judged by
        crashes alone.
        """
        if problem is not None:
            record, acquittal = self._review_setback(record, problem)
            if acquittal is not None:
                return record, TopologyOutcome(Keep(), record, acquittal, looks_back=True)
        found = _outcome_of(record.trial, performance, problem)
        if record.trial is None or found is None:
            return record, None
        outcome = self._judge(topology, record, record.trial, found, inputs, performance, problem)
        return record, outcome

    def _judge(
        self,
        topology: TopologyState,
        record: TopologyRecord,
        trial: MoveTrial,
        found: MoveOutcome,
        inputs: RoundInputs,
        performance: Performance,
        problem: PlacementProblem | None,
    ) -> TopologyOutcome:
        """Judge the last move by what became of it: it is undone, once, if it made things worse.

        An undo that Nimbus does not take, or that reaches it too late, is ordered again, up to
        `MOST_UNDOS` times.
        """
        now = self._clock()
        if not found.worse or trial.undoes:
            record = replace(record, trial=None)
            if not trial.undoes and record.history.setbacks:
                record = _without_predictions(record, record.history.confirmed())
            report = message(Code.MOVE_CONFIRMED, measured=found.report)
            return TopologyOutcome(Keep(), record, report, looks_back=True)
        undo = record.handover
        if undo is not None and (undo.trial is None or not undo.trial.undoes):
            undo = None
        if undo is not None and now - undo.ordered < self._limits.cool_down_seconds:
            return TopologyOutcome(Keep(), record)
        orders = undo.orders if undo is not None else 0
        # Where workers crash there is nothing to be compared, and anything is better.
        at_rest = problem if performance.at_rest else None
        refusal = self._find_refusal(trial, found, orders, topology, record, inputs)
        if refusal is None and at_rest is not None:
            refusal = find_full_origin(trial, performance, at_rest)
        if refusal is not None:
            record = replace(record, trial=None, history=record.history.with_setback(now))
            report = message(Code.MOVE_NOT_UNDONE, measured=found.report, reason=refusal)
            return TopologyOutcome(Keep(), record, report, looks_back=True)
        slowed: tuple[SlowedLink, ...] = ()
        # Slow links excuse a measured latency; a topology that never came to rest has none.
        if problem is not None and performance.at_rest:
            surroundings = find_surroundings(trial, problem, used_links=True)
            excused = not judge_move(trial, performance, surroundings).worse
            slowed = find_slowed_links(trial, problem) if excused else ()
        back = MoveTrial(topology.assignment, performance.latest(), undoes=True, slowed=slowed)
        handover = Handover(trial.origin, message(Code.UNDONE), back)
        record = replace(record, handover=handover.after(undo, now))
        self._started.spend(topology, trial.origin)
        self._started.expect(topology, trial.origin, inputs.observation.state)
        report = message(Code.MOVE_UNDONE, measured=found.report)
        return TopologyOutcome(Place(trial.origin), record, report, looks_back=True)

    def _find_refusal(
        self,
        trial: MoveTrial,
        found: MoveOutcome,
        orders: int,
        topology: TopologyState,
        record: TopologyRecord,
        inputs: RoundInputs,
    ) -> Message | None:
        """Return why a bad move stays, after so many orders of its undo; None if it is undone."""
        if freeze := find_freeze(self._limits, inputs.switches, topology.topology.id):
            return freeze
        state = inputs.observation.state
        if lost := find_lost_slot(trial.origin, topology, state):
            return lost_slot_message(lost, {it.id: it.host for it in state.supervisors})
        if orders >= MOST_UNDOS:
            return message(Code.UNDO_NOT_TAKEN, orders=orders, reason=record.refusal)
        horizon = self._limits.horizon_seconds
        if found.lateness is None or record.request is None or horizon <= 0:
            return None
        cost = price_move(record.request, trial.origin, self._started.starts).seconds
        saved = found.lateness * horizon
        if saved > cost:
            return None
        return message(Code.UNDO_COSTS_MORE, cost=cost, saved=saved, horizon=horizon)

    def _review_setback(
        self, record: TopologyRecord, problem: PlacementProblem
    ) -> tuple[TopologyRecord, Message | None]:
        """Look whether links that a move was undone for are as slow without the topology.

        If they are, return why nothing is held back any more.
        """
        before = record.history
        history = before.reviewed(problem, self._clock())
        if history is before:
            return record, None
        if history.setbacks == before.setbacks:
            return replace(record, history=history), None
        record = _without_predictions(record, history)
        source, target = max(before.slowed, key=lambda it: it.slowed - it.before).ends
        delay = problem.link(source, target).delay
        return record, message(Code.LINK_STAYED_SLOW, source=source, target=target, delay=delay)


def with_faded_setbacks(record: TopologyRecord, now: float) -> TopologyRecord:
    """Return the record with a setback less for each day since the last."""
    history = record.history.faded(now)
    return record if history is record.history else _without_predictions(record, history)


def _outcome_of(
    trial: MoveTrial | None, performance: Performance, problem: PlacementProblem | None
) -> MoveOutcome | None:
    """Return what became of a move; None if there was none, or if it is too early to say."""
    if trial is None:
        return None
    restarts = performance.restarts.most
    if not trial.undoes and restarts >= MOST_RESTARTS > trial.before.restarts.most:
        return MoveOutcome(worse=True, report=message(Code.RESTARTED_WORKERS, restarts=restarts))
    if problem is None or not performance.at_rest or performance.lacks_delay:
        return None
    return judge_move(trial, performance, find_surroundings(trial, problem))


def _without_predictions(record: TopologyRecord, history: MoveHistory) -> TopologyRecord:
    """Return the record with a history by which predictions are more certain than they were."""
    return replace(record, history=history, request=None, candidate=None, cheaper=())
