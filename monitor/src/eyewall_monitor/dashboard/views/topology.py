"""The page of a topology: its graph and where it runs; its line in lists of topologies."""

from __future__ import annotations

from typing import Literal

from eyewall_monitor.dashboard.views.metrics import MetricView, PathStepView
from eyewall_monitor.dashboard.views.signal import Signal
from eyewall_monitor.dashboard.views.view import View


class TopologySummary(View):
    """A line for each topology."""

    id: str
    name: str
    mode: str
    policy: str
    objective: str
    status: str
    verdict: str
    frozen: bool
    executors: int
    placed: int
    """Executors that have a slot."""
    workers: int
    hosts: int
    response_time: float | None = None
    """By the model."""
    measured_response_time: float | None = None
    """Storm's complete latency over the last minute."""
    rates: Signal


class ExecutorView(View):
    """One executor and where it runs."""

    executor: str
    component: str
    tasks: tuple[int, int]
    """First and last."""
    host: str | None
    port: int | None
    cores: float | None = None
    pins: tuple[str, ...] = ()


class ComponentView(View):
    """A node of the topology's graph."""

    id: str
    kind: Literal["spout", "bolt", "system"]
    executors: tuple[ExecutorView, ...]
    emitted: float | None = None
    """tuples/s on all its streams."""
    capacity: float | None = None
    """Storm's share of time spent executing, of its busiest task."""


class StreamView(View):
    """An edge of the topology's graph."""

    source: str
    target: str
    stream: str
    grouping: str
    system: bool
    rate: float | None
    """tuples/s that the model goes by."""
    rate_between_hosts: float | None = None
    signal: Signal
    """`missing`: the rate is assumed or hinted."""


class TopologyView(View):
    """A topology, whole."""

    revision: int
    summary: TopologySummary
    components: tuple[ComponentView, ...]
    streams: tuple[StreamView, ...]
    metrics: tuple[MetricView, ...]
    slowest_path: tuple[PathStepView, ...]
    cooling: float
    """Seconds until its assignment has cooled down."""
    unknown: str
    """What keeps it from being judged; empty if nothing does."""
    assumptions: tuple[str, ...]
