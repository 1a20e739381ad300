"""Best fit by traffic: operators join the node that they exchange the most with.

Xu et al., "T-Storm: traffic-aware online scheduling in Storm", ICDCS 2014, as paper 000 describes
it: operators in descending order of incoming and outgoing traffic, each where it adds the least
inter-node traffic (section 2), so that co-location is tried in decreasing order of exchanged data
rate (section 7.2). No delays are needed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from eyewall_sidecar.heuristic.remaining_capacity import RemainingCapacity
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies.entry import require_objective
from eyewall_sidecar.policies.policy_request import PolicyRequest, forced_first
from numpy.typing import NDArray

POLICY = "xu"
TERMS = (Term.T,)


@dataclass(frozen=True, slots=True)
class BestFitByTraffic:
    """Xu's scheduler; what neither paper settles is settled as follows.

    An operator that adds as little on several nodes goes to the one with room for the most
    operators of its size, so that those it talks to can follow; then to the one listed first.
    Pinned operators come before all others. A node holds as much as its capacity says: paper 000
    does not mention T-Storm's own limits.

    Parameters
    ----------
    clock
        Returns the time in seconds.
    """

    clock: Callable[[], float] = perf_counter

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        require_objective(POLICY, objective, TERMS)
        request = PolicyRequest.now(POLICY, problem, objective, time_limit, seed, self.clock)
        arrays = ProblemArrays.of(problem)
        room = RemainingCapacity(arrays)

        def least_added(operator: int, holding: NDArray[np.bool_]) -> int:
            nodes, streams, _ = room.placed_streams(operator)
            kept = np.bincount(nodes, arrays.data_rates[streams], minlength=arrays.nodes)
            best = holding & (kept == kept[holding].max())
            return int(np.argmax(np.where(best, room.further(operator), -np.inf)))

        return request.place(room, place_by_traffic(arrays), least_added)


def place_by_traffic(arrays: ProblemArrays) -> list[int]:
    """Return operators in descending order of all they exchange with others."""
    apart = arrays.sources != arrays.targets
    traffic = sum(
        np.bincount(ends[apart], arrays.data_rates[apart], minlength=arrays.operators)
        for ends in (arrays.sources, arrays.targets)
    )
    return forced_first(arrays, np.argsort(-np.asarray(traffic), kind="stable").tolist())
