"""The beginning and the answers of policies that search from a whole placement."""

from dataclasses import dataclass, replace
from typing import Self

from eyewall_sidecar.exact.finding import Clock
from eyewall_sidecar.heuristic.evaluation_state import State, blank, terms_of
from eyewall_sidecar.heuristic.evaluator import put, violations
from eyewall_sidecar.heuristic.initial import greedy
from eyewall_sidecar.heuristic.ranges import Pricing, price
from eyewall_sidecar.heuristic.stopping_criteria import At
from eyewall_sidecar.heuristic.warm_up import load_compiled_searches
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.ecker import UTILISATION, with_headroom
from eyewall_sidecar.policies.entry import require_idle_hosts
from eyewall_sidecar.policies.policy_request import PolicyRequest

GREEDY = "greedy start"


@dataclass(frozen=True, slots=True)
class LocalSearch:
    """A request, and the state in which a policy searches for the answer.

    Parameters
    ----------
    request
        The question; with Ecker's score its nodes offer only 95 % of their CPU and memory.
    arrays, pricing
        The problem and the objective for compiled code.
    state
        Has no placement in the beginning.
    """

    request: PolicyRequest
    arrays: ProblemArrays
    pricing: Pricing
    state: State

    @classmethod
    def begin(
        cls,
        policy: str,
        problem: PlacementProblem,
        objective: Objective,
        time_limit: float,
        seed: int,
        clock: Clock,
    ) -> Self:
        """Prepare the search; the time limit, in seconds, begins when compiled code is loaded."""
        require_idle_hosts(policy, objective)
        load_compiled_searches()
        limited = with_headroom(problem) if objective.ecker else problem
        request = PolicyRequest.now(policy, limited, objective, time_limit, seed, clock)
        arrays = ProblemArrays.of(limited)
        pricing = price(arrays, objective)
        return cls(request, arrays, pricing, blank(terms_of(arrays, pricing.costs)))

    def until(self, seconds: float) -> At:
        """End a search so many seconds after the beginning, but within the time limit."""
        request = self.request
        return At(min(request.ends_at, request.started + seconds), request.clock)

    @property
    def valid(self) -> bool:
        """Whether the placement breaks no constraint."""
        return violations(self.state) == 0

    def rescued(self, why: str) -> Solution:
        """Take the greedy start if it is valid, else what an exact engine finds.

        Without one, the answer is why there is none.
        """
        put(self.state, greedy(self.arrays))
        if self.valid:
            found = self.request.placed(self.state.places)
            return replace(found, decided_by=GREEDY, reasons=(f"{why}; a greedy start does not",))
        solution = self.request.stuck(why)
        if solution.placement is not None:
            put(self.state, places_of(self.request.problem, solution.placement))
        elif self.request.objective.ecker:
            headroom = f"of CPU and memory {UTILISATION:.0%} may be used (paper 002, section 4.2)"
            solution = replace(solution, reasons=(*solution.reasons, headroom))
        return solution

    def answer(self, *reasons: str) -> Solution:
        """Answer with the placement that the state has."""
        solution = self.request.placed(self.state.places)
        return replace(solution, reasons=(*solution.reasons, *reasons))
