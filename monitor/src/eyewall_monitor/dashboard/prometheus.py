"""The metrics for Prometheus: Storm's and Eyewall's.

Base units, counters that end in _total, and no label whose values grow without bound: there is no
metric per pair of hosts, executor or stream. An unknown value is left out, never zero.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any, Final, get_args

from eyewall_contracts.decision import Verdict
from eyewall_contracts.topology_id import topology_name
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)

from eyewall_monitor.dashboard.views import signal
from eyewall_monitor.dashboard.views.cluster import load_view
from eyewall_monitor.dashboard.views.metrics import present_value
from eyewall_monitor.dashboard.views.plan import PlanState, plan_summary_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.snapshot import Snapshot
    from eyewall_monitor.dashboard.totals import Totals
    from eyewall_monitor.dashboard.views.cluster import Load

_SINCE: Final = "since the dashboard was started"

COMPONENT: Final = ("topology", "component")
SLOT: Final = ("topology", "host", "port")
TUPLE_COUNTERS: Final[Sequence[tuple[str, str, Callable[[Totals], Mapping[Any, float]]]]] = (
    ("emitted", "Tuples that tasks emitted, each counted once", lambda it: it.emitted),
    ("transferred", "Copies of tuples that tasks sent", lambda it: it.transferred),
    ("executed", "Tuples that tasks of bolts executed", lambda it: it.executed),
    (
        "acked",
        "Tuples that bolts acked, and tuple trees of spouts that completed",
        lambda it: it.acked,
    ),
    (
        "failed",
        "Tuples that bolts failed, and tuple trees that failed or timed out",
        lambda it: it.failed,
    ),
)
"""Name, help and source of each counter of tuples by component."""
LOAD_GAUGES: Final[Sequence[tuple[str, str, Callable[[Load], float]]]] = (
    ("busy_cores", "Cores in use.", lambda it: it.cores_busy),
    ("cores", "Cores that it can use.", lambda it: it.cores),
    (
        "throttled_ratio",
        "Share of time for which its quota stopped it.",
        lambda it: it.throttled,
    ),
    ("memory_used_bytes", "Memory in use.", lambda it: it.memory_used),
    ("memory_bytes", "Memory.", lambda it: it.memory),
)
"""Name, help and source of each gauge of a host's load."""


def collect(snapshot: Snapshot, totals: Totals, pages: int) -> Iterator[Metric]:
    """Yield every metric; `pages` is the number of open pages."""
    yield from _storm_totals(totals)
    yield from _storm_gauges(snapshot)
    yield from _parts(snapshot)
    yield from _topologies(snapshot)
    yield from _hosts(snapshot)
    yield from _decisions(snapshot, totals)
    yield _counter("eyewall_reports", f"Reports of agents {_SINCE}.", (), {(): totals.reports})
    yield _counter(
        "eyewall_reports_missed",
        "Reports of agents that were lost: their tuples are in no counter.",
        (),
        {(): totals.missed},
    )
    yield _gauge("eyewall_dashboard_pages", "Open pages.", (), {(): pages})


def _storm_totals(totals: Totals) -> Iterator[Metric]:
    for name, what, counts in TUPLE_COUNTERS:
        yield _counter(
            f"storm_component_{name}_tuples",
            f"{what}, {_SINCE}; Storm counts samples. Storm's own streams are left out.",
            COMPONENT,
            counts(totals),
        )
    yield _counter(
        "storm_worker_cpu_seconds",
        f"CPU time of a worker's slot, child processes included, {_SINCE}.",
        SLOT,
        {(it.topology, it.host, str(it.port)): cpu for it, cpu in totals.cpu_seconds.items()},
    )
    latency = SummaryMetricFamily(
        "storm_topology_complete_latency_seconds",
        f"Storm's complete latency of tuple trees that completed, {_SINCE}.",
        labels=("topology",),
    )
    for topology, count in totals.acked_trees.items():
        latency.add_metric((topology,), count, totals.complete_seconds[topology])
    yield latency


def _storm_gauges(snapshot: Snapshot) -> Iterator[Metric]:
    """By the last report of each host."""
    memory: dict[Sequence[str], float] = {}
    capacity: defaultdict[Sequence[str], float] = defaultdict(float)
    queue: defaultdict[Sequence[str], float] = defaultdict(float)
    for host, sample in snapshot.zookeeper.samples.items():
        for worker in sample.workers:
            topology = topology_name(worker.topology)
            memory[topology, host, str(worker.port)] = worker.memory
            for task in worker.tasks:
                if task.component.startswith("__"):
                    continue
                key = topology, task.component
                if task.capacity is not None:
                    capacity[key] = max(capacity[key], task.capacity)
                if task.queue is not None and task.queue.capacity:
                    queue[key] = max(queue[key], task.queue.population / task.queue.capacity)
    yield _gauge(
        "storm_worker_memory_bytes",
        "Resident memory of a worker, child processes included.",
        SLOT,
        memory,
    )
    yield _gauge(
        "storm_component_capacity_ratio",
        "Storm's capacity of the component's busiest task: 1 is all of its time.",
        COMPONENT,
        capacity,
    )
    yield _gauge(
        "storm_component_queue_ratio",
        "Fill level of the component's fullest receive queue.",
        COMPONENT,
        queue,
    )


