"""From plans to the contract's messages, and from requests to what is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.proto import operations_pb2 as pb

from eyewall_sidecar.service import Plan, PlanState, Wanted
from eyewall_sidecar.service.kept_plans import KEPT_SECONDS
from eyewall_sidecar.storm import Change

if TYPE_CHECKING:
    from eyewall_sidecar.service.plan import PlannedMove, PlannedWorker

_STATES = {
    PlanState.PROPOSED: pb.Plan.PROPOSED,
    PlanState.QUEUED: pb.Plan.QUEUED,
    PlanState.HANDED_OVER: pb.Plan.HANDED_OVER,
    PlanState.APPLIED: pb.Plan.APPLIED,
    PlanState.REFUSED: pb.Plan.REFUSED,
    PlanState.STALE: pb.Plan.STALE,
}
_CHANGES = {
    Change.UNCHANGED: pb.WorkerChange.UNCHANGED,
    Change.STARTED: pb.WorkerChange.STARTED,
    Change.RESTARTED: pb.WorkerChange.RESTARTED,
    Change.STOPPED: pb.WorkerChange.STOPPED,
}


def wanted(request: pb.PlanRequest) -> Wanted:
    """Decode what somebody asks for."""
    return Wanted(
        topology=request.topology,
        policy=request.policy,
        objective=request.objective,
        time_limit=request.time_limit,
        seed=request.seed if request.HasField("seed") else None,
    )


def plan(it: Plan, now: float) -> pb.Plan:
    """Encode a plan as it is at a moment of the service's clock."""
    record = it.record
    message = pb.Plan(
        id=it.id,
        topology_id=it.topology_id,
        topology=it.topology.topology.name,
        state=_STATES[it.state],
        state_reason=it.reason,
        age=max(0.0, now - it.made),
        expires_in=max(0.0, it.since + KEPT_SECONDS - now),
        base=it.base.hex(),
        policy=record.policy,
        objective=record.objective,
        seed=record.seed or 0,
        status=record.status,
        decided_by=record.decided_by,
        seconds=record.seconds or 0.0,
        evaluated=record.evaluated or 0,
        bound=record.bound,
        gap=record.gap,
        gain=it.gain,
        moves=[_move(move) for move in it.moves()],
        workers=[_worker(worker) for worker in it.workers()],
        workers_started=record.workers_started or 0,
        possible=record.possible,
        remarks=it.remarks,
        held_back=it.held_back,
        delays_age=record.delays_age,
        delays_confidence=record.delays_confidence,
        rates_age=record.rates_age,
    )
    for metric in record.metrics:
        message.metrics.add(name=metric.name, before=metric.before, after=metric.after)
    for rejection in record.rejected:
        message.rejected.add(constraint=rejection.constraint, moves=rejection.moves)
    for step in it.slowest_path:
        message.slowest_path.add(
            executor=step.executor, host=step.host, delay=step.delay, work=step.work
        )
    return message


def summary(it: Plan, now: float) -> pb.PlanSummary:
    """Encode what a list of plans says of one."""
    record = it.record
    return pb.PlanSummary(
        id=it.id,
        topology_id=it.topology_id,
        topology=it.topology.topology.name,
        state=_STATES[it.state],
        state_reason=it.reason,
        age=max(0.0, now - it.made),
        expires_in=max(0.0, it.since + KEPT_SECONDS - now),
        policy=record.policy,
        objective=record.objective,
        status=record.status,
        gain=it.gain,
        executors_moved=len(it.moves()),
        workers_started=record.workers_started or 0,
    )


def _move(it: PlannedMove) -> pb.ExecutorMove:
    return pb.ExecutorMove(
        executor=it.executor,
        component=it.component,
        source_host=it.source.host,
        source_port=it.source.port,
        target_host=it.target.host,
        target_port=it.target.port,
    )


def _worker(it: PlannedWorker) -> pb.WorkerChange:
    return pb.WorkerChange(
        host=it.slot.host,
        port=it.slot.port,
        kind=_CHANGES[it.change],
        before=it.before,
        after=it.after,
    )
