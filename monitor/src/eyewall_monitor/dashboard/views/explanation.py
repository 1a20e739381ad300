"""Why an executor runs where it runs: the panel on a topology's page."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.metrics import MetricView
from eyewall_monitor.dashboard.views.view import View


class NeighbourView(View):
    """An executor that it exchanges tuples with."""

    executor: str
    host: str
    upstream: bool
    rate: float
    delay: float
    system: bool


class AlternativeView(View):
    """A host that an executor could go to, or what forbids it."""

    host: str
    current: bool
    constraint: str
    reason: str
    metrics: tuple[MetricView, ...]
    rate_between_hosts_added: float | None
    response_time_added: float | None


class ExplanationView(View):
    """Why an executor runs where it runs, and why not elsewhere."""

    topology: str
    name: str
    executor: str
    host: str
    objective: str
    answer: str
    metrics: tuple[MetricView, ...]
    neighbours: tuple[NeighbourView, ...]
    alternatives: tuple[AlternativeView, ...]
    left_out: int
    on_slowest_path: bool
    assumptions: tuple[str, ...]
    unknown: str
