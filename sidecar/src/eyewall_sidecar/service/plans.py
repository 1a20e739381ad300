"""Plans: exact assignments that a person may have applied, and what has become of each."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from eyewall_contracts.decision import DecisionRecord

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.objectives.slowest_path import PathStep
from eyewall_sidecar.service.candidate_move import UNKNOWN_REFUSAL
from eyewall_sidecar.service.lookup import UnknownNameError, nearest_names
from eyewall_sidecar.storm import (
    Assignment,
    ClusterState,
    Executor,
    LostSlot,
    Slot,
    SlotLoss,
    SlotMove,
    TopologyState,
    WorkerChange,
    operator_id,
    slot_moves,
    worker_changes,
)

MOST_PLANS = 100
PLAN_SECONDS = 900.0
"""For which a plan is remembered after it was made, or after its state changed."""
MOST_CHANGES_NAMED = 3


class PlanState(StrEnum):
    """What has become of a plan."""

    PROPOSED = "proposed"
    """Nothing was done about it."""
    QUEUED = "queued"
    """It goes to Nimbus with its next round."""
    HANDED_OVER = "handed over"
    """Nimbus has it; the next round shows whether it runs."""
    APPLIED = "applied"
    """Nimbus's assignment is exactly the plan."""
    REFUSED = "refused"
    """Nothing was changed."""
    STALE = "stale"
    """What runs is no longer what it was computed from."""


ORDERED = (PlanState.QUEUED, PlanState.HANDED_OVER)
"""A person ordered it, and the outcome is open."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One plan; each change of its state makes another value.

    Parameters
    ----------
    id
        Short enough to be typed.
    topology
        As it ran when the plan was made: its assignment is the plan's base.
    hosts
        Supervisor id → host.
    assignment
        What would run; the base itself if the plan changes nothing.
    record
        The decision that it is once it is applied, without an id. All that was found is in it,
        also where there is no placement.
    made, since
        When it was made, and when its state changed last, on the service's clock.
    status, report
        What Storm UI and the log then say; None if nothing was found.
    gain
        The part of its value by which the objective gets better; None if nothing was found.
    slowest_path
        With the plan, from its source to its end.
    remarks
        What was assumed, what binds, what ended the search.
    hold
        What keeps the move from being made without an order; None if nothing does.
    state, reason
        What has become of it, and why.
    """

    id: str
    topology: TopologyState
    hosts: Mapping[str, str]
    assignment: Assignment
    record: DecisionRecord
    made: float
    since: float
    status: Message | None = None
    report: Message | None = None
    gain: float | None = None
    slowest_path: tuple[PathStep, ...] = ()
    remarks: tuple[Message | str, ...] = ()
    hold: Message | None = None
    state: PlanState = PlanState.PROPOSED
    reason: Message | None = None

    @property
    def topology_id(self) -> str:
        """Storm's id of the topology."""
        return self.topology.topology.id

    @property
    def base(self) -> bytes:
        """Names the assignment that it was computed from."""
        return self.topology.assignment_digest

    @property
    def changes_nothing(self) -> bool:
        """Whether all runs as planned already, or nothing was found."""
        return set(self.assignment) == set(self.topology.assignment)

    def workers(self) -> tuple[WorkerChange, ...]:
        """Return every worker process that runs or would."""
        return worker_changes(self.topology.assignment, self.assignment)

    def moves(self) -> tuple[SlotMove, ...]:
        """Return every executor that changes its worker process."""
        known = self.topology.topology.executors()
        moves = slot_moves(self.topology.assignment, self.assignment)
        return tuple(it for it in moves if it.before and it.after and it.executor in known)


def executor_names(topology: TopologyState) -> Mapping[Executor, str]:
    """Executor → its name as people read it."""
    return {it: operator_id(of, it) for it, of in topology.topology.executors().items()}


def find_staleness(plan: Plan, cluster: ClusterState) -> Message | None:
    """Return what runs otherwise than the plan was computed from; None if nothing does."""
    now = next((it for it in cluster.topologies if it.topology.id == plan.topology_id), None)
    name = plan.topology.topology.name
    if now is None:
        return message(Code.TOPOLOGY_GONE, topology=name)
    if now.assignment_digest == plan.base:
        return None
    hosts = {**plan.hosts, **{it.id: it.host for it in cluster.supervisors}}
    names = {**executor_names(plan.topology), **executor_names(now)}
    moves = slot_moves(plan.topology.assignment, now.assignment)
    if not moves:
        return message(Code.WORKERS_RESTARTED, topology=name)
    return message(
        Code.EXECUTORS_MOVED,
        changes=[_moved(it, names, hosts) for it in moves[:MOST_CHANGES_NAMED]],
        more=max(0, len(moves) - MOST_CHANGES_NAMED),
    )


