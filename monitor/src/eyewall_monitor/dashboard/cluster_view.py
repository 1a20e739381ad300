"""The cluster at a glance: supervisors, links, topologies, switches and rules."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eyewall_monitor.dashboard import positions, signals
from eyewall_monitor.dashboard.link_views import links
from eyewall_monitor.dashboard.summaries import summaries
from eyewall_monitor.dashboard.switches_view import switches_view
from eyewall_monitor.dashboard.views.cluster import (
    ClusterView,
    Load,
    Position,
    RulesView,
    SupervisorView,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_contracts.proto import operations_pb2 as pb
    from eyewall_contracts.proto import scheduler_pb2 as storm
    from eyewall_contracts.sample import Sample

    from eyewall_monitor.dashboard.known import Known
    from eyewall_monitor.dashboard.views.cluster import Store


def cluster_view(known: Known, revision: int, before: Mapping[str, Position]) -> ClusterView:
    """Draw the whole cluster; `before` is where its hosts were drawn last."""
    status = known.sidecar.status
    places = host_positions(known, before)
    use = use_of_supervisors(status)
    supervisors = status.supervisors if status is not None else ()
    hosts = {it.host for it in supervisors}
    return ClusterView(
        revision=revision,
        sidecar=signals.of_sidecar(known),
        nimbus=signals.of_nimbus(known),
        delays=signals.of_delays(known),
        delays_source=status.delays.source if status is not None else "",
        supervisors=tuple(
            _supervisor(known, it, use[it.id], places.get(it.host))
            for it in sorted(supervisors, key=lambda it: (it.host, it.id))
        ),
        gone=tuple(sorted((known.zookeeper.samples.keys() | known.redis.hosts.keys()) - hosts))
        if status is not None
        else (),
        links=links(known),
        all_pairs=status is not None and status.delays.all_pairs,
        topologies=summaries(known),
        switches=switches_view(known),
        rules=_rules(status),
        not_configured=_not_configured(known),
    )


def _not_configured(known: Known) -> tuple[Store, ...]:
    stores: tuple[tuple[Store, bool], ...] = (
        ("zookeeper", known.zookeeper.wanted),
        ("redis", known.redis.wanted),
    )
    return tuple(name for name, wanted in stores if not wanted)


def host_positions(known: Known, before: Mapping[str, Position]) -> dict[str, Position]:
    """Where each host is drawn: by the coordinates; without any, by the delays of all pairs."""
    if known.redis.hosts:
        coordinates = {name: it.coordinate for name, it in known.redis.hosts.items()}
        return positions.from_coordinates(coordinates, before)
    status = known.sidecar.status
    if status is None or not status.delays.all_pairs:
        return {}
    delays = {
        (it.source, it.target): it.delay for it in status.delays.links if it.HasField("delay")
    }
    return positions.from_delays([it.host for it in status.supervisors], delays, before)


@dataclass
class Use:
    """What runs on one supervisor."""

    ports: set[int] = field(default_factory=set)
    executors: int = 0
    topologies: set[str] = field(default_factory=set)
    cores: float = 0.0
    memory: int = 0


def use_of_supervisors(status: pb.Status | None) -> Mapping[str, Use]:
    """Return what runs on each supervisor, by its id; of one that runs nothing, nothing."""
    found: defaultdict[str, Use] = defaultdict(Use)
    for topology in status.topologies if status is not None else ():
        requests = {
            executor.first_task: (
                component.cpu_cores,
                component.on_heap_bytes + component.off_heap_bytes,
            )
            for component in topology.definition.components
            for executor in component.executors
        }
        for worker in topology.state.workers:
            use = found[worker.supervisor_id]
            use.ports.add(worker.port)
            use.executors += len(worker.executors)
            use.topologies.add(topology.name)
            for executor in worker.executors:
                cores, memory = requests.get(executor.first_task, (0.0, 0))
                use.cores += cores
                use.memory += memory
    return found


def _supervisor(
    known: Known, supervisor: storm.Supervisor, use: Use, position: Position | None
) -> SupervisorView:
    host, meta = supervisor.host, supervisor.scheduler_meta
    sample = known.zookeeper.samples.get(host)
    labels = (it.strip() for it in meta.get("labels", "").split(","))
    return SupervisorView(
        id=supervisor.id,
        host=host,
        site=meta.get("site", "").strip(),
        labels=tuple(sorted({it for it in labels if it})),
        availability=_number(meta.get("availability")),
        speed=_number(meta.get("speed")),
        slots=len(supervisor.ports),
        slots_used=len(use.ports),
        executors=use.executors,
        topologies=tuple(sorted(use.topologies)),
        cores=supervisor.cpu_cores,
        memory=supervisor.memory_bytes,
        cores_requested=use.cores,
        memory_requested=use.memory,
        load=None if sample is None else load(sample),
        report=signals.of_report(known, host),
        latency=signals.of_latency(known, host),
        position=position,
    )


def load(sample: Sample) -> Load | None:
    """What a host does, by its report; None if that covers no time or not the machine."""
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
    """Read a host's own figure; what is none is the sidecar's to complain about."""
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _rules(status: pb.Status | None) -> RulesView | None:
    if status is None or not status.HasField("rules"):
        return None
    rules = status.rules
    return RulesView(
        minimum_gain=rules.minimum_gain,
        cool_down_seconds=rules.cool_down_seconds,
        workers_per_round=rules.workers_per_round if rules.HasField("workers_per_round") else None,
        workers_per_hour=rules.workers_per_hour if rules.HasField("workers_per_hour") else None,
        workers_started_last_hour=rules.workers_started_last_hour,
        frozen_by_configuration=rules.frozen,
    )