def _parts(snapshot: Snapshot) -> Iterator[Metric]:
    signals = {
        "nimbus": signal.nimbus_signal(snapshot),
        "sidecar": signal.sidecar_signal(snapshot),
        "delays": signal.delays_signal(snapshot),
    }
    if snapshot.zookeeper.configured:  # otherwise its absence is no fault
        signals["zookeeper"] = signal.zookeeper_signal(snapshot)
    if snapshot.redis.configured:
        signals["redis"] = signal.redis_signal(snapshot)
    yield _gauge(
        "eyewall_part_up",
        "1 if the part's signal is fresh.",
        ("part",),
        {name: it.state == "fresh" for name, it in signals.items()},
    )
    yield _gauge(
        "eyewall_part_age_seconds",
        "Age of the part's last answer; of Nimbus: since its last round.",
        ("part",),
        {name: it.age for name, it in signals.items()},
    )
    yield _gauge(
        "eyewall_history_lag_seconds",
        "Since the history of reports in Redis was last read to its end.",
        (),
        {(): snapshot.redis.history_age},
    )
    status = snapshot.sidecar.status
    if status is not None:
        known = snapshot.sidecar.round_age is not None
        yield _gauge(
            "eyewall_round_seconds",
            "Time that the sidecar took for Nimbus's last round.",
            (),
            {(): status.round_seconds if known else None},
        )


def _topologies(snapshot: Snapshot) -> Iterator[Metric]:
    status = snapshot.sidecar.status
    topologies: Sequence[pb.TopologyStatus] = status.topologies if status is not None else ()
    measured = snapshot.response_times(it.topology_id for it in topologies)

    def gauge(name: str, what: str, value: Callable[[pb.TopologyStatus], float | None]) -> Metric:
        values = {it.name: value(it) for it in topologies}
        return _gauge(f"eyewall_topology_{name}", what, ("topology",), values)

    yield gauge(
        "predicted_response_time_seconds",
        "Response time of the present assignment, by the model.",
        lambda it: present_value(it.metrics, "R"),
    )
    yield gauge(
        "measured_response_time_seconds",
        "Storm's complete latency over the last minute, weighted by tuple trees.",
        lambda it: measured.get(it.topology_id),
    )
    yield gauge(
        "executors",
        "Executors.",
        lambda it: sum(len(component.executors) for component in it.definition.components),
    )
    yield gauge(
        "placed_executors",
        "Executors that have a slot.",
        lambda it: sum(len(worker.executors) for worker in it.state.workers),
    )
    yield gauge("workers", "Worker processes.", lambda it: len(it.state.workers))
    yield gauge("frozen", "1 if its executors are not moved.", lambda it: it.frozen)
    yield gauge(
        "unknown",
        "1 if it cannot be evaluated, for example because its rates are unknown.",
        lambda it: bool(it.unknown),
    )
    rates = {it.topology_id: signal.rates_signal(snapshot, it) for it in topologies}
    yield gauge("rates_age_seconds", "Age of its rates.", lambda it: rates[it.topology_id].age)
    yield gauge(
        "rates_confidence_ratio",
        "Confidence in its least certain rate.",
        lambda it: rates[it.topology_id].confidence,
    )


def _hosts(snapshot: Snapshot) -> Iterator[Metric]:
    samples, redis = snapshot.zookeeper.samples, snapshot.redis
    yield _host_gauge(
        "report_age_seconds",
        "Since its monitor agent's last report.",
        snapshot.zookeeper.sample_ages,
    )
    loads = {host: load for host, it in samples.items() if (load := load_view(it)) is not None}
    for name, what, value in LOAD_GAUGES:
        yield _host_gauge(name, what, {host: value(it) for host, it in loads.items()})
    yield _host_gauge(
        "coordinate_age_seconds",
        "Since its latency agent's last report.",
        {host: max(0.0, redis.now - it.at) for host, it in redis.hosts.items()},
    )
    yield _host_gauge(
        "coordinate_error_ratio",
        "Relative error of its coordinate against the RTTs that it measured.",
        {host: it.error for host, it in redis.hosts.items()},
    )
    status = snapshot.sidecar.status
    if status is not None:
        yield from _slots(snapshot, status)
        yield from _links(status)


