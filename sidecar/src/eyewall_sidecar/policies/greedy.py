"""One pass: every operator goes where it costs the least, given those that are placed already."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.heuristic.ranges import price
from eyewall_sidecar.heuristic.remaining_capacity import NOWHERE, RemainingCapacity
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.costs import Costs
from eyewall_sidecar.objectives.ecker import EckerCosts, with_headroom
from eyewall_sidecar.policies.entry import require_idle_hosts
from eyewall_sidecar.policies.policy_request import PolicyRequest, forced_first

POLICY = "greedy"


@dataclass(frozen=True, slots=True)
class Greedy:
    """The cheapest node for one operator after the other, from sources to sinks.

    Pinned operators come first. What an operator costs on a node: the part of the response time
    along the longest path through it (`Paths`), its unavailability, and its streams from and to
    operators that are placed; with Ecker's score (paper 002, section 4.2) also that the node is in
    use. Among equals, the node listed first.

    Parameters
    ----------
    clock
        Tells the time in seconds.
    """

    clock: Callable[[], float] = perf_counter

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        require_idle_hosts(POLICY, objective)
        limited = with_headroom(problem) if objective.ecker else problem
        request = PolicyRequest.now(POLICY, limited, objective, time_limit, seed, self.clock)
        arrays = ProblemArrays.of(limited)
        costs, per_node = priced(arrays, objective)
        room = RemainingCapacity(arrays)
        paths = Paths(without_work(arrays) if objective.ecker else arrays)

        def cheapest(operator: int, holding: NDArray[np.bool_]) -> int:
            total = added(room, costs, operator) + per_node * (room.loads[0] == 0)
            if costs.response:
                total += costs.response * paths.through(operator, room)
            node = int(np.argmin(np.where(holding, total, np.inf)))
            # Where availability 0 leaves nothing finite, what has room must do.
            node = node if holding[node] else int(np.argmax(holding))
            paths.settle(operator, node, room)
            return node

        order = forced_first(arrays, paths.order)
        return request.place(room, order, cheapest)


def priced(arrays: ProblemArrays, objective: Objective) -> tuple[Costs, float]:
    """Return an objective's costs, and what each node in use costs beside them."""
    found = price(arrays, objective).costs
    return (found.costs, found.per_node) if isinstance(found, EckerCosts) else (found, 0.0)


def without_work(arrays: ProblemArrays) -> ProblemArrays:
    """Return the problem as Ecker's latency sees it: operators take no time."""
    return replace(arrays, execution_times=np.zeros_like(arrays.execution_times))


def added(room: RemainingCapacity, costs: Costs, operator: int) -> Floats:
    """Return [node]: what the operator adds to those placed, response time aside."""
    nodes, streams, outward = room.placed_streams(operator)
    rates = costs.data_rates[streams]
    there, back = nodes[outward], nodes[~outward]
    return np.asarray(
        costs.per_operator
        + costs.per_rate[:, there] @ rates[outward]
        + rates[~outward] @ costs.per_rate[back]
        + costs.per_stream[:, there].sum(axis=1)
        + costs.per_stream[back].sum(axis=0),
        dtype=np.float64,
    )


class Paths:
    """The longest paths while operators are placed; who is not placed is on its fastest candidate.

    What is not placed has no delays to its neighbours either: each path is counted at its least.
    """

    def __init__(self, arrays: ProblemArrays) -> None:
        """Take every operator as not placed."""
        count = arrays.operators
        fastest = np.where(arrays.allowed, arrays.speedups, -np.inf).max(axis=1)
        self._work = arrays.execution_times / fastest
        self._arrays = arrays
        self._before: list[list[int]] = [[] for _ in range(count)]
        self._after: list[list[int]] = [[] for _ in range(count)]
        for source, target in zip(
            arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True
        ):
            self._before[target].append(source)
            self._after[source].append(target)
        on_paths = arrays.path_order.tolist()
        self._on_paths = set(on_paths)
        self.order = on_paths + [it for it in range(count) if it not in self._on_paths]
        self._done = np.zeros(count)
        """[operator]: seconds from a source until it is done."""
        self._ahead = np.zeros(count)
        """[operator]: seconds from its start until a sink is done."""
        for operator in on_paths:
            start = max((self._done[it] for it in self._before[operator]), default=0.0)
            self._done[operator] = start + self._work[operator]
        for operator in reversed(on_paths):
            rest = max((self._ahead[it] for it in self._after[operator]), default=0.0)
            self._ahead[operator] = rest + self._work[operator]

    def through(self, operator: int, room: RemainingCapacity) -> Floats:
        """Return [node]: seconds of the longest path through the operator on this node, if any."""
        if operator not in self._on_paths:
            return np.zeros(self._arrays.nodes)
        return self._start(operator, room) + self._works(operator) + self._rest(operator, room)

    def settle(self, operator: int, node: int, room: RemainingCapacity) -> None:
        """Remember where it goes; call it before the operator is put there."""
        work = self._works(operator)[node]
        self._done[operator] = self._start(operator, room)[node] + work
        self._ahead[operator] = self._rest(operator, room)[node] + work

    def _works(self, operator: int) -> Floats:
        return np.asarray(self._arrays.execution_times[operator] / self._arrays.speedups)

    def _start(self, operator: int, room: RemainingCapacity) -> Floats:
        start = np.zeros(self._arrays.nodes)
        for other in self._before[operator]:
            node = room.places[other]
            hop = 0.0 if node == NOWHERE else self._arrays.delays[node]
            start = np.maximum(start, self._done[other] + hop)
        return start

    def _rest(self, operator: int, room: RemainingCapacity) -> Floats:
        rest = np.zeros(self._arrays.nodes)
        for other in self._after[operator]:
            node = room.places[other]
            hop = 0.0 if node == NOWHERE else self._arrays.delays[:, node]
            rest = np.maximum(rest, self._ahead[other] + hop)
        return rest
