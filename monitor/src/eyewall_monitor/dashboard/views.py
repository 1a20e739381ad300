"""What the JSON API answers: the pages are drawn from these and from nothing else.

Units are seconds, bytes, cores and tuples/s. None is unknown, never zero. Names of hosts and of
executors (`tag[3-4]`) are those that people read everywhere else; a topology is named by Storm's
id, and found by its name too.

One file, however long: it is the API's contract, and views.d.ts says the same to the pages.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Freshness = Literal["fresh", "stale", "missing"]
KindOfDelay = Literal["measured", "estimated", "declared", "unknown"]
Store = Literal["zookeeper", "redis"]
PlanState = Literal["proposed", "queued", "handed_over", "applied", "refused", "stale"]


class View(BaseModel):
    """A frozen answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Signal(View):
    """How old something measured is, and how much it is worth."""

    state: Freshness
    age: float | None = None
    confidence: float | None = None
    note: str = ""
    """What is wrong with it, as a sentence; empty if nothing is."""


class Problem(View):
    """An error, in the manner of RFC 9457."""

    title: str
    status: int
    detail: str
    """A sentence that names the offender, its value and what is allowed."""
    nearest: tuple[str, ...] = ()
    """Names that were perhaps meant."""


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


class SwitchesView(View):
    """What operators turn while all runs."""

    available: bool
    """False: there is no ZooKeeper to hold them, or it is away."""
    frozen: bool = False
    frozen_topologies: tuple[str, ...] = ()
    """Storm's ids."""
    in_force: bool = False
    """The sidecar holds the same."""
    note: str = ""


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


class MetricView(View):
    """One of R, A, T, N, EE or the objective."""

    name: str
    unit: str
    before: float | None = None
    after: float | None = None


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


class PathStepView(View):
    """A step of the slowest path."""

    executor: str
    host: str
    delay: float
    work: float


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


class TimePoint(View):
    """One moment of a series: seconds since the epoch, and seconds of response time."""

    at: float
    value: float | None


class Reassignment(View):
    """A moment at which executors were placed or moved."""

    at: float
    decision: str
    verdict: str
    said: str
    moves: int


class ResponseTimeView(View):
    """Response time over time."""

    topology: str
    predicted: tuple[TimePoint, ...]
    measured: tuple[TimePoint, ...]
    measured_note: str = ""
    """Why nothing is measured; empty if something is."""
    reassignments: tuple[Reassignment, ...]


class MoveView(View):
    """One executor's change."""

    executor: str
    source: str | None
    target: str
    source_port: int | None = None
    target_port: int | None = None


class RejectionView(View):
    """What one constraint forbids, of all moves of one executor."""

    constraint: str
    moves: int


class DecisionSummary(View):
    """A line of the history."""

    id: str
    at: float
    topology: str
    name: str
    verdict: str
    said: str
    policy: str
    objective: str
    status: str
    decided_by: str
    gap: float | None
    moves: int
    workers_started: int | None


class MeasuredGain(View):
    """What a decision came to, beside what was predicted.

    Response time in the mean over the minutes before and after; the move itself left out.
    """

    predicted_before: float | None
    predicted_after: float | None
    measured_before: float | None
    measured_after: float | None
    note: str = ""
    """Why one is not known (yet)."""


class DecisionView(View):
    """All of one decision."""

    summary: DecisionSummary
    seed: int | None
    seconds: float | None
    evaluated: int | None
    bound: float | None
    metrics: tuple[MetricView, ...]
    moves: tuple[MoveView, ...]
    moves_left_out: int
    done: bool
    """Whether the moves were made."""
    possible: int | None
    rejected: tuple[RejectionView, ...]
    assumptions: tuple[str, ...]
    delays_age: float | None
    delays_confidence: float | None
    rates_age: float | None
    base: str
    gain: MeasuredGain


class DecisionPage(View):
    """Some decisions, newest first."""

    decisions: tuple[DecisionSummary, ...]
    older: str | None
    """Id to go on before; None: that is all there is."""
    unreadable: tuple[str, ...] = ()


class PolicyView(View):
    """A policy that can be planned with."""

    name: str
    title: str
    source: str
    method: str
    optimises: tuple[str, ...]
    mixes: bool
    ecker: bool
    take_it: str


class PlanRequest(View):
    """What to plan; what is left out is the topology's own."""

    model_config = ConfigDict(strict=True)

    topology: str
    policy: str = ""
    objective: str = ""
    time_limit: float | None = None
    seed: int | None = None


