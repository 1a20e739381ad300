"""A decision as a list of decisions shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.decision import Verdict
from eyewall_contracts.topology_id import topology_name

from eyewall_monitor.dashboard.views.base import View

if TYPE_CHECKING:
    from eyewall_contracts.decision import DecisionRecord


class DecisionSummary(View):
    """A decision in the history."""

    id: str
    at: float
    """Seconds since the epoch."""
    topology: str
    name: str
    verdict: Verdict
    said: str
    """The message that Storm UI shows."""
    policy: str
    objective: str
    status: str
    decided_by: str
    gap: float | None
    moves: int
    workers_started: int | None
    overlaps: bool = False
    """Old workers of the move serve on until new ones carry tuples."""
    response_time_before: float | None = None
    """R of the assignment that ran, and of the one that was found."""
    response_time_after: float | None = None


def decision_summary(record: DecisionRecord) -> DecisionSummary:
    """Return a decision in the history."""
    response = next((it for it in record.metrics if it.name == "R"), None)
    return DecisionSummary.of(
        record,
        at=record.time,
        name=topology_name(record.topology),
        moves=len(record.moves) + record.moves_left_out,
        response_time_before=response.before if response else None,
        response_time_after=response.after if response else None,
    )
