"""The methods that answer a provisioning problem, by name, with one way to call them all."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from numpy.random import default_rng

from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.provisioning.exact import exact, taken
from eyewall_sidecar.provisioning.found import Found
from eyewall_sidecar.provisioning.heuristics import HEURISTICS, Failure
from eyewall_sidecar.provisioning.infeasibility import obvious_reasons
from eyewall_sidecar.provisioning.problem import ProvisioningProblem
from eyewall_sidecar.provisioning.repairing import repairing
from eyewall_sidecar.provisioning.valuation import valued

Clock = Callable[[], float]

REPAIRING_SHARE = 0.2
"""Of the time, what the exact method's start may take."""

TOO_LARGE = "too large for a proof: repairing was asked alone"


class Method(Protocol):
    """Find a cheap provision within the time limit; the same seed gives the same one."""

    def __call__(
        self, problem: ProvisioningProblem, *, time_limit: float, seed: int, clock: Clock
    ) -> Found:
        """Answer the problem."""
        ...


def _exactly(problem: ProvisioningProblem, *, time_limit: float, seed: int, clock: Clock) -> Found:
    """Start from what repairing finds, and prove how good it is, or find better.

    What no exact engine takes is repairing's alone.
    """
    started = clock()
    if reasons := obvious_reasons(problem):
        return Found(_nothing("exact", Status.INFEASIBLE, reasons))
    if not taken(problem, time_limit):
        solution, provision = repairing(problem, time_limit=time_limit, seed=seed, clock=clock)
        reasons = (*solution.reasons, TOO_LARGE)
        return Found(replace(solution, policy="exact", reasons=reasons), provision)
    _, start = repairing(problem, time_limit=REPAIRING_SHARE * time_limit, seed=seed, clock=clock)
    left = max(0.0, started + time_limit - clock())
    solution, provision = exact(problem, time_limit=left, seed=seed, clock=clock, start=start)
    return Found(replace(solution, seconds=clock() - started), provision)


def _heuristic(
    name: str, problem: ProvisioningProblem, *, time_limit: float, seed: int, clock: Clock
) -> Found:
    """Run one of the paper's seven; they take milliseconds, so none is stopped."""
    started = clock()
    del time_limit
    if reasons := obvious_reasons(problem):
        return Found(_nothing(name, Status.INFEASIBLE, reasons))
    found = HEURISTICS[name](problem, default_rng(seed))
    seconds = clock() - started
    if isinstance(found, Failure):
        said = (str(found), "that this heuristic failed does not mean that no platform does")
        return Found(replace(_nothing(name, Status.FAILED, said), seconds=seconds))
    solution = Solution(
        Status.HEURISTIC, name, name, found.placement, valued(problem, found), seconds=seconds
    )
    return Found(solution, found)


def _nothing(policy: str, status: Status, reasons: tuple[str, ...]) -> Solution:
    decided_by = "checks" if status is Status.INFEASIBLE else policy
    return Solution(status, policy, decided_by, reasons=reasons)


METHODS: Mapping[str, Method] = {
    "exact": _exactly,
    "repairing": repairing,
    **{name: partial(_heuristic, name) for name in HEURISTICS},
}