class WorkerChangeView(View):
    """What a plan does to one slot."""

    host: str
    port: int
    kind: Literal["unchanged", "started", "restarted", "stopped"]
    before: tuple[str, ...]
    after: tuple[str, ...]


class PlanView(View):
    """A dry run, and what has become of it."""

    id: str
    topology: str
    name: str
    state: PlanState
    state_reason: str
    age: float
    expires_in: float
    base: str
    policy: str
    objective: str
    seed: int
    status: str
    decided_by: str
    seconds: float
    evaluated: int
    bound: float | None
    gap: float | None
    gain: float | None
    metrics: tuple[MetricView, ...]
    moves: tuple[MoveView, ...]
    workers: tuple[WorkerChangeView, ...]
    workers_started: int
    possible: int | None
    rejected: tuple[RejectionView, ...]
    remarks: tuple[str, ...]
    slowest_path: tuple[PathStepView, ...]
    held_back: str
    """What the rules would say to this move; empty if it would be made unasked."""
    delays_age: float | None
    delays_confidence: float | None
    rates_age: float | None


class PlanSummaryView(View):
    """What a list of plans says of one; its fields mean what PlanView's do."""

    id: str
    topology: str
    name: str
    state: PlanState
    state_reason: str
    age: float
    expires_in: float
    policy: str
    objective: str
    status: str
    gain: float | None
    executors_moved: int
    workers_started: int


class CatalogueView(View):
    """Machine types that can be had."""

    name: str
    currency: str
    unit: str
    """What it counts CPU in; topologies' is in cores."""
    types: int


class ProvisionRequest(View):
    """Which platform to look for; what is left out is the sidecar's own."""

    model_config = ConfigDict(strict=True)

    catalogue: str = ""
    """A shipped one's name, or the TOML text of another; empty: the supervisors that are there."""
    throughput: float = 1.0
    """In multiples of what the topology carries now."""
    tuple_bytes: float | None = None
    method: str = ""
    time_limit: float | None = None
    seed: int | None = None


class ShoppingItemView(View):
    """Machines of one type."""

    type: str
    count: int
    price: float
    sum: float


class ProvisionedMachineView(View):
    """One machine, and what it would run."""

    id: str
    type: str
    operators: tuple[str, ...]


class ResourceUseView(View):
    """How full a CPU, a memory, a card or a link would be; cores, bytes or bytes/s."""

    constraint: str
    """cpu, memory, card, server, server link or link."""
    name: str
    load: float
    limit: float | None
    """None: unlimited."""


class CheaperPlatformView(View):
    """The next cheaper platform, and what it sustains."""

    price: float
    throughput: float
    shopping_list: tuple[ShoppingItemView, ...]


class ProvisionView(View):
    """The cheapest platform that was found for a topology's throughput."""

    topology: str
    name: str
    catalogue: str
    currency: str
    throughput: float
    status: str
    decided_by: str
    seconds: float
    price: float | None
    bound: float | None
    gap: float | None
    shopping_list: tuple[ShoppingItemView, ...]
    machines: tuple[ProvisionedMachineView, ...]
    uses: tuple[ResourceUseView, ...]
    breaks_at: float
    breaks: tuple[ResourceUseView, ...]
    sustained: float | None
    cheaper: CheaperPlatformView | None
    not_needed: tuple[str, ...]
    """Supervisors that could be switched off as far as this topology goes."""
    reasons: tuple[str, ...]
    assumptions: tuple[str, ...]


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


class PartView(View):
    """One part of Eyewall (or of what it stands on) and how it is."""

    name: str
    """nimbus, sidecar, zookeeper, redis, rates job, latency agent, monitor agent …"""
    host: str = ""
    signal: Signal
    lag: float | None = None
    """Seconds that it is behind; None: not a matter of it, or unknown."""
    detail: str = ""


class HealthView(View):
    """Every part."""

    revision: int
    well: bool
    parts: tuple[PartView, ...]


class Frozen(View):
    """Body of a change of a freeze switch."""

    model_config = ConfigDict(strict=True)

    frozen: bool


class Change(View):
    """What an event says: fetch these again. Sent as the data of each Server-Sent Event."""

    revision: int
    changed: tuple[str, ...]
    """cluster, topology/ID, decisions, plans, health."""
