"""Everything that Prometheus is told: Storm's own figures, and Eyewall's.

Base units, counters that end in _total, no label whose values grow without bound: nothing is told
for each pair of hosts, executor or stream. What is not known is left out, never told as zero.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Final

from eyewall_contracts.decision import Verdict
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)

from eyewall_monitor.dashboard import measured, signals
from eyewall_monitor.dashboard.cluster_view import load, use_of_supervisors
from eyewall_monitor.dashboard.decision_view import topology_name
from eyewall_monitor.dashboard.plan_view import STATES, plan_state
from eyewall_monitor.dashboard.summaries import metric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.known import Known, RedisKnown, ZookeeperKnown
    from eyewall_monitor.dashboard.totals import Totals

_SINCE: Final = "since the dashboard was started"


def families(known: Known, totals: Totals, pages: int) -> Iterator[Metric]:
    """Yield every metric; `pages` is how many are told of changes."""
    yield from _storm_totals(totals)
    yield from _storm_now(known)
    yield from _parts(known)
    yield from _topologies(known)
    yield from _hosts(known)
    yield from _decisions(known, totals)
    yield _counter(
        "eyewall_reports", f"Reports of agents added up {_SINCE}.", (), [((), totals.reports)]
    )
    yield _counter(
        "eyewall_reports_missed",
        "Reports of agents that got lost: their tuples are in no total.",
        (),
        [((), totals.missed)],
    )
    yield _gauge("eyewall_dashboard_pages", "Pages that are told of changes.", (), [((), pages)])


def _storm_totals(totals: Totals) -> Iterator[Metric]:
    component = ("topology", "component")
    told = (
        ("emitted", "Tuples that tasks gave out, each once", totals.emitted),
        ("transferred", "Copies of tuples that tasks sent", totals.transferred),
        ("executed", "Tuples that bolts' tasks took", totals.executed),
        (
            "acked",
            "Tuples that bolts acked, and tuple trees of spouts that ended well",
            totals.acked,
        ),
        (
            "failed",
            "Tuples that bolts failed, and tuple trees that failed or timed out",
            totals.failed,
        ),
    )
    for name, what, counts in told:
        yield _counter(
            f"storm_component_{name}_tuples",
            f"{what}, {_SINCE}; Storm counts samples. Storm's own streams are left out.",
            component,
            counts.items(),
        )
    yield _counter(
        "storm_worker_cpu_seconds",
        f"CPU that a worker's slot used, its children's included, {_SINCE}.",
        ("topology", "host", "port"),
        (((it.topology, it.host, str(it.port)), used) for it, used in totals.cpu_seconds.items()),
    )
    family = SummaryMetricFamily(
        "storm_topology_complete_latency_seconds",
        f"Storm's complete latency of tuple trees that ended well, {_SINCE}.",
        labels=("topology",),
    )
    for topology, count in totals.acked_trees.items():
        family.add_metric((topology,), count, totals.complete_seconds[topology])
    yield family


def _storm_now(known: Known) -> Iterator[Metric]:
    """By the latest report of each host."""
    memory: dict[tuple[str, ...], float] = {}
    capacity: dict[tuple[str, ...], float] = {}
    queue: dict[tuple[str, ...], float] = {}
    for host, sample in known.zookeeper.samples.items():
        for worker in sample.workers:
            topology = topology_name(worker.topology)
            memory[topology, host, str(worker.port)] = worker.memory
            for task in worker.tasks:
                key = topology, task.component
                if task.component.startswith("__"):
                    continue
                if task.capacity is not None:
                    capacity[key] = max(capacity.get(key, 0.0), task.capacity)
                if task.queue is not None and task.queue.capacity:
                    full = task.queue.population / task.queue.capacity
                    queue[key] = max(queue.get(key, 0.0), full)
    yield _gauge(
        "storm_worker_memory_bytes",
        "Resident memory of a worker, its children's included.",
        ("topology", "host", "port"),
        memory.items(),
    )
    component = ("topology", "component")
    yield _gauge(
        "storm_component_capacity_ratio",
        "Storm's capacity of the component's busiest task: 1 is all of its time.",
        component,
        capacity.items(),
    )
    yield _gauge(
        "storm_component_queue_ratio",
        "How full the fullest receive queue of the component is.",
        component,
        queue.items(),
    )


def _parts(known: Known) -> Iterator[Metric]:
    states = {
        "nimbus": signals.of_nimbus(known),
        "sidecar": signals.of_sidecar(known),
        "delays": signals.of_delays(known),
    }
    if known.zookeeper.wanted:  # else it is no part, and nothing is wrong with it
        states["zookeeper"] = signals.of_zookeeper(known)
    if known.redis.wanted:
        states["redis"] = signals.of_redis(known)
    yield _gauge(
        "eyewall_part_up",
        "1 if what a part tells is fresh.",
        ("part",),
        (((name,), it.state == "fresh") for name, it in states.items()),
    )
    yield _gauge(
        "eyewall_part_age_seconds",
        "Age of what a part told last; of Nimbus: since its last round.",
        ("part",),
        (((name,), it.age) for name, it in states.items()),
    )
    yield _gauge(
        "eyewall_history_lag_seconds",
        "Since the history of reports in Redis was last read to its end.",
        (),
        [((), known.redis.history_age)],
    )
    status = known.sidecar.status
    if status is None:
        return
    took = [((), status.round_seconds)] if known.sidecar.round_age is not None else []
    yield _gauge(
        "eyewall_round_seconds", "Time the sidecar took for Nimbus's last round.", (), took
    )


def _topologies(known: Known) -> Iterator[Metric]:
    status = known.sidecar.status
    topologies: Sequence[pb.TopologyStatus] = status.topologies if status is not None else ()
    label = ("topology",)
    lately = measured.lately(known, (it.topology_id for it in topologies))

    def gauge(name: str, what: str, values: Iterable[float | None]) -> Metric:
        named = {(it.name,): value for it, value in zip(topologies, values, strict=True)}
        return _gauge(f"eyewall_topology_{name}", what, label, named.items())

    yield gauge(
        "predicted_response_time_seconds",
        "Response time of what runs, by the model.",
        (metric(it, "R") for it in topologies),
    )
    yield gauge(
        "measured_response_time_seconds",
        "Storm's complete latency over the last minute, weighted by tuple trees.",
        (lately.get(it.topology_id) for it in topologies),
    )
    yield gauge(
        "executors",
        "Executors that it has.",
        (sum(len(one.executors) for one in it.definition.components) for it in topologies),
    )
    yield gauge(
        "placed_executors",
        "Executors that have a slot.",
        (sum(len(one.executors) for one in it.state.workers) for it in topologies),
    )
    yield gauge("workers", "Worker processes.", (len(it.state.workers) for it in topologies))
    yield gauge("frozen", "1 if nothing of it is moved.", (it.frozen for it in topologies))
    yield gauge(
        "unknown",
        "1 if something keeps it from being judged, such as rates that are not known.",
        (bool(it.unknown) for it in topologies),
    )
    rates = [signals.of_rates(known, it) for it in topologies]
    yield gauge("rates_age_seconds", "Age of its rates.", (it.age for it in rates))
    yield gauge(
        "rates_confidence_ratio", "Of the least certain rate.", (it.confidence for it in rates)
    )


def _hosts(known: Known) -> Iterator[Metric]:
    samples, store = known.zookeeper.samples, known.redis
    yield _by_host(
        "report_age_seconds", "Since its monitor agent's last report.", known.zookeeper.sample_ages
    )
    loads = {host: it for host, sample in samples.items() if (it := load(sample)) is not None}
    yield _by_host("busy_cores", "Cores in use.", {it: one.cores_busy for it, one in loads.items()})
    yield _by_host("cores", "Cores that it can use.", {it: one.cores for it, one in loads.items()})
    yield _by_host(
        "throttled_ratio",
        "Share of the time for which its quota stopped it.",
        {it: one.throttled for it, one in loads.items()},
    )
    yield _by_host(
        "memory_used_bytes", "Memory in use.", {it: one.memory_used for it, one in loads.items()}
    )
    yield _by_host("memory_bytes", "Memory.", {it: one.memory for it, one in loads.items()})
    yield _by_host(
        "coordinate_age_seconds",
        "Since its latency agent's last sign of life.",
        {it: max(0.0, store.now - one.at) for it, one in store.hosts.items()},
    )
    yield _by_host(
        "coordinate_error_ratio",
        "How far its coordinate is off the RTTs that it knows.",
        {it: one.error for it, one in store.hosts.items()},
    )
    status = known.sidecar.status
    if status is None:
        return
    use = use_of_supervisors(status)
    slots, used = Counter[str](), Counter[str]()  # of one host there may be several supervisors
    for supervisor in status.supervisors:
        slots[supervisor.host] += len(supervisor.ports)
        used[supervisor.host] += len(use[supervisor.id].ports)
    yield _agents(known, slots)
    yield _by_host("slots", "Slots.", slots)
    yield _by_host("used_slots", "Slots in use.", used)
    delays: dict[str, list[float]] = {}
    for link in status.delays.links:
        if link.HasField("delay"):
            delays.setdefault(link.source, []).append(link.delay)
    yield _by_host(
        "delay_median_seconds",
        "One way, to the hosts it has links to: those that a stream crosses, or all.",
        {it: median(some) for it, some in delays.items()},
    )
    yield _by_host(
        "delay_max_seconds",
        "To the farthest of them.",
        {it: max(some) for it, some in delays.items()},
    )
    links = status.delays.links
    unknown = sum(not it.HasField("delay") for it in links)
    doubtful = sum(
        it.HasField("delay") and it.confidence < status.delays.minimum_confidence for it in links
    )
    counts = {"known": len(links) - unknown - doubtful, "doubtful": doubtful, "unknown": unknown}
    yield _gauge(
        "eyewall_links",
        "Links between hosts, by whether their delay is known well enough.",
        ("state",),
        (((name,), count) for name, count in counts.items()),
    )


def _agents(known: Known, hosts: Iterable[str]) -> Metric:
    """Of the hosts that should have them: what an ended agent told is gone, and has no age."""
    up: dict[tuple[str, str], bool] = {}
    for host in hosts:
        if _is_read(known.zookeeper):
            up[host, "monitor"] = signals.of_report(known, host).state == "fresh"
        if _is_read(known.redis):
            up[host, "latency"] = signals.of_latency(known, host).state == "fresh"
    return _gauge(
        "eyewall_host_agent_up",
        "1 if what the agent told is fresh, of each host that has a supervisor.",
        ("host", "agent"),
        up.items(),
    )


def _is_read(store: ZookeeperKnown | RedisKnown) -> bool:
    """Whether what is not in it is not there, and not only not known."""
    return store.age is not None and not store.wrong


def _decisions(known: Known, totals: Totals) -> Iterator[Metric]:
    status = known.sidecar.status
    running: list[str] = []  # told from 0 on: increase() does not see a counter's first sample
    if status is not None and totals.decides:
        running = [it.name for it in status.topologies]
    none_yet = dict.fromkeys(((name, it.value) for name in running for it in Verdict), 0)
    yield _counter(
        "eyewall_decisions",
        f"Decisions {_SINCE}.",
        ("topology", "verdict"),
        {**none_yet, **totals.decisions}.items(),
    )
    moved = {**dict.fromkeys(running, 0), **totals.moved}
    yield _counter(
        "eyewall_moved_executors",
        f"Executors that were placed or moved {_SINCE}.",
        ("topology",),
        (((name,), count) for name, count in moved.items()),
    )
    switches = known.zookeeper.switches
    frozen = None if switches is None else switches.frozen
    if status is not None and status.rules.frozen:
        frozen = True
    yield _gauge("eyewall_frozen", "1 if nothing that runs is moved.", (), [((), frozen)])
    if status is None:
        return
    yield _gauge(
        "eyewall_workers_started_last_hour",
        "Worker processes that moves started in the last hour.",
        (),
        [((), status.rules.workers_started_last_hour)],
    )
    states = [plan_state(it) for it in known.sidecar.plans]
    yield _gauge(
        "eyewall_plans",
        "Plans that the sidecar remembers.",
        ("state",),
        (((name,), states.count(name)) for name in STATES.values()),
    )


def _by_host(name: str, what: str, values: Mapping[str, float]) -> Metric:
    return _gauge(
        f"eyewall_host_{name}", what, ("host",), (((it,), value) for it, value in values.items())
    )


def _gauge(
    name: str,
    what: str,
    labels: Sequence[str],
    values: Iterable[tuple[Sequence[str], float | None]],
) -> Metric:
    family = GaugeMetricFamily(name, what, labels=labels)
    for named, value in values:
        if value is not None:
            family.add_metric(named, value)
    return family


def _counter(
    name: str,
    what: str,
    labels: Sequence[str],
    values: Iterable[tuple[Sequence[str], float | None]],
) -> Metric:
    family = CounterMetricFamily(name, what, labels=labels)
    for named, value in values:
        if value is not None:
            family.add_metric(named, value)
    return family
