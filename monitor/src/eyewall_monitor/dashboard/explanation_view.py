"""Why an executor runs where it runs, and what other hosts would mean for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_monitor.dashboard.metric_views import metrics
from eyewall_monitor.dashboard.views.explanation import (
    AlternativeView,
    ExplanationView,
    NeighbourView,
)

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb


def explanation_view(found: pb.Explanation) -> ExplanationView:
    """Show the sidecar's answer."""
    return ExplanationView(
        topology=found.topology_id,
        name=found.topology,
        executor=found.executor,
        host=found.host,
        objective=found.objective,
        answer=found.answer,
        metrics=metrics(found.metrics),
        neighbours=tuple(
            NeighbourView(
                executor=it.executor,
                host=it.host,
                upstream=it.upstream,
                rate=it.rate,
                delay=it.delay,
                system=it.system,
            )
            for it in found.neighbours
        ),
        alternatives=tuple(_alternative(it) for it in found.alternatives),
        left_out=found.left_out,
        on_slowest_path=found.on_slowest_path,
        assumptions=tuple(found.assumptions),
        unknown=found.unknown,
    )


def _alternative(found: pb.Alternative) -> AlternativeView:
    return AlternativeView(
        host=found.host,
        current=found.current,
        constraint=found.constraint,
        reason=found.reason,
        metrics=metrics(found.metrics),
        rate_between_hosts_added=(
            found.rate_between_hosts_added if found.HasField("rate_between_hosts_added") else None
        ),
        response_time_added=(
            found.response_time_added if found.HasField("response_time_added") else None
        ),
    )
