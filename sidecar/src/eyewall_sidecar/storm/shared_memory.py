"""Memory that executors share, as limits of a placement problem.

A problem's operators need what they need, wherever the others are. Where executors that share
memory may go, what they share is kept free; where it has no room they may not go.
"""

from collections.abc import Sequence, Set

from eyewall_sidecar.storm.capacity import SupervisorCapacity
from eyewall_sidecar.storm.cluster import Component, Topology
from eyewall_sidecar.storm.requests import memory_of, shared_bytes


def with_room(
    topology: Topology,
    component: Component,
    capacities: Sequence[SupervisorCapacity],
    running: str | None,
) -> Sequence[SupervisorCapacity]:
    """Return the supervisors with memory for one executor and all that it shares.

    And the one on which it runs. All of them if none has that memory: it is then refused with the
    numbers, once workers are known.
    """
    roomy = [
        it for it in capacities if it.supervisor.id == running or _has_room(topology, component, it)
    ]
    return roomy or capacities


def kept_free(topology: Topology, capacity: SupervisorCapacity, elsewhere: Set[str]) -> int:
    """Return the bytes that a worker on a supervisor may share.

    Parameters
    ----------
    elsewhere
        Components that may not go there.
    """
    if not topology.shared_memory:
        return 0
    present = {
        it.id
        for it in topology.components
        if it.executors and it.id not in elsewhere and _has_room(topology, it, capacity)
    }
    return shared_bytes(topology.shared_by(present))


def _has_room(topology: Topology, component: Component, capacity: SupervisorCapacity) -> bool:
    shared = shared_bytes(topology.shared_by({component.id}))
    return memory_of([component]) + shared <= capacity.memory_bytes
