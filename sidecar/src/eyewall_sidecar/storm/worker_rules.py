"""Which executors may share a worker: EPS_max, the worker's heap, and what a topology forbids."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from eyewall_sidecar.storm.cluster import Component, Executor, SharedMemory, Topology


@dataclass(frozen=True, slots=True)
class WorkerRules:
    """What a topology's workers may hold.

    Parameters
    ----------
    topology
        With topology.worker.max.heap.size.mb and topology.ras.*.
    most
        Executors of a worker at most (EPS_max).
    """

    topology: Topology
    most: int

    def room(self, worker: Iterable[Executor] = ()) -> "WorkerRoom":
        """Return what is left in a worker that holds these."""
        room = WorkerRoom(self)
        for it in worker:
            room.add(it)
        return room

    def admits(self, executor: Executor, worker: Collection[Executor]) -> bool:
        """Whether an executor may join these."""
        return self.room(worker).fits(executor)

    def keeps(self, worker: Collection[Executor]) -> bool:
        """Whether a worker that runs breaks none of what a topology forbids.

        Another scheduler may have filled it beyond `most`.
        """
        components = [self.topology.executors()[it] for it in worker]
        counts = Counter(it.id for it in components)
        known = {it.id: it for it in components}
        return not any(
            self.forbids(known[one], known[other]) and (one != other or counts[one] > 1)
            for one in counts
            for other in counts
        )

    @property
    def forbids_any(self) -> bool:
        """Whether the topology forbids any executors to share a worker."""
        of = self.topology
        rules = (of.one_executor_per_worker, of.one_component_per_worker)
        return any(rules) or any(it.incompatible for it in of.components)

    def apart(self, executors: Collection[Executor]) -> Mapping[Executor, int]:
        """Return executor → with how many of these it may not share a worker."""
        component_of = self.topology.executors()
        counts = Counter(component_of[it].id for it in executors)
        components = {it.id: it for it in self.topology.components}
        forbidden = {
            name: sum(
                count
                for other, count in counts.items()
                if self.forbids(components[other], components[name])
            )
            for name in counts
        }
        return {it: forbidden[component_of[it].id] for it in executors}

    def forbids(self, one: Component, other: Component) -> bool:
        """Whether executors of two components, perhaps the same, may not share a worker."""
        if self.topology.one_executor_per_worker:
            return True
        if self.topology.one_component_per_worker and one.id != other.id:
            return True
        return other.id in one.incompatible or one.id in other.incompatible


@dataclass(slots=True)
class WorkerRoom:
    """What is left in one worker, as it is filled."""

    rules: WorkerRules
    _held: dict[str, Component] = field(default_factory=dict)
    _count: int = 0
    _heap: int = 0
    _shared: set[SharedMemory] = field(default_factory=set)
    _forbidden: dict[str, bool] = field(default_factory=dict)
    """Component → whether it may not join those that are there, as far as anybody asked."""

    def add(self, executor: Executor) -> None:
        """Put an executor into it."""
        component = self.rules.topology.executors()[executor]
        self._count += 1
        self._heap += self._adds(component)
        if component.id not in self._held:
            self._held[component.id] = component
            self._shared.update(self.rules.topology.shared_by({component.id}))
            self._forbidden.clear()

    def fits(self, executor: Executor) -> bool:
        """Whether an executor may join those that are there."""
        component = self.rules.topology.executors()[executor]
        if not self._count:
            return True
        heap = self._heap + self._adds(component)
        limit = self.rules.topology.worker_max_heap_bytes
        if self._count >= self.rules.most or (limit and heap > limit):
            return False
        forbidden = self._forbidden.get(component.id)
        if forbidden is None:
            forbidden = any(self.rules.forbids(it, component) for it in self._held.values())
            self._forbidden[component.id] = forbidden
        return not forbidden

    def _adds(self, component: Component) -> int:
        """Return the heap that an executor adds, with what it shares with none that is there."""
        if not self.rules.topology.shared_memory or component.id in self._held:
            return component.on_heap_bytes
        shared = self.rules.topology.shared_by({component.id})
        return component.on_heap_bytes + sum(
            it.on_heap_bytes for it in shared if it not in self._shared
        )
