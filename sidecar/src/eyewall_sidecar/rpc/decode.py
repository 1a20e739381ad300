"""From the contract's messages to Storm's nouns; what makes no sense is refused by name."""

from collections.abc import Iterable, Mapping
from math import inf

from eyewall_contracts.proto import scheduler_pb2 as pb

from eyewall_sidecar.storm import (
    MESSAGE_TIMEOUT,
    ClusterState,
    Component,
    ComponentKind,
    Executor,
    Grouping,
    Input,
    SharedMemory,
    Slot,
    Supervisor,
    Topology,
    TopologyState,
    Worker,
)

_LARGEST_PORT = 65_535
_MOST_CORES = 1e6
_MOST_BYTES = 1 << 50
"""1 PiB. An executor that asks for more would fill every host on paper; a negative number of
bytes, sent without its sign, is more."""
_MOST_GENERIC = 1e15
KINDS = {
    pb.Component.SPOUT: ComponentKind.SPOUT,
    pb.Component.BOLT: ComponentKind.BOLT,
    pb.Component.SYSTEM: ComponentKind.SYSTEM,
}
GROUPINGS = {
    pb.Input.SHUFFLE: Grouping.SHUFFLE,
    pb.Input.FIELDS: Grouping.FIELDS,
    pb.Input.PARTIAL_KEY: Grouping.PARTIAL_KEY,
    pb.Input.ALL: Grouping.ALL,
    pb.Input.GLOBAL: Grouping.GLOBAL,
    pb.Input.LOCAL_OR_SHUFFLE: Grouping.LOCAL_OR_SHUFFLE,
    pb.Input.DIRECT: Grouping.DIRECT,
    pb.Input.CUSTOM: Grouping.CUSTOM,
    pb.Input.NONE: Grouping.NONE,
}


class MalformedError(ValueError):
    """A message that breaks the contract; names the field, its value and what is allowed."""


def topology(message: pb.TopologyDefinition) -> Topology:
    """Decode what never changes of a topology; nonsense in it is that topology's alone."""
    owner = f"definition of {_named(message.topology_id, 'definition: topology_id')}"
    try:
        return _sound(owner, message)
    except MalformedError as error:
        return _refused(message, str(error))


def _sound(owner: str, message: pb.TopologyDefinition) -> Topology:
    components = tuple(_component(owner, it) for it in message.components)
    _require_distinct(f"{owner}: component", [it.id for it in components])
    _require_distinct(f"{owner}: executor", [ex for it in components for ex in it.executors])
    return Topology(
        id=message.topology_id,
        name=message.name or message.topology_id,
        components=components,
        requested_workers=message.requested_workers,
        worker_max_heap_bytes=message.worker_max_heap_bytes,
        settings=dict(message.settings),
        message_timeout=_message_timeout(message),
        load_aware=not message.load_aware_messaging_disabled,
        one_executor_per_worker=message.one_executor_per_worker,
        one_component_per_worker=message.one_component_per_worker,
        strategy=message.strategy,
        shared_memory=tuple(_shared_memory(owner, it) for it in message.shared_memory),
    )


def _shared_memory(owner: str, message: pb.SharedMemory) -> SharedMemory:
    owner = f"{owner}, shared memory {message.name}"
    worker, supervisor = message.off_heap_worker_bytes, message.off_heap_supervisor_bytes
    return SharedMemory(
        name=message.name,
        components=frozenset(message.components),
        on_heap_bytes=_bytes(f"{owner}: on_heap_bytes", message.on_heap_bytes),
        off_heap_worker_bytes=_bytes(f"{owner}: off_heap_worker_bytes", worker),
        off_heap_supervisor_bytes=_bytes(f"{owner}: off_heap_supervisor_bytes", supervisor),
    )


def _message_timeout(message: pb.TopologyDefinition) -> float:
    """Return Storm's default for a shim that does not say it, and for what makes no sense."""
    seconds = message.message_timeout_seconds
    return seconds if 0 < seconds < inf else MESSAGE_TIMEOUT


def _refused(message: pb.TopologyDefinition, reason: str) -> Topology:
    """Replace a definition that cannot be used: its executors without what they need."""
    executors = {
        Executor(it.first_task, it.last_task)
        for component in message.components
        for it in component.executors
    }
    return Topology(
        id=message.topology_id,
        name=message.name or message.topology_id,
        components=(Component("", ComponentKind.SYSTEM, tuple(sorted(executors))),),
        settings=dict(message.settings),
        refused=reason,
    )


def cluster_state(message: pb.ClusterState, definitions: Mapping[str, Topology]) -> ClusterState:
    """Decode what can change, with the definition of each of its topologies.

    A supervisor that makes no sense is left out: what others offer is none the worse for it.
    """
    _require_distinct("state: supervisor", [it.id for it in message.supervisors])
    supervisors: list[Supervisor] = []
    left_out: list[str] = []
    for it in message.supervisors:
        try:
            supervisors.append(_supervisor(it))
        except MalformedError as error:
            left_out.append(str(error))
    topologies = tuple(_topology_state(it, definitions) for it in message.topologies)
    _require_distinct("state: topology", [it.topology.id for it in topologies])
    slots = [worker.slot for it in topologies for worker in it.assignment]
    _require_distinct("state: slot of a worker", slots)
    least = _cores("state: least_worker_cores", message.least_worker_cores)
    return ClusterState(tuple(supervisors), topologies, least, tuple(left_out))


