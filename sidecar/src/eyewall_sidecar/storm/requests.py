"""What workers request of their supervisors, added up as Storm's `Cluster` does.

Cores, on-heap plus off-heap bytes and generic resources of every executor; memory that executors
share, once for each worker or supervisor; and the least CPU of a worker.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from eyewall_sidecar.storm.cluster import Component, SharedMemory, Topology, Worker


@dataclass(frozen=True, slots=True)
class Requests:
    """What executors request together."""

    cpu_cores: float = 0.0
    memory_bytes: int = 0
    generic: Mapping[str, float] = field(default_factory=dict)


SupervisorRequests = Mapping[str, Requests]
"""Supervisor id → what executors there request; none where there are no executors."""


def requests(
    workers: Iterable[tuple[Topology, Worker]], least_worker_cores: float = 0.0
) -> SupervisorRequests:
    """Return what workers request, each with its topology.

    Parameters
    ----------
    least_worker_cores
        What a worker requests at least: storm.worker.min.cpu.pcore.percent.
    """
    cpu: dict[str, float] = {}
    memory: dict[str, int] = {}
    generic: dict[str, dict[str, float]] = {}
    sharing: dict[tuple[str, str], tuple[Topology, set[str]]] = {}
    for topology, worker in workers:
        supervisor, components = worker.slot.supervisor, topology.executors()
        cores, needed, of_supervisor = 0.0, 0, generic.setdefault(supervisor, {})
        # Executors that the topology has lost have no component.
        for component in filter(None, map(components.get, worker.executors)):
            cores += component.cpu_cores
            needed += component.on_heap_bytes + component.off_heap_bytes
            for name, amount in component.generic:
                of_supervisor[name] = of_supervisor.get(name, 0.0) + amount
        if topology.shared_memory:
            names = {components[it].id for it in worker.executors if it in components}
            shared = topology.shared_by(names)
            needed += sum(it.on_heap_bytes + it.off_heap_worker_bytes for it in shared)
            sharing.setdefault((supervisor, topology.id), (topology, set()))[1].update(names)
        cpu[supervisor] = cpu.get(supervisor, 0.0) + max(cores, least_worker_cores)
        memory[supervisor] = memory.get(supervisor, 0) + needed
    for (supervisor, _), (topology, names) in sharing.items():
        memory[supervisor] += sum(it.off_heap_supervisor_bytes for it in topology.shared_by(names))
    return {it: Requests(cpu[it], memory[it], generic[it]) for it in cpu}


def shared_bytes(shared: Iterable[SharedMemory]) -> int:
    """Return the bytes of these on a supervisor with one worker."""
    return sum(
        it.on_heap_bytes + it.off_heap_worker_bytes + it.off_heap_supervisor_bytes for it in shared
    )


def memory_of(components: Iterable[Component]) -> int:
    """Return the bytes that executors of these request, each for itself."""
    return sum(it.on_heap_bytes + it.off_heap_bytes for it in components)


def heap_alone(topology: Topology, component: Component) -> int:
    """Return the on-heap bytes of a worker with one executor of a component."""
    shared = sum(it.on_heap_bytes for it in topology.shared_by({component.id}))
    return component.on_heap_bytes + shared
