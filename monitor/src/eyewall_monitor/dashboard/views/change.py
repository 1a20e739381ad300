"""What open pages are told when something changed."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.view import View


class Change(View):
    """What an event says: fetch these again. Sent as the data of each Server-Sent Event."""

    revision: int
    changed: tuple[str, ...]
    """cluster, topology/ID, decisions, plans, health."""
