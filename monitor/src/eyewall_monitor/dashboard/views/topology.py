"""The page of a topology: its graph, where it runs, its rates, and its slowest path."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, Literal

from eyewall_contracts.proto import scheduler_pb2 as storm

from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.metrics import (
    MetricView,
    PathStepView,
    metric_views,
    present_value,
)
from eyewall_monitor.dashboard.views.signal import Signal, missing, rates_signal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.snapshot import Snapshot

_GROUPINGS: Final = {
    number: name.lower().replace("_", " ")
    for name, number in storm.Input.Grouping.items()
    if number
}


class TopologySummary(View):
    """A topology in a list of topologies."""

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
    """Predicted by the model."""
    measured_response_time: float | None = None
    """Storm's complete latency over the last minute."""
    rates: Signal


class ExecutorView(View):
    """One executor, and where it runs."""

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
    kind: Literal["system", "spout", "bolt"]
    executors: tuple[ExecutorView, ...]
    emitted: float | None = None
    """tuples/s on all its streams."""
    capacity: float | None = None
    """The share of time that its busiest task spent executing, by Storm."""


class StreamView(View):
    """An edge of the topology's graph."""

    source: str
    target: str
    stream: str
    grouping: str
    system: bool
    rate: float | None
    """tuples/s that the model uses."""
    error: float | None = None
    """Of a measured rate: half the width of its 95 % interval."""
    rate_between_hosts: float | None = None
    signal: Signal
    """`missing`: the rate is assumed, or hinted by the topology."""


class TopologyView(View):
    """A topology, whole."""

    revision: int
    summary: TopologySummary
    components: tuple[ComponentView, ...]
    streams: tuple[StreamView, ...]
    metrics: tuple[MetricView, ...]
    slowest_path: tuple[PathStepView, ...]
    cooling: float
    """Seconds until the end of its cool-down."""
    unknown: str
    """What keeps it from being evaluated; empty if nothing does."""
    assumptions: tuple[str, ...]


def topology_summaries(snapshot: Snapshot) -> tuple[TopologySummary, ...]:
    """Return all topologies, by name."""
    status = snapshot.sidecar.status
    if status is None:
        return ()
    topologies = sorted(status.topologies, key=lambda it: (it.name, it.topology_id))
    measured = snapshot.response_times(it.topology_id for it in topologies)
    hosts = {it.id: it.host for it in status.supervisors}
    return tuple(_summary(snapshot, it, measured, hosts) for it in topologies)


def _summary(
    snapshot: Snapshot,
    topology: pb.TopologyStatus,
    measured: Mapping[str, float],
    hosts: Mapping[str, str],
) -> TopologySummary:
    workers = topology.state.workers
    return TopologySummary.of(
        topology,
        id=topology.topology_id,
        executors=sum(len(it.executors) for it in topology.definition.components),
        placed=sum(len(it.executors) for it in workers),
        workers=len(workers),
        hosts=len({hosts.get(it.supervisor_id, it.supervisor_id) for it in workers}),
        response_time=present_value(topology.metrics, "R"),
        measured_response_time=measured.get(topology.topology_id),
        rates=rates_signal(snapshot, topology),
    )


def topology_view(
    snapshot: Snapshot, status: pb.Status, topology: pb.TopologyStatus, revision: int
) -> TopologyView:
    """Return one topology of the sidecar's status."""
    measured = snapshot.response_times([topology.topology_id])
    summary = _summary(snapshot, topology, measured, {it.id: it.host for it in status.supervisors})
    return TopologyView.of(
        topology,
        revision=revision,
        summary=summary,
        components=_components(snapshot, topology),
        streams=_streams(topology, summary.rates),
        metrics=metric_views(topology.metrics),
        cooling=max(0.0, topology.cooling - snapshot.sidecar.status_age),
    )


def _components(snapshot: Snapshot, topology: pb.TopologyStatus) -> tuple[ComponentView, ...]:
    executors: defaultdict[str, list[ExecutorView]] = defaultdict(list)
    for it in topology.executors:
        executors[it.component].append(_executor(it))
    emitted = _emission_rates(snapshot, topology.topology_id)
    capacities = _capacities(snapshot, topology)
    return tuple(
        ComponentView.of(
            it,
            executors=tuple(sorted(executors[it.id], key=lambda one: one.tasks)),
            emitted=emitted.get(reported_name(it.id)),
            capacity=capacities.get(it.id),
        )
        for it in topology.definition.components
    )


def _executor(status: pb.ExecutorStatus) -> ExecutorView:
    return ExecutorView(
        executor=status.executor,
        component=status.component,
        tasks=(status.first_task, status.last_task),
        host=status.host or None,
        port=status.port if status.host else None,
        cores=status.cpu_cores if status.HasField("cpu_cores") else None,
        pins=tuple(status.pins),
    )


def reported_name(component: str) -> str:
    """Return a component's name in reports: Storm's reporter writes dots as underscores."""
    return component.replace(".", "_")


def _emission_rates(snapshot: Snapshot, topology: str) -> Mapping[str, float]:
    """Tuples/s by component, on all streams but Storm's own."""
    rates = snapshot.zookeeper.rates.get(topology)
    found: defaultdict[str, float] = defaultdict(float)
    for it in rates.emissions if rates else ():
        if not it.stream.startswith("__"):
            found[it.component] += it.rate.value
    return found


def _capacities(snapshot: Snapshot, topology: pb.TopologyStatus) -> Mapping[str, float]:
    """Storm's capacity of the busiest task, by component."""
    component_of = {
        task: component.id
        for component in topology.definition.components
        for executor in component.executors
        for task in range(executor.first_task, executor.last_task + 1)
    }
    found: dict[str, float] = {}
    for sample in snapshot.zookeeper.samples.values():
        workers = (it for it in sample.workers if it.topology == topology.topology_id)
        for task in (task for worker in workers for task in worker.tasks):
            component = component_of.get(task.task)
            if component is not None and task.capacity is not None:
                found[component] = max(found.get(component, 0.0), task.capacity)
    return found


def _streams(topology: pb.TopologyStatus, rates: Signal) -> tuple[StreamView, ...]:
    groupings = {
        (it.source_component, component.id, it.stream): _GROUPINGS.get(it.grouping, "")
        for component in topology.definition.components
        for it in component.inputs
    }
    return tuple(
        StreamView.of(
            it,
            grouping=groupings.get((it.source, it.target, it.stream), ""),
            error=it.error if it.HasField("error") else None,
            signal=_stream_signal(it, rates),
        )
        for it in topology.streams
    )


def _stream_signal(stream: pb.StreamStatus, rates: Signal) -> Signal:
    if not stream.measured:
        return missing("not measured: the rate is assumed, or hinted by the topology")
    return Signal(
        state="fresh" if rates.state == "fresh" else "stale",
        age=rates.age,
        note=rates.note,
    )
