"""Metrics, moves and paths as every view shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.views.metrics import MetricView, PathStepView
from eyewall_monitor.dashboard.views.moves import RejectionView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_contracts.proto import operations_pb2 as pb

_UNITS: Final = {"R": "s", "T": "tuples/s", "N": "tuples", "EE": "tuples·s"}
"""Of the others none: A is a probability, the objective a weighted sum."""


def unit(name: str) -> str:
    """Return a metric's unit, empty if it has none."""
    return _UNITS.get(name, "")


def metrics(messages: Iterable[pb.Metric]) -> tuple[MetricView, ...]:
    """Metrics as the sidecar tells them."""
    return tuple(
        MetricView(
            name=it.name,
            unit=unit(it.name),
            before=it.before if it.HasField("before") else None,
            after=it.after if it.HasField("after") else None,
        )
        for it in messages
    )


def path(messages: Iterable[pb.PathStep]) -> tuple[PathStepView, ...]:
    """Slowest path, from source to end."""
    return tuple(
        PathStepView(executor=it.executor, host=it.host, delay=it.delay, work=it.work)
        for it in messages
    )


def rejections(messages: Iterable[pb.Rejection]) -> tuple[RejectionView, ...]:
    """What each constraint forbids."""
    return tuple(RejectionView(constraint=it.constraint, moves=it.moves) for it in messages)
