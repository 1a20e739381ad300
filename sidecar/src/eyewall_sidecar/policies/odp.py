"""Optimal placement: ODP of Cardellini et al. (paper 000), by whichever exact engine takes it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

import numpy as np

from eyewall_sidecar.exact import solve
from eyewall_sidecar.exact.first_fit import known_placements
from eyewall_sidecar.exact.warm_up import load_compiled_engines
from eyewall_sidecar.heuristic.bound_guided_search import guided, load_guided
from eyewall_sidecar.model import PlacementProblem, Solution, Status
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.costs import Costs
from eyewall_sidecar.policies.entry import require_terms
from eyewall_sidecar.policies.greedy import Greedy
from eyewall_sidecar.policies.load_placement import place_under_load

IDLE_HOSTS = "hosts are idle in the objective: the optimum of L=1 may be another placement"


def load_odp() -> None:
    """Load the engines, and the search that runs beside them."""
    load_compiled_engines()
    load_guided()


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
        if objective.weighs_load:
            return place_under_load("odp", problem, objective, time_limit, seed, self.clock)
        if not self.readable:
            load_odp()
        found = solve(
            problem,
            objective,
            time_limit=time_limit,
            seed=seed,
            clock=self.clock,
            readable=self.readable,
            heuristic=None if self.readable else partial(_guided, problem, seed),
        )
        if found is None:
            return self._greedily(problem, objective, time_limit, seed)
        if found.status is not Status.OPTIMAL:
            return found
        return replace(found, reasons=(*found.reasons, IDLE_HOSTS))

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


def _guided(
    problem: PlacementProblem, seed: int, arrays: ProblemArrays, costs: Costs, seconds: float
) -> Iterator[Places]:
    """Search as `bound_guided` does, while exact engines search."""
    starts = known_placements(problem)
    return guided(arrays, costs, starts, seconds=seconds, generator=np.random.default_rng(seed))
