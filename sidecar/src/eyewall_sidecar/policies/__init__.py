"""Ways to place operators: one policy a file, one way to call them all."""

from typing import Protocol

from eyewall_papers.policies.pietzuch import SpringRelaxation
from eyewall_papers.policies.rizou import MultiOperatorPlacement
from eyewall_papers.policies.xu import BestFitByTraffic

from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.ant_system import AntSystem
from eyewall_sidecar.policies.bound_guided import BoundGuided
from eyewall_sidecar.policies.greedy import Greedy
from eyewall_sidecar.policies.hill_climbing import HillClimbing
from eyewall_sidecar.policies.hybrid import Hybrid
from eyewall_sidecar.policies.odp import OptimalPlacement
from eyewall_sidecar.policies.ras import ResourceAware
from eyewall_sidecar.policies.round_robin import RoundRobin


class Policy(Protocol):
    """Place the problem's operators so that the objective is as good as the time limit allows.

    The same problem, objective and seed give the same placement, unless the time limit cuts in.
    No placement is an answer too: `Solution.reasons` says why. An objective that the method was
    not made for is an `ObjectiveError`.
    """

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        """Place the operators."""
        ...


POLICIES: dict[str, Policy] = {
    "odp": OptimalPlacement(),
    "hill_climbing": HillClimbing(),
    "ant_system": AntSystem(),
    "hybrid": Hybrid(),
    "rizou": MultiOperatorPlacement(),
    "pietzuch": SpringRelaxation(),
    "bound_guided": BoundGuided(),
    "xu": BestFitByTraffic(),
    "greedy": Greedy(),
    "round_robin": RoundRobin(),
    "ras": ResourceAware(),
}
