"""The pages of plans: policies, requests, and dry runs."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from eyewall_contracts.operations import MOST_SEED
from eyewall_contracts.proto import operations_pb2 as pb
from pydantic import ConfigDict, Field

from eyewall_monitor.dashboard.views.base import Text, View
from eyewall_monitor.dashboard.views.metrics import (
    MetricView,
    MoveView,
    PathStepView,
    RejectionView,
    metric_views,
)

PlanState = Literal["proposed", "queued", "handed_over", "applied", "refused", "stale"]
PENDING: Final = frozenset({pb.Plan.QUEUED, pb.Plan.HANDED_OVER})
"""States that change by themselves within seconds."""

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, le=MOST_SEED)]


class PolicyView(View):
    """A policy that plans can be made with."""

    name: str
    title: str
    source: str
    method: str
    optimises: tuple[str, ...]
    mixes: bool
    """Whether it optimises weighted sums of metrics."""
    ecker: bool
    """Whether it optimises Ecker's score."""
    take_it: str
    """When to use it."""


class PlanRequest(View):
    """What to plan; empty fields are the topology's own."""

    model_config = ConfigDict(strict=True)

    topology: Text
    policy: Text = ""
    objective: Text = ""
    time_limit: Seconds | None = None
    seed: Seed | None = None


class WorkerChangeView(View):
    """What a plan does to one slot."""

    host: str
    port: int
    kind: Literal["unchanged", "started", "restarted", "stopped"]
    before: tuple[str, ...]
    after: tuple[str, ...]


class PlanSummaryView(View):
    """A plan in a list of plans."""

    id: str
    topology: str
    name: str
    state: PlanState
    state_reason: str
    age: float
    expires_in: float
    policy: str
    objective: str
    status: str
    gain: float | None
    executors_moved: int
    workers_started: int


class PlanView(View):
    """A dry run and its state."""

    id: str
    topology: str
    name: str
    state: PlanState
    state_reason: str
    age: float
    expires_in: float
    base: str
    """Digest of the assignment that it was computed from."""
    policy: str
    objective: str
    seed: int
    status: str
    decided_by: str
    seconds: float
    evaluated: int
    bound: float | None
    gap: float | None
    gain: float | None
    metrics: tuple[MetricView, ...]
    moves: tuple[MoveView, ...]
    workers: tuple[WorkerChangeView, ...]
    workers_started: int
    overlaps: bool = False
    """Old workers serve on until new ones carry tuples."""
    possible: int | None
    rejected: tuple[RejectionView, ...]
    remarks: tuple[str, ...]
    slowest_path: tuple[PathStepView, ...]
    held_back: str
    """Why the move limits would not allow it; empty if they would."""
    delays_age: float | None
    delays_confidence: float | None
    rates_age: float | None


def plan_view(plan: pb.Plan) -> PlanView:
    """Return a plan, whole."""
    moves = tuple(
        MoveView.of(
            it,
            source=it.source_host or None,
            target=it.target_host,
            source_port=it.source_port if it.source_host else None,
        )
        for it in plan.moves
    )
    return PlanView.of(plan, **_names(plan), metrics=metric_views(plan.metrics), moves=moves)


def plan_summary_view(plan: pb.PlanSummary) -> PlanSummaryView:
    """Return a plan as one of a list."""
    return PlanSummaryView.of(plan, **_names(plan))


def _names(plan: pb.Plan | pb.PlanSummary) -> dict[str, str]:
    return {"topology": plan.topology_id, "name": plan.topology}
