"""Storm's nouns: topologies and executors, supervisors and slots, and the cluster's state."""

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

MESSAGE_TIMEOUT = 30.0
"""topology.message.timeout.secs in seconds, unless a topology or storm.yaml sets it."""

ISOLATING_STRATEGY = (
    "org.apache.storm.scheduler.resource.strategies.scheduling.RoundRobinResourceAwareStrategy"
)
"""Of Storm's: it places a topology on supervisors without others (topology.isolate.machines)."""


@dataclass(frozen=True, slots=True, order=True)
class Executor:
    """A thread of a component, named by the range of task ids it runs."""

    first_task: int
    last_task: int

    def __str__(self) -> str:
        return f"[{self.first_task}-{self.last_task}]"


class ComponentKind(StrEnum):
    """What a component is."""

    SPOUT = "spout"
    BOLT = "bolt"
    SYSTEM = "system"
    """Storm's own: ackers, metrics consumers, event loggers."""


class Grouping(StrEnum):
    """How a stream's tuples are spread over the executors that receive it."""

    SHUFFLE = "shuffle"
    FIELDS = "fields"
    PARTIAL_KEY = "partial_key"
    ALL = "all"
    GLOBAL = "global"
    LOCAL_OR_SHUFFLE = "local_or_shuffle"
    DIRECT = "direct"
    CUSTOM = "custom"
    NONE = "none"
    """At random to all, wherever they are."""


@dataclass(frozen=True, slots=True)
class Input:
    """A stream that a component subscribes to."""

    source: str
    stream: str
    grouping: Grouping


@dataclass(frozen=True, slots=True)
class Component:
    """A spout, a bolt or one of Storm's own; its executors are interchangeable.

    Parameters
    ----------
    id, kind
        Its name in the topology, and what it is.
    executors
        In the order of their tasks.
    cpu_cores, on_heap_bytes, off_heap_bytes
        What one executor requests.
    inputs
        The streams it subscribes to.
    generic
        What one executor requests of generic resources.
    most_on_supervisor
        How many of its executors a supervisor may hold; 0 means any number.
    incompatible
        Components whose executors may not share a worker with its own; perhaps itself.
    """

    id: str
    kind: ComponentKind
    executors: tuple[Executor, ...]
    cpu_cores: float = 0.0
    on_heap_bytes: int = 0
    off_heap_bytes: int = 0
    inputs: tuple[Input, ...] = ()
    generic: tuple[tuple[str, float], ...] = ()
    most_on_supervisor: int = 0
    incompatible: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Memory that executors of some components share.

    Parameters
    ----------
    name, components
        As the topology calls it, and those that declare it.
    on_heap_bytes, off_heap_worker_bytes
        Of each worker that holds executors of any of them, once.
    off_heap_supervisor_bytes
        Of each supervisor that does, once.
    """

    name: str
    components: frozenset[str]
    on_heap_bytes: int = 0
    off_heap_worker_bytes: int = 0
    off_heap_supervisor_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Topology:
    """What never changes while a topology lives.

    Parameters
    ----------
    id, name
        Storm's id ("count-3-1790000000") and the name it was submitted with.
    components
        Storm's own included.
    requested_workers
        topology.workers: a wish, as under the resource-aware scheduler.
    worker_max_heap_bytes
        On-heap memory that one worker may hold; 0 means no limit.
    settings
        The topology's own `eyewall.*` settings, each value as JSON text.
    message_timeout
        topology.message.timeout.secs: when a spout takes a tuple for lost.
    load_aware
        Whether its shuffles prefer tasks nearby: unless `topology.disable.loadaware.messaging` is
        set.
    one_executor_per_worker, one_component_per_worker
        Whether a worker may hold no second executor, or none of another component.
    shared_memory
        What its executors share beyond what each of them requests.
    strategy
        topology.scheduler.strategy: the class by which Storm's scheduler places it.
    refused
        Why nothing can be decided about it: its definition makes no sense. Empty if it does.
    """

    id: str
    name: str
    components: tuple[Component, ...]
    requested_workers: int = 1
    worker_max_heap_bytes: int = 0
    settings: Mapping[str, str] | None = None
    refused: str = ""
    message_timeout: float = MESSAGE_TIMEOUT
    load_aware: bool = True
    one_executor_per_worker: bool = False
    one_component_per_worker: bool = False
    shared_memory: tuple[SharedMemory, ...] = ()
    strategy: str = ""
    _executors: Mapping[Executor, Component] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = {executor: it for it in self.components for executor in it.executors}
        object.__setattr__(self, "_executors", found)

    def executors(self) -> Mapping[Executor, Component]:
        """Each executor with its component, in the order of components and tasks."""
        return self._executors

    @property
    def workers_are_mixed(self) -> bool:
        """Whether a worker may hold executors of several components."""
        return not (self.one_executor_per_worker or self.one_component_per_worker)

    @property
    def isolated(self) -> bool:
        """Whether its strategy keeps supervisors for it alone, which only that strategy knows."""
        return self.strategy == ISOLATING_STRATEGY

    def shared_by(self, components: Set[str]) -> tuple[SharedMemory, ...]:
        """Return the memory that any of these components share, with each other or with others."""
        if not self.shared_memory:
            return ()
        return tuple(it for it in self.shared_memory if not it.components.isdisjoint(components))


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
    drained
        Whether operators want it empty: nothing new is placed there, and what runs there leaves.
    greylisted
        Whether Storm released it from its blacklist as slots were short: what runs there stays, and
        something is placed there where the others have no room.
    generic
        What it offers of generic resources to all topologies together.
    """

    id: str
    host: str
    ports: tuple[int, ...]
    cpu_cores: float
    memory_bytes: float
    scheduler_meta: Mapping[str, str] = field(default_factory=dict)
    drained: bool = False
    greylisted: bool = False
    generic: tuple[tuple[str, float], ...] = ()


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
    refusal
        Why the shim did not apply the last decision; empty if it did.
    """

    topology: Topology
    assignment: Assignment = ()
    assignment_digest: bytes = b""
    needs_scheduling: bool = False
    refusal: str = field(default="", compare=False)

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
    """What Nimbus knows in one round.

    Parameters
    ----------
    least_worker_cores
        What each worker requests at least: storm.worker.min.cpu.pcore.percent.
    left_out
        Supervisors that are not used as what is said of them makes no sense: which, and why.
    """

    supervisors: tuple[Supervisor, ...]
    topologies: tuple[TopologyState, ...]
    least_worker_cores: float = 0.0
    left_out: tuple[str, ...] = ()

    def others(self, topology_id: str) -> tuple[TopologyState, ...]:
        """All topologies but this one."""
        return tuple(it for it in self.topologies if it.topology.id != topology_id)

    def with_drained(self, hosts: Collection[str]) -> "ClusterState":
        """Return the state with the supervisors of these hosts drained."""
        if not hosts:
            return self
        supervisors = (
            replace(it, drained=True) if it.host in hosts else it for it in self.supervisors
        )
        return replace(self, supervisors=tuple(supervisors))

    def assigned(self, topology_id: str, assignment: Assignment) -> "ClusterState":
        """Return the state as it is once this topology has that assignment."""
        return replace(
            self,
            topologies=tuple(
                replace(it, assignment=assignment) if it.topology.id == topology_id else it
                for it in self.topologies
            ),
        )
