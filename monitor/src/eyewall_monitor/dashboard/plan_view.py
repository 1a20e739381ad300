"""Plans and the policies that they can be made with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from eyewall_contracts.proto import operations_pb2 as pb

from eyewall_monitor.dashboard.metric_views import metrics, path, rejections
from eyewall_monitor.dashboard.views.moves import MoveView
from eyewall_monitor.dashboard.views.plan import (
    PlanState,
    PlanSummaryView,
    PlanView,
    PolicyView,
    WorkerChangeView,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.message import Message

STATES: Final[Mapping[int, PlanState]] = {
    pb.Plan.PROPOSED: "proposed",
    pb.Plan.QUEUED: "queued",
    pb.Plan.HANDED_OVER: "handed_over",
    pb.Plan.APPLIED: "applied",
    pb.Plan.REFUSED: "refused",
    pb.Plan.STALE: "stale",
}
_KINDS: Final[Mapping[int, Literal["unchanged", "started", "restarted", "stopped"]]] = {
    pb.WorkerChange.UNCHANGED: "unchanged",
    pb.WorkerChange.STARTED: "started",
    pb.WorkerChange.RESTARTED: "restarted",
    pb.WorkerChange.STOPPED: "stopped",
}
ON_ITS_WAY: Final = frozenset({pb.Plan.QUEUED, pb.Plan.HANDED_OVER})
"""States that change by themselves within seconds."""


def plan_view(plan: pb.Plan) -> PlanView:
    """Show a plan, whole."""
    return PlanView(
        id=plan.id,
        topology=plan.topology_id,
        name=plan.topology,
        state=plan_state(plan),
        state_reason=plan.state_reason,
        age=plan.age,
        expires_in=plan.expires_in,
        base=plan.base,
        policy=plan.policy,
        objective=plan.objective,
        seed=plan.seed,
        status=plan.status,
        decided_by=plan.decided_by,
        seconds=plan.seconds,
        evaluated=plan.evaluated,
        bound=_maybe(plan, "bound"),
        gap=_maybe(plan, "gap"),
        gain=_maybe(plan, "gain"),
        metrics=metrics(plan.metrics),
        moves=tuple(
            MoveView(
                executor=it.executor,
                source=it.source_host or None,
                target=it.target_host,
                source_port=it.source_port if it.source_host else None,
                target_port=it.target_port,
            )
            for it in plan.moves
        ),
        workers=tuple(
            WorkerChangeView(
                host=it.host,
                port=it.port,
                kind=_KINDS.get(it.kind, "unchanged"),
                before=tuple(it.before),
                after=tuple(it.after),
            )
            for it in plan.workers
        ),
        workers_started=plan.workers_started,
        possible=plan.possible if plan.HasField("possible") else None,
        rejected=rejections(plan.rejected),
        remarks=tuple(plan.remarks),
        slowest_path=path(plan.slowest_path),
        held_back=plan.held_back,
        delays_age=_maybe(plan, "delays_age"),
        delays_confidence=_maybe(plan, "delays_confidence"),
        rates_age=_maybe(plan, "rates_age"),
    )


def plan_summary_view(plan: pb.PlanSummary) -> PlanSummaryView:
    """Show a plan as one of a list."""
    return PlanSummaryView(
        id=plan.id,
        topology=plan.topology_id,
        name=plan.topology,
        state=plan_state(plan),
        state_reason=plan.state_reason,
        age=plan.age,
        expires_in=plan.expires_in,
        policy=plan.policy,
        objective=plan.objective,
        status=plan.status,
        gain=_maybe(plan, "gain"),
        executors_moved=plan.executors_moved,
        workers_started=plan.workers_started,
    )


def plan_state(plan: pb.Plan | pb.PlanSummary) -> PlanState:
    """Return the state's name; one of a later contract is `proposed`, with its reason said."""
    return STATES.get(plan.state, "proposed")


def policy_view(policy: pb.Policy) -> PolicyView:
    """Show a policy."""
    return PolicyView(
        name=policy.name,
        title=policy.title,
        source=policy.source,
        method=policy.method,
        optimises=tuple(policy.optimises),
        mixes=policy.mixes,
        ecker=policy.ecker,
        take_it=policy.take_it,
    )


def _maybe(message: Message, name: str) -> float | None:
    return float(getattr(message, name)) if message.HasField(name) else None
