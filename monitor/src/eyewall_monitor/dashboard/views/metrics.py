"""Metrics of a placement, its slowest path, and moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.views.base import View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_contracts.decision import MetricChange
    from eyewall_contracts.proto import operations_pb2 as pb

_UNITS: Final = {"R": "s", "T": "tuples/s", "N": "tuples", "EE": "tuples·s"}
"""A is a probability and the objective a weighted sum: they have none."""


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
    """From the step before."""
    work: float
    """Processing time of one tuple."""


class MoveView(View):
    """The move of one executor; without a source it had no slot."""

    executor: str
    source: str | None
    target: str
    source_port: int | None = None
    target_port: int | None = None


class RejectionView(View):
    """The number of single-executor moves that a constraint forbids."""

    constraint: str
    moves: int


def metric_views(metrics: Iterable[pb.Metric | MetricChange]) -> tuple[MetricView, ...]:
    """Return metrics with their units."""
    return tuple(MetricView.of(it, unit=_UNITS.get(it.name, "")) for it in metrics)


def present_value(metrics: Iterable[pb.Metric], name: str) -> float | None:
    """Return a metric of the present assignment; None: unknown."""
    found = (it.before for it in metrics if it.name == name and it.HasField("before"))
    return next(found, None)
