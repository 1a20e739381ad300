"""What all other topologies leave for one on each supervisor."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from math import floor

from eyewall_sidecar.storm.cluster import (
    ClusterState,
    Slot,
    Supervisor,
    Topology,
    TopologyState,
)
from eyewall_sidecar.storm.requests import Requests, SupervisorRequests, heap_alone, requests


@dataclass(frozen=True, slots=True)
class SupervisorCapacity:
    """One supervisor, as one topology may use it; a drained one has no fresh slots.

    Parameters
    ----------
    supervisor
        Where.
    fresh
        Slots that no worker holds, in the order of their ports.
    held
        Slots that the topology's own workers hold and may use otherwise.
    withdrawn
        Slots that they hold though the supervisor no longer offers them (its host is blacklisted,
        or its ports were changed): what runs there may go on exactly as it is, and nothing else.
    cpu_cores, memory_bytes, generic
        What other topologies and old workers leave, never below zero.
    shared
        Whether another topology has a worker there.
    least_worker_cores
        What each worker there requests at least.
    """

    supervisor: Supervisor
    fresh: tuple[Slot, ...]
    held: tuple[Slot, ...]
    withdrawn: tuple[Slot, ...]
    cpu_cores: float
    memory_bytes: float
    shared: bool
    generic: Mapping[str, float] = field(default_factory=dict)
    least_worker_cores: float = 0.0

    @property
    def workers(self) -> int:
        """How many workers the topology may have there: by slots and by the least they request.

        Those that it has may stay.
        """
        slots = len(self.fresh) + len(self.held)
        if not self.least_worker_cores:
            return slots
        fitting = floor(self.cpu_cores / self.least_worker_cores + 1e-9)
        return max(len(self.held), min(slots, fitting))

    @property
    def fresh_workers(self) -> int:
        """How many of them may start besides those that it has."""
        return self.workers - len(self.held)


Capacities = Mapping[str, SupervisorCapacity]
"""Supervisor id → the capacity that one topology has there."""


def supervisor_capacities(
    cluster: ClusterState,
    topology: TopologyState,
    reserved: SupervisorRequests | None = None,
    held: Set[Slot] = frozenset(),
) -> Capacities:
    """Return the capacity that the topology has on each supervisor.

    Parameters
    ----------
    reserved
        What old workers request until they have ended. It is not for what the topology itself has
        on a supervisor: that may stay.
    held
        Slots in which old workers of other topologies serve on. What is sent to a new worker there
        would reach them.
    """
    others = cluster.others(topology.topology.id)
    taken = {worker.slot for other in others for worker in other.assignment}
    shared = {slot.supervisor for slot in taken}
    own: dict[str, list[Slot]] = {}
    for slot in sorted(worker.slot for worker in topology.assignment):
        own.setdefault(slot.supervisor, []).append(slot)
    least = cluster.least_worker_cores
    used = requests(((it.topology, worker) for it in others for worker in it.assignment), least)
    staying = requests(((topology.topology, worker) for worker in topology.assignment), least)
    cpu: dict[str, float] = {}
    memory: dict[str, float] = {}
    generic: dict[str, dict[str, float]] = {}
    for it in cluster.supervisors:
        here, stays, old = (of.get(it.id, Requests()) for of in (used, staying, reserved or {}))
        cpu[it.id] = _left(it.cpu_cores, here.cpu_cores, stays.cpu_cores, old.cpu_cores)
        memory[it.id] = _left(
            it.memory_bytes, here.memory_bytes, stays.memory_bytes, old.memory_bytes
        )
        generic[it.id] = {
            name: _left(offer, *(of.generic.get(name, 0.0) for of in (here, stays, old)))
            for name, offer in it.generic
        }
    in_use = taken.union(held, *own.values())
    offered = {it.id: [] if it.drained else _slots(it) for it in cluster.supervisors}
    return {
        it.id: SupervisorCapacity(
            supervisor=it,
            fresh=tuple(slot for slot in offered[it.id] if slot not in in_use),
            held=tuple(slot for slot in own.get(it.id, ()) if slot.port in it.ports),
            withdrawn=tuple(slot for slot in own.get(it.id, ()) if slot.port not in it.ports),
            cpu_cores=max(0.0, round(cpu[it.id], 9)),
            memory_bytes=max(0.0, memory[it.id]),
            shared=it.id in shared,
            generic={name: max(0.0, left) for name, left in generic[it.id].items()},
            least_worker_cores=least,
        )
        for it in cluster.supervisors
    }


def _left(offered: float, others: float, own: float, old: float) -> float:
    """Return what others leave; what old workers request is not for new ones of the topology."""
    left = offered - others
    return max(min(left, own), left - old)


def node_names(supervisors: Iterable[Supervisor]) -> Mapping[str, str]:
    """Supervisor id → its name as a node: its host, and its id too where hosts are shared."""
    supervisors = list(supervisors)
    sharing = Counter(it.host for it in supervisors)
    return {it.id: it.host if sharing[it.host] == 1 else f"{it.host}/{it.id}" for it in supervisors}


def executors_per_slot(topology: Topology, most: int) -> int:
    """Count the executors that one slot may hold, whichever they are.

    At most EPS_max, and so few that even those with the largest heaps stay within what one
    worker may hold (topology.worker.max.heap.size.mb). 0: one executor alone, with what it shares,
    is too large. What several share depends on which they are (`worker_rules`).
    """
    if topology.one_executor_per_worker:
        most = min(most, 1)
    limit = topology.worker_max_heap_bytes
    if not limit:
        return most
    if any(heap_alone(topology, it) > limit for it in topology.components if it.executors):
        return 0
    heaps = sorted((it.on_heap_bytes for it in topology.executors().values()), reverse=True)
    held = 0
    for count, heap in enumerate(heaps[:most]):
        held += heap
        if held > limit:
            return count
    return most


def _slots(supervisor: Supervisor) -> list[Slot]:
    return [Slot(supervisor.id, port) for port in sorted(set(supervisor.ports))]
