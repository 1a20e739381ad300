"""The methods that answer a provisioning problem, by name, with one way to call them all."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from eyewall_sidecar.model import Solution, Status
from numpy.random import default_rng

from eyewall_papers.provisioning.exact import exact
from eyewall_papers.provisioning.heuristics import HEURISTICS, HeuristicFailure
from eyewall_papers.provisioning.infeasibility import obvious_reasons
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import ProvisionSolution, evaluate_provision
from eyewall_papers.provisioning.repair import SAME, repair

Clock = Callable[[], float]

REPAIRING_SHARE = 0.2
"""Share of the time for the exact method's start."""
UNPROVEN = (Status.FEASIBLE, Status.TIMED_OUT)


class Method(Protocol):
    """Find a cheap provision within the time limit; the same seed gives the same one."""

    def __call__(
        self, problem: ProvisioningProblem, *, time_limit: float, seed: int, clock: Clock
    ) -> ProvisionSolution:
        """Answer the problem."""
        ...


def _exactly(
    problem: ProvisioningProblem, *, time_limit: float, seed: int, clock: Clock
) -> ProvisionSolution:
    """Start from what repairing finds, and prove how good it is, or find better.

    Where a proof ends early, as its program would be too large, what is left of the time is
    repairing's.
    """
    started = clock()
    if reasons := obvious_reasons(problem):
        return ProvisionSolution(_nothing("exact", Status.INFEASIBLE, reasons))
    _, start = repair(problem, time_limit=REPAIRING_SHARE * time_limit, seed=seed, clock=clock)
    left = max(0.0, started + time_limit - clock())
    found = exact(problem, time_limit=left, seed=seed, clock=clock, start=start)
    left = started + time_limit - clock()
    if found.solution.status in UNPROVEN and left > REPAIRING_SHARE * time_limit:
        # Another seed: with the same one it would begin with what it has done before.
        again = repair(problem, time_limit=left, seed=seed + 1, clock=clock)
        found = _cheaper(found, again)
    return ProvisionSolution(replace(found.solution, seconds=clock() - started), found.provision)


def _cheaper(found: ProvisionSolution, again: ProvisionSolution) -> ProvisionSolution:
    """Return the cheaper of two results, with the bounds and reasons of the first."""
    first, best = found.provision, again.provision
    if best is None or (first is not None and first.price <= best.price):
        return found
    bound = min(best.price, max(found.solution.bound or 0.0, again.solution.bound or 0.0))
    proven = best.price <= bound * (1 + SAME)
    solution = replace(
        again.solution,
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        policy=found.solution.policy,
        bound=bound,
        gap=(best.price - bound) / max(best.price, 1e-9),
        evaluated=found.solution.evaluated + again.solution.evaluated,
        reasons=found.solution.reasons if first is not None else (),
    )
    return ProvisionSolution(solution, best)


def _heuristic(
    name: str, problem: ProvisioningProblem, *, time_limit: float, seed: int, clock: Clock
) -> ProvisionSolution:
    """Run one of the paper's seven; they take milliseconds, so none is stopped."""
    started = clock()
    del time_limit
    if reasons := obvious_reasons(problem):
        return ProvisionSolution(_nothing(name, Status.INFEASIBLE, reasons))
    found = HEURISTICS[name](problem, default_rng(seed))
    seconds = clock() - started
    if isinstance(found, HeuristicFailure):
        said = (str(found), "that this heuristic failed does not mean that no platform does")
        return ProvisionSolution(replace(_nothing(name, Status.FAILED, said), seconds=seconds))
    solution = Solution(
        Status.HEURISTIC,
        name,
        name,
        found.placement,
        evaluate_provision(problem, found),
        seconds=seconds,
    )
    return ProvisionSolution(solution, found)


def _nothing(policy: str, status: Status, reasons: tuple[str, ...]) -> Solution:
    decided_by = "checks" if status is Status.INFEASIBLE else policy
    return Solution(status, policy, decided_by, reasons=reasons)


METHODS: Mapping[str, Method] = {
    "exact": _exactly,
    "repairing": repair,
    **{name: partial(_heuristic, name) for name in HEURISTICS},
}
