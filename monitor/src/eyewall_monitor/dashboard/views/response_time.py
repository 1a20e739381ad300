"""The chart of a topology's response time."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.view import View


class TimePoint(View):
    """One moment of a series: seconds since the epoch, and seconds of response time."""

    at: float
    value: float | None


class Reassignment(View):
    """A moment at which executors were placed or moved."""

    at: float
    decision: str
    verdict: str
    said: str
    moves: int


class ResponseTimeView(View):
    """Response time over time."""

    topology: str
    predicted: tuple[TimePoint, ...]
    measured: tuple[TimePoint, ...]
    measured_note: str = ""
    """Why nothing is measured; empty if something is."""
    reassignments: tuple[Reassignment, ...]
