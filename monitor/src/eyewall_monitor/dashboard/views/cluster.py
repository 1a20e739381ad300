"""The page of the cluster: supervisors, the links between them, and what governs moves."""

from __future__ import annotations

from typing import Literal

from eyewall_monitor.dashboard.views.signal import Signal
from eyewall_monitor.dashboard.views.switches import SwitchesView
from eyewall_monitor.dashboard.views.topology import TopologySummary
from eyewall_monitor.dashboard.views.view import View

Store = Literal["zookeeper", "redis"]


class Load(View):
    """What a host does, as its agent told last."""

    cores_busy: float
    cores: float
    stolen: float
    throttled: float
    """Share of the time for which its quota stopped it, 0 to 1."""
    memory_used: int
    memory: int


class Position(View):
    """Where a host is drawn: seconds of round-trip time on both axes, and its height."""

    x: float
    y: float
    height: float = 0.0
    source: Literal["coordinates", "delays"]
    """Its own network coordinate, or scaled from the delays between hosts."""


class SupervisorView(View):
    """A supervisor, with what is known of its host."""

    id: str
    host: str
    site: str
    labels: tuple[str, ...] = ()
    availability: float | None = None
    speed: float | None = None
    slots: int
    slots_used: int
    executors: int
    topologies: tuple[str, ...] = ()
    """Names of those that have an executor there."""
    cores: float
    memory: int
    cores_requested: float
    memory_requested: int
    load: Load | None = None
    report: Signal
    """Of its monitor agent."""
    latency: Signal
    """Of its latency agent."""
    position: Position | None = None


class LinkView(View):
    """One direction between two hosts."""

    source: str
    target: str
    delay: float | None
    """One way: what the sidecar decides by."""
    measured: float | None = None
    """Half of the round trip that the two probed."""
    estimated: float | None = None
    """By their coordinates."""
    signal: Signal
    rate: float | None = None
    """tuples/s that cross it."""


class RulesView(View):
    """What governs moves."""

    minimum_gain: float
    cool_down_seconds: float
    workers_per_round: int | None
    workers_per_hour: int | None
    workers_started_last_hour: int
    frozen_by_configuration: bool


class ClusterView(View):
    """The whole cluster."""

    revision: int
    sidecar: Signal
    nimbus: Signal
    """Age: since its last round."""
    delays: Signal
    delays_source: str
    supervisors: tuple[SupervisorView, ...]
    gone: tuple[str, ...] = ()
    """Hosts whose agents report though Nimbus has no supervisor there."""
    links: tuple[LinkView, ...]
    all_pairs: bool
    """Whether `links` has every pair of hosts; else those that a stream crosses."""
    topologies: tuple[TopologySummary, ...]
    switches: SwitchesView
    rules: RulesView | None
    not_configured: tuple[Store, ...] = ()
    """What the dashboard was told of none: what it would tell is missing, and nothing is wrong."""
