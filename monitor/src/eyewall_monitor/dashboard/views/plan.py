"""The pages of plans: the policies, what to plan, and the dry run that comes of it."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from eyewall_monitor.dashboard.views.metrics import MetricView, PathStepView
from eyewall_monitor.dashboard.views.moves import MoveView, RejectionView
from eyewall_monitor.dashboard.views.view import View

PlanState = Literal["proposed", "queued", "handed_over", "applied", "refused", "stale"]


class PolicyView(View):
    """A policy that can be planned with."""

    name: str
    title: str
    source: str
    method: str
    optimises: tuple[str, ...]
    mixes: bool
    ecker: bool
    take_it: str


class PlanRequest(View):
    """What to plan; what is left out is the topology's own."""

    model_config = ConfigDict(strict=True)

    topology: str
    policy: str = ""
    objective: str = ""
    time_limit: float | None = None
    seed: int | None = None


class WorkerChangeView(View):
    """What a plan does to one slot."""

    host: str
    port: int
    kind: Literal["unchanged", "started", "restarted", "stopped"]
    before: tuple[str, ...]
    after: tuple[str, ...]


class PlanView(View):
    """A dry run, and what has become of it."""

    id: str
    topology: str
    name: str
    state: PlanState
    state_reason: str
    age: float
    expires_in: float
    base: str
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
    possible: int | None
    rejected: tuple[RejectionView, ...]
    remarks: tuple[str, ...]
    slowest_path: tuple[PathStepView, ...]
    held_back: str
    """What the rules would say to this move; empty if it would be made unasked."""
    delays_age: float | None
    delays_confidence: float | None
    rates_age: float | None


class PlanSummaryView(View):
    """What a list of plans says of one; its fields mean what PlanView's do."""

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
