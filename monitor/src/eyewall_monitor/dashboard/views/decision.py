"""The pages of decisions: the history, and one decision with what it came to."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.metrics import MetricView
from eyewall_monitor.dashboard.views.moves import MoveView, RejectionView
from eyewall_monitor.dashboard.views.view import View


class DecisionSummary(View):
    """A line of the history."""

    id: str
    at: float
    topology: str
    name: str
    verdict: str
    said: str
    policy: str
    objective: str
    status: str
    decided_by: str
    gap: float | None
    moves: int
    workers_started: int | None


class MeasuredGain(View):
    """What a decision came to, beside what was predicted.

    Response time in the mean over the minutes before and after; the move itself left out.
    """

    predicted_before: float | None
    predicted_after: float | None
    measured_before: float | None
    measured_after: float | None
    note: str = ""
    """Why one is not known (yet)."""


class DecisionView(View):
    """All of one decision."""

    summary: DecisionSummary
    seed: int | None
    seconds: float | None
    evaluated: int | None
    bound: float | None
    metrics: tuple[MetricView, ...]
    moves: tuple[MoveView, ...]
    moves_left_out: int
    done: bool
    """Whether the moves were made."""
    possible: int | None
    rejected: tuple[RejectionView, ...]
    assumptions: tuple[str, ...]
    delays_age: float | None
    delays_confidence: float | None
    rates_age: float | None
    base: str
    gain: MeasuredGain


class DecisionPage(View):
    """Some decisions, newest first."""

    decisions: tuple[DecisionSummary, ...]
    older: str | None
    """Id to go on before; None: that is all there is."""
    unreadable: tuple[str, ...] = ()
