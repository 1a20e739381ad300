"""The hybrid heuristic (Ecker et al., paper 002, section 4.3.3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from eyewall_sidecar.heuristic.neighbourhoods import MOVE, MOVE_ALL, SWAP, Neighbourhood
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.ant_system import AntSystem
from eyewall_sidecar.policies.hill_climbing import climbed
from eyewall_sidecar.policies.local_search import LocalSearch
from eyewall_sidecar.policies.policy_request import counted

POLICY = "hybrid"


@dataclass(frozen=True, slots=True)
class Hybrid:
    """The ant system for half of the time, then hill climbing from its best placement.

    What holds for `AntSystem` and `HillClimbing` holds here.

    Parameters
    ----------
    ants
        Explores first; of its limits, the rounds count.
    neighbourhoods
        What hill climbing tries, in this order.
    limit
        Seconds that both may take together; the paper's 1 s. Ants get half of it at most, and hill
        climbing what they leave.
    clock
        Tells the time in seconds.
    """

    ants: AntSystem = field(default_factory=AntSystem)
    neighbourhoods: Sequence[Neighbourhood] = (MOVE, SWAP, MOVE_ALL)
    limit: float = 1.0
    clock: Callable[[], float] = perf_counter

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        search = LocalSearch.begin(POLICY, problem, objective, time_limit, seed, self.clock)
        ants = self.ants.explore(search, min(self.limit, time_limit) / 2)
        return counted(climbed(search, self.neighbourhoods, search.until(self.limit)), ants)
