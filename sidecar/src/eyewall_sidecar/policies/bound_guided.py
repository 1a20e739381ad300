"""Our heuristic: see `heuristic.bound_guided_search`."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from eyewall_sidecar.exact.first_fit import known_placements
from eyewall_sidecar.heuristic.bound_guided_search import guided, load_guided
from eyewall_sidecar.heuristic.ranges import weights_of
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.costs import weigh
from eyewall_sidecar.policies.entry import require_terms
from eyewall_sidecar.policies.load_placement import place_under_load
from eyewall_sidecar.policies.policy_request import PolicyRequest, counted

POLICY = "bound_guided"
FADING = 0.8
"""A step is expected to take this much of the longest one before it, or as long as the last."""


@dataclass(frozen=True, slots=True)
class BoundGuided:
    """Beams guided by what is still to come, pairs of hubs, then large-neighbourhood search.

    The time limit begins when compiled code is loaded. The search starts from where the operators
    run, too, and ends when the time is up, or after `steps`. The same seed, time limit
    and number of steps give the same placement.

    Parameters
    ----------
    steps
        How many placements of `guided` to look at; None for as long as there is time.
    clock
        Tells the time in seconds.
    """

    steps: int | None = None
    clock: Callable[[], float] = perf_counter

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        require_terms(POLICY, objective)
        if objective.weighs_load:
            return place_under_load(POLICY, problem, objective, time_limit, seed, self.clock)
        load_guided()
        request = PolicyRequest.now(POLICY, problem, objective, time_limit, seed, self.clock)
        arrays = ProblemArrays.of(problem)
        search = guided(
            arrays,
            weigh(arrays, weights_of(objective, request.ranges())),
            known_placements(problem),
            seconds=time_limit,
            generator=np.random.default_rng(seed),
        )
        # The answer's evaluation takes about as long as translating the problem did.
        ends_at = request.ends_at - (self.clock() - request.started)
        best, steps, longest, now = None, 0, 0.0, self.clock()
        for steps, places in enumerate(search, 1):
            best, before, now = places, now, self.clock()
            longest = max(FADING * longest, now - before)
            if steps == self.steps or now + longest >= ends_at:
                break
        if best is None:
            return request.stuck("no operator after the other found room")
        return counted(request.placed(best), steps)