def _supervisor(message: pb.Supervisor) -> Supervisor:
    owner = f"supervisor {_named(message.id, 'state: supervisor id')}"
    return Supervisor(
        id=message.id,
        host=_named(message.host, f"{owner}: host"),
        ports=tuple(_port(owner, port) for port in message.ports),
        cpu_cores=_cores(f"{owner}: cpu_cores", message.cpu_cores),
        memory_bytes=message.memory_bytes,
        scheduler_meta=dict(message.scheduler_meta),
        greylisted=message.greylisted,
        # Of what makes no sense a supervisor has none: all others are none the worse for it.
        generic=tuple(
            (name, min(amount, _MOST_GENERIC))
            for name, amount in sorted(message.generic_resources.items())
            if name and amount >= 0
        ),
    )


def _topology_state(
    message: pb.TopologyState, definitions: Mapping[str, Topology]
) -> TopologyState:
    owner = f"state of {_named(message.topology_id, 'state: topology_id')}"
    workers = tuple(
        Worker(
            Slot(_named(it.supervisor_id, f"{owner}: supervisor_id"), _port(owner, it.port)),
            frozenset(_executors(owner, it.executors)),
        )
        for it in message.workers
    )
    _require_distinct(f"{owner}: executor", [it for worker in workers for it in worker.executors])
    return TopologyState(
        topology=definitions[message.topology_id],
        assignment=workers,
        assignment_digest=message.assignment_digest,
        needs_scheduling=message.needs_scheduling,
        refusal=message.refusal,
    )


def _component(owner: str, message: pb.Component) -> Component:
    owner = f"{owner}, component {_named(message.id, f'{owner}: component id')}"
    if message.kind not in KINDS:
        raise MalformedError(f"{owner}: kind is {message.kind}; it must be one of {_all(KINDS)}")
    return Component(
        id=message.id,
        kind=KINDS[message.kind],
        executors=tuple(sorted(_executors(owner, message.executors))),
        cpu_cores=_cores(f"{owner}: cpu_cores", message.cpu_cores),
        on_heap_bytes=_bytes(f"{owner}: on_heap_bytes", message.on_heap_bytes),
        off_heap_bytes=_bytes(f"{owner}: off_heap_bytes", message.off_heap_bytes),
        inputs=tuple(_input(owner, it) for it in message.inputs),
        generic=_generic(owner, message.generic_resources),
        most_on_supervisor=message.most_on_supervisor,
        incompatible=frozenset(message.incompatible),
    )


def _input(owner: str, message: pb.Input) -> Input:
    if message.grouping not in GROUPINGS:
        raise MalformedError(
            f"{owner}: grouping of {message.source_component}:{message.stream} is "
            f"{message.grouping}; it must be one of {_all(GROUPINGS)}"
        )
    return Input(
        source=_named(message.source_component, f"{owner}: source_component"),
        stream=_named(message.stream, f"{owner}: stream"),
        grouping=GROUPINGS[message.grouping],
    )


def _executors(owner: str, messages: Iterable[pb.Executor]) -> list[Executor]:
    executors = []
    for it in messages:
        if it.last_task < it.first_task:
            raise MalformedError(
                f"{owner}: executor [{it.first_task}-{it.last_task}]: its last task must not be "
                "below its first"
            )
        executors.append(Executor(it.first_task, it.last_task))
    return executors


def _port(owner: str, port: int) -> int:
    if 0 <= port <= _LARGEST_PORT:
        return port
    raise MalformedError(f"{owner}: port is {port}; it must be from 0 to {_LARGEST_PORT}")


def _cores(field: str, value: float) -> float:
    if 0 <= value <= _MOST_CORES:
        return value
    raise MalformedError(f"{field} is {value:g}; it must be a number from 0 to {_MOST_CORES:g}")


def _generic(owner: str, amounts: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    for name, amount in amounts.items():
        _named(name, f"{owner}: name of a generic resource")
        if not 0 <= amount <= _MOST_GENERIC:
            raise MalformedError(
                f"{owner}: {name} is {amount:g}; it must be a number from 0 to {_MOST_GENERIC:g}"
            )
    return tuple(sorted(amounts.items()))


def _bytes(field: str, value: int) -> int:
    if value <= _MOST_BYTES:
        return value
    raise MalformedError(f"{field} is {value:,}; it must be at most {_MOST_BYTES:,}")


def _named(text: str, field: str) -> str:
    if text:
        return text
    raise MalformedError(f"{field} is empty; it must be given")


def _require_distinct(field: str, values: Iterable[object]) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise MalformedError(f"{field} {value} is listed twice; it must be listed once")
        seen.add(value)


def _all(choices: Iterable[int]) -> str:
    return ", ".join(str(number) for number in choices)
