"""Optimal placement: ODP of Cardellini et al. (paper 000), by whichever exact engine takes it."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.odp import solve
from eyewall_sidecar.policies.allowing import require_terms


@dataclass(frozen=True, slots=True)
class OptimalPlacement:
    """ODP (paper 000, sections 4 and 5); S-ODP where operators are executors (section 6).

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
        require_terms("odp", objective)
        return solve(problem, objective, time_limit=time_limit, seed=seed, clock=self.clock)
