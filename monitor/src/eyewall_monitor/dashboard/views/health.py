"""The page of health: every part, and how it is."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.signal import Signal
from eyewall_monitor.dashboard.views.view import View


class PartView(View):
    """One part of Eyewall (or of what it stands on) and how it is."""

    name: str
    """nimbus, sidecar, zookeeper, redis, rates job, latency agent, monitor agent …"""
    host: str = ""
    signal: Signal
    lag: float | None = None
    """Seconds that it is behind; None: not a matter of it, or unknown."""
    detail: str = ""


class HealthView(View):
    """Every part."""

    revision: int
    well: bool
    parts: tuple[PartView, ...]
