"""MOPA: operators at their Weber points in a cost space, then on the nearest nodes.

Rizou, Dürr, Rothermel, "Solving the multi-operator placement problem in large-scale operator
networks", ICCCN 2010 (paper 001).
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies.entry import require_objective
from eyewall_sidecar.policies.policy_request import PolicyRequest

from eyewall_papers.cost_space.equilibrium import WeberTurns
from eyewall_papers.policies.cost_space_placement import place_in_cost_space

POLICY = "rizou"
AIM = "MOPA optimises network usage N, by distances in a cost space that estimate the delays"
TURNS = WeberTurns()


@dataclass(frozen=True, slots=True)
class MultiOperatorPlacement:
    """Algorithm 1 of paper 001 for every operator until none wants to move, migrating lazily.

    Operators begin on their current nodes (a re-optimisation with every operator triggered), or
    outward from those that are pinned. One with several candidates is free in the cost space and
    mapped to the nearest of them. Execution times, availability and bandwidth play no part.

    Parameters
    ----------
    turns
        What is worth a move, and how precisely Weber points are found.
    clock
        Returns the time in seconds.
    """

    turns: WeberTurns = TURNS
    clock: Callable[[], float] = perf_counter

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        require_objective(POLICY, objective, (Term.N,))
        request = PolicyRequest.now(POLICY, problem, objective, time_limit, seed, self.clock)
        return place_in_cost_space(request, self.turns, AIM)
