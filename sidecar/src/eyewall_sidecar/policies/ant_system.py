"""The ant system (Ecker et al., paper 002, section 4.3.2)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from numpy.random import default_rng

from eyewall_sidecar.heuristic.ant_colony import Colony
from eyewall_sidecar.heuristic.evaluator import put
from eyewall_sidecar.heuristic.initial import current_places
from eyewall_sidecar.heuristic.stopping_criteria import After, Either
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.local_search import LocalSearch
from eyewall_sidecar.policies.policy_request import counted

POLICY = "ant_system"


@dataclass(frozen=True, slots=True)
class AntSystem:
    """Random placements that follow the pheromone of good ones.

    With Ecker's score (w1 = 1e-6, w2 to w4 = 1) it is the paper's; any other objective is scaled
    to [0, 1] by its best and worst cases first. Each violation adds 10,000 to an ant's score. That
    a supervisor serves one topology at most is for the caller's candidates to say. If no ant's
    placement is valid, the answer is the greedy start, or any that an exact engine finds.

    Parameters
    ----------
    colony
        The ants' constants; the paper gives none, these are tuned.
    rounds
        Ends the search after so many rounds, or after so many that found nothing better. Tuned: on
        8 problems of 20 and 40 operators and 20 nodes, 100 idle rounds left the hybrid 12 % above
        the best known R, 300 left 3 %, and 1000 left 4 % at three times the cost.
    limit
        Seconds it may take; the paper's 1 s.
    clock
        Tells the time in seconds.
    """

    colony: Colony = field(default_factory=Colony)
    rounds: After = field(default_factory=lambda: After(steps=5000, idle=300))
    limit: float = 1.0
    clock: Callable[[], float] = perf_counter

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        search = LocalSearch.begin(POLICY, problem, objective, time_limit, seed, self.clock)
        ants = self.explore(search, self.limit)
        valid = search.valid
        found = search.answer() if valid else search.rescued("every ant broke a constraint")
        return counted(found, ants)

    def explore(self, search: LocalSearch, seconds: float) -> int:
        """Leave the best placement that an ant finds within these seconds in the state.

        Returns
        -------
        How many ants went.
        """
        found = self.colony.search(
            search.state,
            search.pricing,
            current_places(search.request.problem),
            default_rng(search.request.seed),
            Either(search.until(seconds), self.rounds),
        )
        put(search.state, found.places)
        return found.ants
