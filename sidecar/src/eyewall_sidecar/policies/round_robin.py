"""One operator after the other on one node after the other, as Storm's EvenScheduler does it.

Apache Storm 2.8, `EvenScheduler`: supervisors in descending order of free slots, one slot of each
in turn, and executors in the order of their tasks over those slots.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.heuristic.remaining_capacity import RemainingCapacity
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.generic_resources import RESOURCES
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.ecker import with_headroom
from eyewall_sidecar.policies.policy_request import PolicyRequest, forced_first

POLICY = "round_robin"


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Even spreading. The objective is not looked at; it is only what the answer reports.

    A problem has no slots: room for one operator is taken as a slot, so that nodes with room for
    more come first and stay in turn longer. A node that may not hold an operator is passed over;
    the next turn goes on after the node that was taken. Pinned operators, which Storm does not
    have, come before all others. `current` is not looked at.

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
        limited = with_headroom(problem) if objective.ecker else problem
        request = PolicyRequest.now(POLICY, limited, objective, time_limit, seed, self.clock)
        arrays = ProblemArrays.of(limited)
        turns = by_slots(arrays)
        next_turn = 0

        def next_in_turn(_: int, holding: NDArray[np.bool_]) -> int:
            nonlocal next_turn
            waiting = np.roll(turns, -next_turn)
            passed_over = int(np.argmax(holding[waiting]))
            next_turn = (next_turn + passed_over + 1) % len(turns)
            return int(waiting[passed_over])

        order = forced_first(arrays, range(arrays.operators))
        return request.place(RemainingCapacity(arrays), order, next_in_turn)


def by_slots(arrays: ProblemArrays) -> NDArray[np.int64]:
    """Return nodes in descending order of the operators they may hold, then as listed."""
    slots = arrays.limits[RESOURCES.index("operators")]
    return np.argsort(-slots, kind="stable")
