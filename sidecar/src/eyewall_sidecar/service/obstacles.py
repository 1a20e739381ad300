"""What forbids an executor a host."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.heuristic.alternatives import FIRST, HERE, POSSIBLE, constraints, rejecting
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import violations
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objectives.ecker import UTILISATION, with_headroom
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.storm import SupervisorCapacity, TopologyProblem
from eyewall_sidecar.storm.traits import TraitsError, read_traits


class Obstacle(NamedTuple):
    """A constraint by its name, and why it binds."""

    constraint: str
    reason: Message


@dataclass(frozen=True, slots=True)
class Obstacles:
    """What forbids one executor each node of its problem, and each host that is not in it.

    Parameters
    ----------
    request, problem
        Of executors that all run.
    executor
        Its name in the problem.
    """

    request: PlacementRequest
    problem: TopologyProblem
    executor: str

    def of_nodes(self) -> dict[str, Obstacle | None]:
        """Return node id → what forbids it while everything else stays; None if nothing does."""
        problem = self.problem.problem
        arrays = ProblemArrays.of(with_headroom(problem) if self._ecker else problem)
        places = places_of(problem, problem.current or {})
        row = [it.id for it in problem.operators].index(self.executor)
        codes = rejecting(arrays, places)[row].tolist()
        loads = np.zeros_like(arrays.limits)
        for resource, needs in enumerate(arrays.requirements):
            np.add.at(loads[resource], places, needs)
        needed = arrays.requirements[:, row]
        return {
            it.id: self._of_node(it.id, codes[node], (loads[:, node] + needed).tolist())
            for node, it in enumerate(problem.nodes)
        }

    def of_host(self, host: str) -> Obstacle:
        """Return why a host with a supervisor is not in the problem at all."""
        capacities = [it for it in self.request.capacities.values() if it.supervisor.host == host]
        for capacity in capacities:
            try:
                read_traits(capacity.supervisor.scheduler_meta)
            except TraitsError as error:
                return Obstacle("traits", message(Code.BAD_TRAITS, error=str(error)))
        if not any(map(self._is_open, capacities)):
            return self._no_slot(capacities)
        return Obstacle("delay unknown", self._delays(host))

    @property
    def _ecker(self) -> bool:
        return self.request.settings.objective.ecker is not None

    def _of_node(self, node: str, code: int, loads: list[float]) -> Obstacle | None:
        """Return a node's obstacle; `loads` is [resource]: what is placed with the executor."""
        if code in (POSSIBLE, HERE):
            return None
        problem = self.problem.problem
        name, limits = constraints(problem)[code - FIRST], problem.node(node)
        capacity = self.request.capacities[self.problem.supervisors[node]]
        headroom = f" (Ecker's score leaves {1 - UTILISATION:.0%} free)" if self._ecker else ""
        source = "measured" if self.problem.cpu_measured else "declared"
        match name:
            case "candidates":
                return self._bound()
            case "operators" if limits.operators == 0 or not self._is_open(capacity):
                return self._no_slot([capacity])
            case "operators":
                reason = message(Code.PLACES_TAKEN, taken=loads[0] - 1, limit=limits.operators)
            case "cpu":
                reason = message(
                    Code.CPU_FULL,
                    needed=loads[1],
                    limit=limits.cpu,
                    source=source,
                    headroom=headroom,
                )
            case "memory":
                needed, limit = loads[2] / (1 << 20), limits.memory / (1 << 20)
                reason = message(Code.MEMORY_FULL, needed=needed, limit=limit, headroom=headroom)
            case "reserved":
                needed, limit = loads[3], limits.reserved
                full = {"needed": needed, "limit": limit, "source": "declared", "headroom": ""}
                reason = message(Code.CPU_FULL, **full)
            case _ if name in problem.resources:
                needed, limit = loads[problem.resources.index(name)], limits.capacity(name)
                full = {"resource": name, "needed": needed, "limit": limit}
                reason = message(Code.RESOURCE_FULL, **full)
            case _:
                broken = violations(problem, {**(problem.current or {}), self.executor: node})
                reason = message(Code.VIOLATION, violation=broken[0] if broken else name)
        return Obstacle(name, reason)

    def _bound(self) -> Obstacle:
        """Return why not every node is a candidate."""
        executors = self.request.topology.topology.executors()
        component = executors[self.problem.executors[self.executor]].id
        if pins := self.request.settings.pins.get(component):
            return Obstacle("pin", message(Code.PINNED, component=component, pins=pins))
        if self.request.topology.topology.shared_by({component}):
            return Obstacle("memory", message(Code.NO_MEMORY_TO_SHARE, component=component))
        return Obstacle("withdrawn slot", message(Code.WITHDRAWN_SLOT))

    def _is_open(self, capacity: SupervisorCapacity) -> bool:
        supervisor = capacity.supervisor
        closed = supervisor.drained or supervisor.greylisted or (self._ecker and capacity.shared)
        return capacity.workers > 0 and not closed

    def _no_slot(self, capacities: list[SupervisorCapacity]) -> Obstacle:
        if self._ecker and any(it.shared for it in capacities):
            return Obstacle("closed", message(Code.CLOSED))
        if drained := [it.supervisor.host for it in capacities if it.supervisor.drained]:
            return Obstacle("drained", message(Code.DRAINED, host=drained[0]))
        if any(it.supervisor.greylisted for it in capacities):
            return Obstacle("greylisted", message(Code.GREYLISTED))
        if any(it.fresh for it in capacities) and not any(it.workers for it in capacities):
            least = max(it.least_worker_cores for it in capacities)
            return Obstacle("cpu", message(Code.NO_CPU_FOR_A_WORKER, least=least))
        if slots := sum(len(it.supervisor.ports) for it in capacities):
            return Obstacle("slots", message(Code.SLOTS_TAKEN, slots=slots))
        return Obstacle("blacklisted", message(Code.BLACKLISTED))

    def _delays(self, host: str) -> Message:
        known = self.problem.known
        if doubt := known.doubt_about(host):
            return message(Code.DELAY_DOUBTED, doubt=doubt)
        between = self.request.observation.delays.seconds_between
        unknown = [
            it for it in known.hosts if between(host, it) is None or between(it, host) is None
        ]
        if unknown:
            return message(Code.DELAYS_UNKNOWN, hosts=unknown)
        return message(Code.SOME_DELAY_UNKNOWN)
