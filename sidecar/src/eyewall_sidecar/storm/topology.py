"""Storm's nouns for what is placed: topologies, their components and executors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Executor:
    """A thread of a component, named by the range of task ids it runs."""

    first_task: int
    last_task: int

    def __str__(self) -> str:
        return f"[{self.first_task}-{self.last_task}]"


class Kind(StrEnum):
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
    """

    id: str
    kind: Kind
    executors: tuple[Executor, ...]
    cpu_cores: float = 0.0
    on_heap_bytes: int = 0
    off_heap_bytes: int = 0
    inputs: tuple[Input, ...] = ()


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
    _executors: Mapping[Executor, Component] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = {executor: it for it in self.components for executor in it.executors}
        object.__setattr__(self, "_executors", found)

    def executors(self) -> Mapping[Executor, Component]:
        """Each executor with its component, in the order of components and tasks."""
        return self._executors
