"""What a placement is worth, wherever one is shown: its metrics and its slowest path."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.view import View


class MetricView(View):
    """One of R, A, T, N, EE or the objective."""

    name: str
    unit: str
    before: float | None = None
    after: float | None = None


class PathStepView(View):
    """A step of the slowest path."""

    executor: str
    host: str
    delay: float
    work: float
