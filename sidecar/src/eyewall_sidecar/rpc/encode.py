"""From decisions and Storm's nouns to the contract's messages."""

from collections.abc import Iterable

from eyewall_contracts.proto import scheduler_pb2 as pb

from eyewall_sidecar.rpc.decode import GROUPINGS, KINDS
from eyewall_sidecar.service.decision import Decision, Decline, Keep, Place
from eyewall_sidecar.storm import (
    Assignment,
    Component,
    Executor,
    Supervisor,
    Topology,
    TopologyState,
)

_KINDS = {ours: theirs for theirs, ours in KINDS.items()}
_GROUPINGS = {ours: theirs for theirs, ours in GROUPINGS.items()}

LONGEST_TEXT = 1000
"""Characters of a text that is shown to people: one line, whatever an exception has to say."""


def encodable(text: str) -> str:
    """Return a text as protobuf takes it: half of a surrogate pair becomes its escape.

    JSON and exceptions can express what UTF-8 cannot.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def decision(decided: Decision) -> pb.Decision:
    """Encode one topology's decision."""
    message = pb.Decision(
        topology_id=decided.topology_id,
        base=decided.base,
        status=_line(str(decided.status or "")),
    )
    match decided.verdict:
        case Place(assignment, overlaps):
            message.place.workers.extend(_workers(assignment))
            message.place.overlaps = overlaps
        case Keep():
            message.keep.SetInParent()
        case Decline(reason):
            message.decline.reason = _line(str(reason))
    return message


def supervisor(it: Supervisor) -> pb.Supervisor:
    """Encode a supervisor, as `decode` reads it."""
    return pb.Supervisor(
        id=it.id,
        host=it.host,
        ports=it.ports,
        scheduler_meta=dict(it.scheduler_meta),
        cpu_cores=it.cpu_cores,
        memory_bytes=int(it.memory_bytes),
        generic_resources=dict(it.generic),
        greylisted=it.greylisted,
    )


def definition(it: Topology) -> pb.TopologyDefinition:
    """Encode what never changes of a topology, without its digest, which is Nimbus's to make."""
    return pb.TopologyDefinition(
        topology_id=it.id,
        name=it.name,
        requested_workers=it.requested_workers,
        worker_max_heap_bytes=it.worker_max_heap_bytes,
        settings=dict(it.settings or {}),
        components=[_component(component) for component in it.components],
        message_timeout_seconds=it.message_timeout,
        load_aware_messaging_disabled=not it.load_aware,
        one_executor_per_worker=it.one_executor_per_worker,
        one_component_per_worker=it.one_component_per_worker,
        strategy=it.strategy,
        shared_memory=[
            pb.SharedMemory(
                name=shared.name,
                components=sorted(shared.components),
                on_heap_bytes=shared.on_heap_bytes,
                off_heap_worker_bytes=shared.off_heap_worker_bytes,
                off_heap_supervisor_bytes=shared.off_heap_supervisor_bytes,
            )
            for shared in it.shared_memory
        ],
    )


def topology_state(it: TopologyState) -> pb.TopologyState:
    """Encode where a topology runs."""
    return pb.TopologyState(
        topology_id=it.topology.id,
        workers=_workers(it.assignment),
        needs_scheduling=it.needs_scheduling,
        assignment_digest=it.assignment_digest,
    )


def _component(it: Component) -> pb.Component:
    return pb.Component(
        id=it.id,
        kind=_KINDS[it.kind],
        executors=_executors(it.executors),
        cpu_cores=it.cpu_cores,
        on_heap_bytes=it.on_heap_bytes,
        off_heap_bytes=it.off_heap_bytes,
        inputs=[
            pb.Input(
                source_component=wanted.source,
                stream=wanted.stream,
                grouping=_GROUPINGS[wanted.grouping],
            )
            for wanted in it.inputs
        ],
        generic_resources=dict(it.generic),
        most_on_supervisor=it.most_on_supervisor,
        incompatible=sorted(it.incompatible),
    )


def _line(text: str) -> str:
    line = encodable(" ".join(text.split()))
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"


def _workers(assignment: Assignment) -> list[pb.Worker]:
    return [
        pb.Worker(
            supervisor_id=worker.slot.supervisor,
            port=worker.slot.port,
            executors=_executors(sorted(worker.executors)),
        )
        for worker in assignment
    ]


def _executors(executors: Iterable[Executor]) -> list[pb.Executor]:
    return [pb.Executor(first_task=it.first_task, last_task=it.last_task) for it in executors]
