"""The order of executors and nodes of Storm's Resource Aware Scheduler, as a baseline.

Apache Storm 2.8, `DefaultResourceAwareStrategy` and `GenericResourceAwareStrategy`, which are the
same there: `BaseResourceAwareStrategy` with `ExecSorterByConnectionCount` and
`NodeSorterHostProximity`. It packs executors by free resources; delays and rates it does not know.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.heuristic.components import NO_COMPONENT, by_connections
from eyewall_sidecar.heuristic.remaining_capacity import RemainingCapacity
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.generic_resources import RESOURCES
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.ecker import with_headroom
from eyewall_sidecar.policies.policy_request import PolicyRequest, counted

POLICY = "ras"
RESERVED = RESOURCES.index("reserved")


@dataclass(frozen=True, slots=True)
class ResourceAware:
    """RAS. The objective is not looked at; it is only what the answer reports.

    What a problem lacks: racks (all nodes are in one), slots and hosts (a node is a host with one
    slot as large as the node), components (`heuristic.components`). Room for operators counts as a
    third resource besides cpu and memory. `current` is not looked at: all executors are placed, as
    for a topology that is submitted. The first executor on a node brings an acker along; the other
    ackers come last.

    Parameters
    ----------
    retries
        How often it takes an executor back before it gives up. Storm's own limit is of states
        (topology.ras.constraint.max.state.search), the first try of each executor included.
    clock
        Tells the time in seconds.
    ackers_per_worker
        topology.ras.acker.executors.per.worker, 0 or 1.
    """

    retries: int = 10_000
    clock: Callable[[], float] = perf_counter
    ackers_per_worker: int = 1

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        limited = with_headroom(problem) if objective.ecker else problem
        request = PolicyRequest.now(POLICY, limited, objective, time_limit, seed, self.clock)
        room = RemainingCapacity(ProblemArrays.of(limited))
        ackers = _ackers(room.arrays)
        executors = _ackers_last(by_connections(room.arrays), ackers)
        bound = _BoundAckers(room, ackers if self.ackers_per_worker else ())
        tried = [0] * len(executors)
        taken_back, put, at = 0, 0, 0
        nodes = in_order(room)
        while at < len(executors):
            if self.clock() >= request.ends_at:
                return counted(request.late(), put)
            executor, component = executors[at]
            if bound.holds(executor):
                at += 1
                continue
            # As Storm 2.8 does, whose `isExecCompDifferentFromPrior` is true where it is the same.
            if at and component == executors[at - 1][1]:
                nodes = in_order(room)
            fitting = nodes[room.holding(executor)[nodes]]
            if tried[at] < len(fitting):
                room.put(executor, int(fitting[tried[at]]))
                bound.bring_along(executor)
                tried[at] += 1
                put += 1
                at += 1
                continue
            tried[at] = 0
            at -= 1
            while at >= 0 and bound.holds(executors[at][0]):
                at -= 1
            taken_back += 1
            if at < 0 or taken_back > self.retries:
                return counted(request.no_room_for(executor), put)
            bound.take_back(executors[at][0])
            room.take_back(executors[at][0])
            nodes = in_order(room)
        return counted(request.placed(room.places), put)


class _BoundAckers:
    """Ackers that were placed with the first executor of their node, as Storm's are of a worker.

    `SchedulingSearcherState.getNumOfAckersToBind`: where the acker that is next finds no room, it
    is tried with each further executor there.
    """

    def __init__(self, room: RemainingCapacity, ackers: Sequence[int]) -> None:
        """Begin with all of them waiting."""
        self._room = room
        self._ackers = frozenset(ackers)
        self._waiting = deque(ackers)
        self._brought: dict[int, int] = {}
        self._bound: set[int] = set()
        self._nodes: set[int] = set()

    def holds(self, executor: int) -> bool:
        """Whether it is an acker that another executor brought along."""
        return executor in self._bound

    def bring_along(self, executor: int) -> None:
        """Place an acker with an executor whose node has none yet."""
        node = int(self._room.places[executor])
        if executor in self._ackers or not self._waiting or node in self._nodes:
            return
        acker = self._waiting[0]
        if self._room.holding(acker)[node]:
            self._room.put(self._waiting.popleft(), node)
            self._brought[executor] = acker
            self._bound.add(acker)
            self._nodes.add(node)

    def take_back(self, executor: int) -> None:
        """Undo `bring_along`; the latest first, so that ackers keep their order."""
        acker = self._brought.pop(executor, None)
        if acker is not None:
            self._bound.remove(acker)
            self._nodes.remove(int(self._room.places[acker]))
            self._room.take_back(acker)
            self._waiting.appendleft(acker)


def _ackers(arrays: ProblemArrays) -> list[int]:
    """Return the operators off all paths that system streams reach and leave.

    None leaves a metrics consumer or an event logger.
    """
    on_paths = set(arrays.path_order.tolist())
    if not on_paths:
        return []
    reached, left = (set(ends[arrays.system].tolist()) for ends in (arrays.targets, arrays.sources))
    return sorted((reached & left) - on_paths)


def _ackers_last(
    executors: Sequence[tuple[int, int]], ackers: Sequence[int]
) -> list[tuple[int, int]]:
    known = frozenset(ackers)
    others = [it for it in executors if it[0] not in known]
    return [*others, *((it, NO_COMPONENT) for it in ackers)]


def in_order(room: RemainingCapacity) -> NDArray[np.int64]:
    """Return nodes as `NodeSorterHostProximity` sorts them.

    First those that hold most of the topology already, then by the mean and by the least share of
    what is free in all: scarce resources push a node back. The last resort is the order as listed.
    """
    shares = free_shares(room)
    held = room.loads[0]
    return np.lexsort((-shares.min(axis=0), -shares.mean(axis=0), -held))


def free_shares(room: RemainingCapacity) -> Floats:
    """Return [resource, node]: what is free on the node as a share of what is free on all.

    A resource of which nothing is free says nothing. Where nodes offer it without limit, they
    share it and the others have none of it.
    """
    free = np.maximum(room.arrays.limits - room.loads, 0.0)
    endless = np.isinf(free)
    free = np.where(endless.any(axis=1, keepdims=True), endless.astype(np.float64), free)
    total = free.sum(axis=1, keepdims=True)
    said = total[:, 0] > 0
    # Where nothing is set aside, cores to set aside are no resource at all.
    said[RESERVED] &= bool(np.isfinite(room.arrays.limits[RESERVED]).any())
    return free[said] / total[said] if said.any() else np.ones((1, room.arrays.nodes))
