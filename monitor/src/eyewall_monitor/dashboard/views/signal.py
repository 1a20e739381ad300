"""How old something measured is, on every page."""

from __future__ import annotations

from typing import Literal

from eyewall_monitor.dashboard.views.view import View

Freshness = Literal["fresh", "stale", "missing"]


class Signal(View):
    """How old something measured is, and how much it is worth."""

    state: Freshness
    age: float | None = None
    confidence: float | None = None
    note: str = ""
    """What is wrong with it, as a sentence; empty if nothing is."""