def _slots(snapshot: Snapshot, status: pb.Status) -> Iterator[Metric]:
    """A host may have several supervisors."""
    host_of = {it.id: it.host for it in status.supervisors}
    slots, used = Counter[str](), Counter[str]()
    for supervisor in status.supervisors:
        slots[supervisor.host] += len(supervisor.ports)
        used[supervisor.host] += 0
    for slot in {
        (it.supervisor_id, it.port) for of in status.topologies for it in of.state.workers
    }:
        if slot[0] in host_of:
            used[host_of[slot[0]]] += 1
    yield _agents(snapshot, slots)
    yield _host_gauge("slots", "Slots.", slots)
    yield _host_gauge("used_slots", "Slots in use.", used)


def _links(status: pb.Status) -> Iterator[Metric]:
    links, minimum = status.delays.links, status.delays.minimum_confidence
    delays: defaultdict[str, list[float]] = defaultdict(list)
    states = Counter(known=0, doubtful=0, unknown=0)
    for it in links:
        if not it.HasField("delay"):
            states["unknown"] += 1
            continue
        states["doubtful" if it.confidence < minimum else "known"] += 1
        delays[it.source].append(it.delay)
    yield _host_gauge(
        "delay_median_seconds",
        "One-way delay to the hosts that it has links to: those with traffic, or all.",
        {host: median(some) for host, some in delays.items()},
    )
    yield _host_gauge(
        "delay_max_seconds",
        "One-way delay to the farthest of them.",
        {host: max(some) for host, some in delays.items()},
    )
    yield _gauge(
        "eyewall_links", "Links between hosts, by what is known of their delay.", ("state",), states
    )


def _agents(snapshot: Snapshot, hosts: Iterable[str]) -> Metric:
    """The agents of hosts with a supervisor, including those that have ended and have no age."""
    zookeeper, redis = signal.is_read(snapshot.zookeeper), signal.is_read(snapshot.redis)
    up: dict[Sequence[str], bool] = {}
    for host in hosts:
        if zookeeper:
            up[host, "monitor"] = signal.report_signal(snapshot, host).state == "fresh"
        if redis:
            up[host, "latency"] = signal.latency_signal(snapshot, host).state == "fresh"
    return _gauge(
        "eyewall_host_agent_up",
        "1 if the agent's report is fresh, for each host that has a supervisor.",
        ("host", "agent"),
        up,
    )


def _decisions(snapshot: Snapshot, totals: Totals) -> Iterator[Metric]:
    status = snapshot.sidecar.status
    running: list[str] = []  # begin at 0, since increase() does not see a counter's first sample
    if status is not None and totals.decisions_counted:
        running = [it.name for it in status.topologies]
    none = dict.fromkeys(((name, it.value) for name in running for it in Verdict), 0)
    yield _counter(
        "eyewall_decisions",
        f"Decisions {_SINCE}.",
        ("topology", "verdict"),
        {**none, **totals.decisions},
    )
    yield _counter(
        "eyewall_moved_executors",
        f"Executors that were placed or moved {_SINCE}.",
        ("topology",),
        {**dict.fromkeys(running, 0), **totals.moved},
    )
    switches = snapshot.zookeeper.switches
    frozen = None if switches is None else switches.frozen
    if status is not None and status.rules.frozen:
        frozen = True
    yield _gauge("eyewall_frozen", "1 if no running executor is moved.", (), {(): frozen})
    if status is None:
        return
    yield _gauge(
        "eyewall_workers_started_last_hour",
        "Worker processes that moves started in the last hour.",
        (),
        {(): status.rules.workers_started_last_hour},
    )
    states = Counter(plan_summary_view(it).state for it in snapshot.sidecar.plans)
    yield _gauge(
        "eyewall_plans",
        "Plans that the sidecar keeps.",
        ("state",),
        {it: states[it] for it in get_args(PlanState)},
    )


def _host_gauge(name: str, what: str, values: Mapping[str, float]) -> Metric:
    return _gauge(f"eyewall_host_{name}", what, ("host",), values)


def _gauge(
    name: str, what: str, labels: Sequence[str], values: Mapping[Any, float | None]
) -> Metric:
    """Return a gauge with a value for each key: the value of its label, or of all its labels."""
    return _fill(GaugeMetricFamily(name, what, labels=labels), values)


def _counter(
    name: str, what: str, labels: Sequence[str], values: Mapping[Any, float | None]
) -> Metric:
    return _fill(CounterMetricFamily(name, what, labels=labels), values)


def _fill(
    family: GaugeMetricFamily | CounterMetricFamily, values: Mapping[Any, float | None]
) -> Metric:
    for key, value in values.items():
        if value is not None:
            family.add_metric((key,) if isinstance(key, str) else key, value)
    return family
