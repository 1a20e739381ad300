"""Moves that were decided or planned, and what forbade others."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.view import View


class MoveView(View):
    """One executor's change."""

    executor: str
    source: str | None
    target: str
    source_port: int | None = None
    target_port: int | None = None


class RejectionView(View):
    """What one constraint forbids, of all moves of one executor."""

    constraint: str
    moves: int
