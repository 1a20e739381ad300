"""The page Cluster: supervisors, the links between them, topologies, and the limits on moves."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.links import LinkView, link_views
from eyewall_monitor.dashboard.views.positions import Position
from eyewall_monitor.dashboard.views.signal import (
    Signal,
    delays_signal,
    latency_signal,
    nimbus_signal,
    report_signal,
    sidecar_signal,
)
from eyewall_monitor.dashboard.views.switches import SwitchesView, switches_view
from eyewall_monitor.dashboard.views.topology import TopologySummary, topology_summaries

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from eyewall_contracts.proto import operations_pb2 as pb
    from eyewall_contracts.proto import scheduler_pb2 as storm
    from eyewall_contracts.sample import Sample

    from eyewall_monitor.dashboard.snapshot import Snapshot


class Load(View):
    """The load of a host, by its agent's last report."""

    cores_busy: float
    cores: float
    stolen: float
    """Cores that other guests of the hypervisor took."""
    throttled: float
    """Share of the time for which its quota stopped it, 0 to 1."""
    memory_used: int
    memory: int


class SupervisorView(View):
    """A supervisor and its host."""

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
    drained: bool = False
    """Nothing is placed there, and what runs there leaves."""
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


class RulesView(View):
    """The limits on moves."""

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
    """Its age is that of the last round."""
    delays: Signal
    delays_source: str
    supervisors: tuple[SupervisorView, ...]
    gone: tuple[str, ...] = ()
    """Hosts whose agents report although Nimbus has no supervisor there."""
    links: tuple[LinkView, ...]
    all_pairs: bool
    """Whether `links` has every pair of hosts; else it has those with traffic."""
    topologies: tuple[TopologySummary, ...]
    switches: SwitchesView
    rules: RulesView | None
    not_configured: tuple[Literal["zookeeper", "redis"], ...] = ()
    """Stores that the dashboard's configuration does not name: their data is missing by intent."""


def cluster_view(
    snapshot: Snapshot, revision: int, positions: Mapping[str, Position]
) -> ClusterView:
    """Return the whole cluster, its hosts at these positions."""
    status, store, redis = snapshot.sidecar.status, snapshot.zookeeper, snapshot.redis
    used = _use_by_supervisor(status)
    drained = frozenset(status.switches.drained_hosts if status is not None else ())
    supervisors = status.supervisors if status is not None else ()
    reporting = store.samples.keys() | redis.hosts.keys() if status is not None else set()
    return ClusterView(
        revision=revision,
        sidecar=sidecar_signal(snapshot),
        nimbus=nimbus_signal(snapshot),
        delays=delays_signal(snapshot),
        delays_source=status.delays.source if status is not None else "",
        supervisors=tuple(
            _supervisor(snapshot, it, used[it.id], positions.get(it.host), drained)
            for it in sorted(supervisors, key=lambda it: (it.host, it.id))
        ),
        gone=tuple(sorted(reporting - {it.host for it in supervisors})),
        links=link_views(snapshot),
        all_pairs=status is not None and status.delays.all_pairs,
        topologies=topology_summaries(snapshot),
        switches=switches_view(snapshot),
        rules=_rules(status),
        not_configured=(
            *(("zookeeper",) if not store.configured else ()),
            *(("redis",) if not redis.configured else ()),
        ),
    )


class _Executor(NamedTuple):
    """An executor that runs on a supervisor, and what it requests."""

    topology: str
    port: int
    cores: float
    memory: int


def _use_by_supervisor(status: pb.Status | None) -> Mapping[str, list[_Executor]]:
    """Return the executors of each supervisor, by its id."""
    found: defaultdict[str, list[_Executor]] = defaultdict(list)
    for topology in status.topologies if status is not None else ():
        requests = {
            executor.first_task: (it.cpu_cores, it.on_heap_bytes + it.off_heap_bytes)
            for it in topology.definition.components
            for executor in it.executors
        }
        for worker in topology.state.workers:
            found[worker.supervisor_id] += (
                _Executor(topology.name, worker.port, *requests.get(it.first_task, (0.0, 0)))
                for it in worker.executors
            )
    return found


def _supervisor(
    snapshot: Snapshot,
    supervisor: storm.Supervisor,
    executors: list[_Executor],
    position: Position | None,
    drained: Collection[str],
) -> SupervisorView:
    host, meta = supervisor.host, supervisor.scheduler_meta
    sample = snapshot.zookeeper.samples.get(host)
    labels = {it.strip() for it in meta.get("labels", "").split(",")}
    return SupervisorView(
        id=supervisor.id,
        host=host,
        site=meta.get("site", "").strip(),
        labels=tuple(sorted(labels - {""})),
        availability=_number(meta.get("availability")),
        speed=_number(meta.get("speed")),
        slots=len(supervisor.ports),
        slots_used=len({it.port for it in executors}),
        executors=len(executors),
        topologies=tuple(sorted({it.topology for it in executors})),
        drained=host in drained,
        cores=supervisor.cpu_cores,
        memory=supervisor.memory_bytes,
        cores_requested=sum(it.cores for it in executors),
        memory_requested=sum(it.memory for it in executors),
        load=None if sample is None else load_view(sample),
        report=report_signal(snapshot, host),
        latency=latency_signal(snapshot, host),
        position=position,
    )


def load_view(sample: Sample) -> Load | None:
    """Return a host's load; None if the report covers no time, or not the machine."""
    machine = sample.machine
    if machine is None or sample.seconds <= 0:
        return None
    return Load(
        cores_busy=machine.busy / sample.seconds,
        cores=machine.cores,
        stolen=machine.stolen / sample.seconds,
        throttled=min(1.0, machine.throttled / sample.seconds),
        memory_used=max(0, machine.memory - machine.memory_free),
        memory=machine.memory,
    )


def _number(text: str | None) -> float | None:
    """Read a number of a host's metadata; the sidecar reports the ones that cannot be read."""
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _rules(status: pb.Status | None) -> RulesView | None:
    if status is None or not status.HasField("rules"):
        return None
    return RulesView.of(status.rules, frozen_by_configuration=status.rules.frozen)
