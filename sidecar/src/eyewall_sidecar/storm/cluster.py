"""Storm's nouns for where executors run: supervisors, slots, workers and the cluster's state."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eyewall_sidecar.storm.topology import Executor, Topology


@dataclass(frozen=True, slots=True)
class Supervisor:
    """Storm's daemon on a host.

    Parameters
    ----------
    id
        Storm's id of it.
    host
        storm.local.hostname: the name a host has everywhere in Eyewall.
    ports
        All worker slots that may be used.
    cpu_cores, memory_bytes
        What it offers to all topologies together.
    scheduler_meta
        supervisor.scheduler.meta of its storm.yaml (see `storm.traits`).
    """

    id: str
    host: str
    ports: tuple[int, ...]
    cpu_cores: float
    memory_bytes: float
    scheduler_meta: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """A place for one worker process."""

    supervisor: str
    port: int

    def __str__(self) -> str:
        return f"{self.supervisor}:{self.port}"


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker process: a slot and the executors in it."""

    slot: Slot
    executors: frozenset[Executor]


Assignment = tuple[Worker, ...]
"""Executor → slot, as the workers that run."""


@dataclass(frozen=True, slots=True)
class TopologyState:
    """One topology in one round.

    Parameters
    ----------
    topology
        What never changes.
    assignment
        The workers that run; empty before the first placement.
    assignment_digest
        Names the assignment. Opaque: a decision is bound to it.
    needs_scheduling
        Whether Storm would place something; also true of fewer workers than were requested.
    """

    topology: Topology
    assignment: Assignment = ()
    assignment_digest: bytes = b""
    needs_scheduling: bool = False

    def running(self) -> dict[Executor, Slot]:
        """Each executor that runs, with its slot; executors the topology lost are left out."""
        known = self.topology.executors()
        return {
            executor: worker.slot
            for worker in self.assignment
            for executor in sorted(worker.executors)
            if executor in known
        }

    def missing(self) -> tuple[Executor, ...]:
        """The executors that have no slot."""
        running: set[Executor] = set()
        for worker in self.assignment:
            running |= worker.executors
        return tuple(it for it in self.topology.executors() if it not in running)


@dataclass(frozen=True, slots=True)
class ClusterState:
    """What Nimbus knows in one round."""

    supervisors: tuple[Supervisor, ...]
    topologies: tuple[TopologyState, ...]

    def others(self, topology_id: str) -> tuple[TopologyState, ...]:
        """All topologies but this one."""
        return tuple(it for it in self.topologies if it.topology.id != topology_id)

    def assigned(self, topology_id: str, assignment: Assignment) -> "ClusterState":
        """Return the state as it is once this topology has that assignment."""
        return replace(
            self,
            topologies=tuple(
                replace(it, assignment=assignment) if it.topology.id == topology_id else it
                for it in self.topologies
            ),
        )
