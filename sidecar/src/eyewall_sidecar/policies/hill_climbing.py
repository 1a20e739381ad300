"""Hill climbing (Ecker et al., paper 002, section 4.3.1)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from eyewall_sidecar.heuristic.evaluator import put
from eyewall_sidecar.heuristic.hill_climbing import climb
from eyewall_sidecar.heuristic.initial import current_or_greedy
from eyewall_sidecar.heuristic.neighbourhoods import MOVE, MOVE_ALL, SWAP, Neighbourhood
from eyewall_sidecar.heuristic.stopping_criteria import StoppingCriterion
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.local_search import LocalSearch
from eyewall_sidecar.policies.policy_request import counted

POLICY = "hill_climbing"


@dataclass(frozen=True, slots=True)
class HillClimbing:
    """Steepest descent over move, swap and move-all, from where operators run or a greedy start.

    A step is taken only if it adds no violation and lowers violations, by how much constraints are
    broken, or the score; the search ends in a local optimum or when its time is up. With Ecker's
    score (w1 = 1e-6, w2 to w4 = 1) it is the paper's; any other objective is searched in the same
    way. That a supervisor serves one topology at most is for the caller's candidates to say. If
    the search ends with a broken constraint, it goes on from a valid placement: the greedy start,
    or any that an exact engine finds.

    Parameters
    ----------
    neighbourhoods
        Tried in this order; the best step of the first that improves is taken.
    limit
        Seconds it may take; the paper's 1 s.
    clock
        Tells the time in seconds.
    """

    neighbourhoods: Sequence[Neighbourhood] = (MOVE, SWAP, MOVE_ALL)
    limit: float = 1.0
    clock: Callable[[], float] = perf_counter

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        search = LocalSearch.begin(POLICY, problem, objective, time_limit, seed, self.clock)
        put(search.state, current_or_greedy(search.request.problem, search.arrays))
        return climbed(search, self.neighbourhoods, search.until(self.limit))


def climbed(
    search: LocalSearch, neighbourhoods: Sequence[Neighbourhood], stop: StoppingCriterion
) -> Solution:
    """Climb from the placement that the state has, and answer with where that ends."""
    first = climb(search.state, neighbourhoods, stop)
    if search.valid:
        return counted(search.answer(), first.evaluated)
    rescued = counted(search.rescued("the local optimum breaks a constraint"), first.evaluated)
    if rescued.placement is None:
        return rescued
    again = climb(search.state, neighbourhoods, stop)
    return counted(search.answer(*rescued.reasons), rescued.evaluated + again.evaluated)
