"""Why an executor runs where it runs: the panel on a topology's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.metrics import MetricView, metric_views

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb


class NeighbourView(View):
    """An executor that exchanges tuples with it."""

    executor: str
    host: str
    upstream: bool
    rate: float
    delay: float
    system: bool


class AlternativeView(View):
    """A host that the executor could move to, or what forbids it."""

    host: str
    current: bool
    constraint: str
    reason: str
    metrics: tuple[MetricView, ...]
    rate_between_hosts_added: float | None
    response_time_added: float | None


class ExplanationView(View):
    """Why an executor runs where it runs, and not elsewhere."""

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
    """What is not known well enough for a decision; empty if everything is."""


def explanation_view(answer: pb.Explanation) -> ExplanationView:
    """Return the sidecar's answer."""
    return ExplanationView.of(
        answer,
        topology=answer.topology_id,
        name=answer.topology,
        metrics=metric_views(answer.metrics),
        alternatives=tuple(
            AlternativeView.of(it, metrics=metric_views(it.metrics)) for it in answer.alternatives
        ),
    )
