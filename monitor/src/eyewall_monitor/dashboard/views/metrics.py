"""Metrics of a placement, its slowest path, and moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.objective_terms import TERMS, describe

from eyewall_monitor.dashboard.views.base import View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_contracts.decision import MetricChange
    from eyewall_contracts.proto import operations_pb2 as pb


class TermView(View):
    """A term that an objective may hold."""

    letter: str
    name: str
    meaning: str


class MetricView(View):
    """A term, or the objective."""

    name: str
    """The term's letter, or `objective`."""
    title: str
    unit: str
    """Of the values; empty for a probability and for the objective."""
    display_unit: str
    factor: float
    """A value times the factor is in `display_unit`."""
    less_is_better: bool | None
    """Null: unknown, as of the objective, which may be a weighted sum."""
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
    """Return metrics with their titles and units."""
    return tuple(map(_metric_view, metrics))


def _metric_view(metric: pb.Metric | MetricChange) -> MetricView:
    term = describe(metric.name, metric.unit)
    name = f"{term.name} {metric.name}" if term else metric.name
    return MetricView.of(
        metric,
        title=f"{name[:1].upper()}{name[1:]}",
        unit=term.unit if term else "",
        display_unit=term.display_unit if term else "",
        factor=term.factor if term else 1.0,
        less_is_better=term.less_is_better if term else None,
    )


def term_views() -> tuple[TermView, ...]:
    """Return every term."""
    return tuple(TermView.of(it, letter=letter) for letter, it in TERMS.items())


def present_value(metrics: Iterable[pb.Metric], name: str) -> float | None:
    """Return a metric of the present assignment; None: unknown."""
    found = (it.before for it in metrics if it.name == name and it.HasField("before"))
    return next(found, None)
