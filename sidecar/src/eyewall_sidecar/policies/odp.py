"""Optimal placement: ODP of Cardellini et al. (paper 000), by whichever exact engine takes it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

from eyewall_sidecar.exact import solve
from eyewall_sidecar.exact.warm_up import load_compiled_engines
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.entry import require_terms
from eyewall_sidecar.policies.greedy import Greedy


@dataclass(frozen=True, slots=True)
class OptimalPlacement:
    """ODP (paper 000, sections 4 and 5); S-ODP where operators are executors (section 6).

    The time limit begins when compiled code is loaded.

    Parameters
    ----------
    clock
        Tells the time in seconds.
    readable
        Whether the program over PuLP, which reads as the paper's equations, solves the problem
        instead of the fastest engine that takes it.
    """

    clock: Callable[[], float] = perf_counter
    readable: bool = False

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        require_terms("odp", objective)
        if not self.readable:
            load_compiled_engines()
        found = solve(
            problem,
            objective,
            time_limit=time_limit,
            seed=seed,
            clock=self.clock,
            readable=self.readable,
        )
        return found or self._greedily(problem, objective, time_limit, seed)

    def _greedily(
        self, problem: PlacementProblem, objective: Objective, time_limit: float, seed: int
    ) -> Solution:
        """Say at once what is done instead; nothing exact would end in time."""
        found = Greedy(self.clock)(problem, objective, time_limit=time_limit, seed=seed)
        instead = (
            f"{len(problem.operators):,} operators and {len(problem.streams):,} streams on "
            f"{len(problem.nodes):,} nodes are more than exact engines take: "
            "placed greedily instead"
        )
        return replace(found, policy="odp", reasons=(instead, *found.reasons))
