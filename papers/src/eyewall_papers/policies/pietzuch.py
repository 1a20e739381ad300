"""SBON: operators between springs in a cost space, then on the nearest nodes.

Pietzuch et al., "Network-aware operator placement for stream-processing systems", ICDE 2006, the
baseline of papers 000 (section 7.2) and 001 (section VIII), as those describe it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies.entry import require_objective
from eyewall_sidecar.policies.policy_request import PolicyRequest

from eyewall_papers.cost_space.equilibrium import SpringTurns
from eyewall_papers.policies.cost_space_placement import place_in_cost_space

POLICY = "pietzuch"
AIM = (
    "SBON minimises elastic energy EE, and by it network usage N indirectly, by distances in a "
    "cost space that estimate the delays"
)
TURNS = SpringTurns()


@dataclass(frozen=True, slots=True)
class SpringRelaxation:
    """Springs come to rest where the elastic energy is least (paper 000, equation 21).

    The same placement for EE=1 and N=1: the authors aim at N by way of EE. Operators start and are
    mapped to nodes as in `MultiOperatorPlacement`, without clusters.

    Parameters
    ----------
    turns
        How far a turn goes, and what counts as rest.
    clock
        Returns the time in seconds.
    """

    turns: SpringTurns = TURNS
    clock: Callable[[], float] = perf_counter

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        require_objective(POLICY, objective, (Term.EE, Term.N))
        request = PolicyRequest.now(POLICY, problem, objective, time_limit, seed, self.clock)
        return place_in_cost_space(request, self.turns, AIM)