def lost_slot_message(lost: LostSlot, hosts: Mapping[str, str]) -> Message:
    """Return why a plan cannot have a slot."""
    slot = slot_name(lost.slot, hosts)
    match lost.loss:
        case SlotLoss.SUPERVISOR_GONE:
            return message(Code.SUPERVISOR_GONE, supervisor=lost.slot.supervisor)
        case SlotLoss.WITHDRAWN:
            return message(Code.PORT_WITHDRAWN, slot=slot)
        case SlotLoss.DRAINED:
            return message(Code.SLOT_DRAINED, slot=slot)
        case SlotLoss.TAKEN:
            return message(Code.SLOT_TAKEN, slot=slot, topology=lost.holder)


def _moved(move: SlotMove, names: Mapping[Executor, str], hosts: Mapping[str, str]) -> Message:
    executor = names.get(move.executor, str(move.executor))
    if move.after is None:
        return message(Code.EXECUTOR_LOST, executor=executor)
    here = slot_name(move.after, hosts)
    if move.before is None:
        return message(Code.EXECUTOR_PLACED, executor=executor, here=here)
    there = slot_name(move.before, hosts)
    return message(Code.EXECUTOR_MOVED, executor=executor, here=here, there=there)


def slot_name(slot: Slot, hosts: Mapping[str, str]) -> str:
    """Return a slot as people read it; by the supervisor's id if its host is not known."""
    return f"{hosts.get(slot.supervisor, slot.supervisor)}:{slot.port}"


class PlanStore:
    """The plans that are remembered, and their states; any thread may use it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Forget by `clock`."""
        self._clock = clock
        self._lock = threading.Lock()
        self._plans: dict[str, Plan] = {}

    def add(self, plan: Plan) -> None:
        """Remember a plan; the oldest ones that nobody ordered make room."""
        with self._lock:
            self._forget()
            self._plans[plan.id] = plan
            free = [it for it in self._plans.values() if it.state not in ORDERED]
            excess = max(0, len(self._plans) - MOST_PLANS)
            for old in sorted(free, key=lambda it: it.since)[:excess]:
                del self._plans[old.id]

    def get(self, id_: str) -> Plan:
        """Return a plan; UnknownNameError if there is none, or if it was forgotten."""
        with self._lock:
            return self._get(id_)

    def all(self) -> tuple[Plan, ...]:
        """Return all plans, newest first."""
        with self._lock:
            self._forget()
            return tuple(reversed(self._plans.values()))

    def queue(self, id_: str) -> Plan:
        """Have the next round apply a plan instead of any other one for the same topology.

        A plan that is under way or applied stays so.
        """
        with self._lock:
            plan = self._get(id_)
            if plan.state in (*ORDERED, PlanState.APPLIED):
                return plan
            for other in list(self._plans.values()):
                if other.state is PlanState.QUEUED and other.topology_id == plan.topology_id:
                    self._turn(other, PlanState.REFUSED, message(Code.SUPERSEDED, plan=id_))
            return self._turn(plan, PlanState.QUEUED)

    def queued(self) -> Mapping[str, Plan]:
        """Storm's id of a topology → the plan that is to be applied to it."""
        with self._lock:
            self._forget()
            queued = (it for it in self._plans.values() if it.state is PlanState.QUEUED)
            return {it.topology_id: it for it in queued}

    def turn(self, plan: Plan, state: PlanState, reason: Message | None = None) -> bool:
        """Change a plan's state; False if another thread changed it first."""
        with self._lock:
            if self._plans.get(plan.id) is not plan:
                return False
            self._turn(plan, state, reason)
            return True

    def follow_up(self, cluster: ClusterState) -> None:
        """Conclude from what Nimbus has now what became of the orders."""
        running = {it.topology.id: set(it.assignment) for it in cluster.topologies}
        refusals = {it.topology.id: it.refusal for it in cluster.topologies}
        with self._lock:
            for plan in [it for it in self._plans.values() if it.state in ORDERED]:
                handed_over = plan.state is PlanState.HANDED_OVER
                if handed_over and running.get(plan.topology_id) == set(plan.assignment):
                    self._turn(plan, PlanState.APPLIED)
                elif stale := find_staleness(plan, cluster):
                    self._turn(plan, PlanState.STALE, stale)
                elif handed_over:
                    reason = refusals.get(plan.topology_id) or UNKNOWN_REFUSAL
                    self._turn(plan, PlanState.REFUSED, message(Code.NOT_TAKEN, reason=reason))

    def _get(self, id_: str) -> Plan:
        self._forget()
        plan = self._plans.get(id_)
        if plan is not None:
            return plan
        unknown = message(Code.NO_PLAN, name=id_, minutes=PLAN_SECONDS / 60, limit=MOST_PLANS)
        raise UnknownNameError(unknown, nearest_names(id_, self._plans))

    def _turn(self, plan: Plan, state: PlanState, reason: Message | None = None) -> Plan:
        turned = replace(plan, state=state, reason=reason, since=self._clock())
        self._plans[plan.id] = turned
        return turned

    def _forget(self) -> None:
        now = self._clock()
        for plan in list(self._plans.values()):
            if now - plan.since >= PLAN_SECONDS:
                del self._plans[plan.id]
