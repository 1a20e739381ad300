"""One topology: its graph, where everything runs, what flows, and its slowest path."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, Literal

from eyewall_contracts.proto import scheduler_pb2 as storm

from eyewall_monitor.dashboard import measured, signals
from eyewall_monitor.dashboard.metric_views import metrics, path
from eyewall_monitor.dashboard.summaries import summary, supervisor_hosts
from eyewall_monitor.dashboard.views.signal import Signal
from eyewall_monitor.dashboard.views.topology import (
    ComponentView,
    ExecutorView,
    StreamView,
    TopologyView,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.known import Known

_KINDS: Final[Mapping[int, Literal["spout", "bolt", "system"]]] = {
    storm.Component.SPOUT: "spout",
    storm.Component.BOLT: "bolt",
}


def topology_view(
    known: Known, status: pb.Status, topology: pb.TopologyStatus, revision: int
) -> TopologyView:
    """Draw one topology of the sidecar's status."""
    lately = measured.lately(known, [topology.topology_id])
    line = summary(known, topology, lately, supervisor_hosts(status))
    return TopologyView(
        revision=revision,
        summary=line,
        components=_components(known, topology),
        streams=_streams(topology, line.rates),
        metrics=metrics(topology.metrics),
        slowest_path=path(topology.slowest_path),
        cooling=max(0.0, topology.cooling - known.sidecar.told),
        unknown=topology.unknown,
        assumptions=tuple(topology.assumptions),
    )


def _components(known: Known, topology: pb.TopologyStatus) -> tuple[ComponentView, ...]:
    executors: defaultdict[str, list[ExecutorView]] = defaultdict(list)
    for it in topology.executors:
        executors[it.component].append(_executor(it))
    emitted = _emitted(known, topology.topology_id)
    capacity = _capacity(known, topology)
    return tuple(
        ComponentView(
            id=it.id,
            kind=_KINDS.get(it.kind, "system"),
            executors=tuple(sorted(executors[it.id], key=lambda one: one.tasks)),
            emitted=emitted.get(as_measured(it.id)),
            capacity=capacity.get(it.id),
        )
        for it in topology.definition.components
    )


def _executor(message: pb.ExecutorStatus) -> ExecutorView:
    placed = bool(message.host)
    return ExecutorView(
        executor=message.executor,
        component=message.component,
        tasks=(message.first_task, message.last_task),
        host=message.host if placed else None,
        port=message.port if placed else None,
        cores=message.cpu_cores if message.HasField("cpu_cores") else None,
        pins=tuple(message.pins),
    )


def as_measured(component: str) -> str:
    """Name a component as Storm's reporter does."""
    return component.replace(".", "_")


def _emitted(known: Known, topology: str) -> dict[str, float]:
    """Tuples/s by component, on all of its own streams; Storm's are left out."""
    rates = known.zookeeper.rates.get(topology)
    found: defaultdict[str, float] = defaultdict(float)
    for it in rates.emissions if rates else ():
        if not it.stream.startswith("__"):
            found[it.component] += it.rate.value
    return dict(found)


def _capacity(known: Known, topology: pb.TopologyStatus) -> dict[str, float]:
    """Storm's capacity by component: of its busiest task."""
    component_of = {
        task: component.id
        for component in topology.definition.components
        for executor in component.executors
        for task in range(executor.first_task, executor.last_task + 1)
    }
    found: dict[str, float] = {}
    for sample in known.zookeeper.samples.values():
        for worker in sample.workers:
            if worker.topology != topology.topology_id:
                continue
            for task in worker.tasks:
                component = component_of.get(task.task)
                if component is not None and task.capacity is not None:
                    found[component] = max(found.get(component, 0.0), task.capacity)
    return found


def _streams(topology: pb.TopologyStatus, rates: Signal) -> tuple[StreamView, ...]:
    groupings = {
        (it.source_component, component.id, it.stream): _grouping(it.grouping)
        for component in topology.definition.components
        for it in component.inputs
    }
    return tuple(
        StreamView(
            source=it.source,
            target=it.target,
            stream=it.stream,
            grouping=groupings.get((it.source, it.target, it.stream), ""),
            system=it.system,
            rate=it.rate,
            rate_between_hosts=it.rate_between_hosts,
            signal=_signal(it, rates),
        )
        for it in topology.streams
    )


def _grouping(value: storm.Input.Grouping.ValueType) -> str:
    names = {number: name for name, number in storm.Input.Grouping.items()}
    name = names.get(value, "") if value != storm.Input.GROUPING_UNSPECIFIED else ""
    return name.lower().replace("_", " ")


def _signal(stream: pb.StreamStatus, rates: Signal) -> Signal:
    if not stream.measured:
        return signals.missing("not measured: the rate is assumed, or hinted by the topology")
    confidence = stream.confidence if stream.HasField("confidence") else None
    return Signal(
        state="fresh" if rates.state == "fresh" else "stale",
        age=rates.age,
        confidence=confidence,
        note=rates.note,
    )
