"""How long policies take on paper 002's test bed, and what score their placements have."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median
from time import perf_counter
from typing import Self

from eyewall_sidecar.model import Placement, PlacementProblem, violations
from eyewall_sidecar.objective import EckerWeights, Objective
from eyewall_sidecar.objectives.ecker import ecker_score, with_headroom
from eyewall_sidecar.policies import Policy
from eyewall_sidecar.policies.hybrid import Hybrid

from eyewall_papers.experiments.paper_002.ecker_optimum import LeastScore, least_score

WEIGHTS = EckerWeights()
OBJECTIVE = Objective(ecker=WEIGHTS)
TIME_LIMIT = 60.0
"""Seconds: RAS's own in the paper; the three heuristics end after their own 1 s."""
MORE = 40
"""Additional seeds of the hybrid where the least score is not proven."""


@dataclass(frozen=True, slots=True)
class TrialAnswer:
    """A policy's answer to one seed.

    Parameters
    ----------
    seconds
        From the problem to the answer.
    score
        Recomputed; infinite without a placement.
    remark
        What the policy could not do by itself, or why there is no placement.
    """

    seconds: float
    score: float
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """One topology: each policy's answers by seed, and the least score."""

    problem: PlacementProblem
    answers: Mapping[str, Sequence[TrialAnswer]]
    least: LeastScore

    def milliseconds(self, policy: str) -> float:
        """Return the median of the seeds."""
        return 1e3 * median(it.seconds for it in self.answers[policy])

    def stretches(self, policy: str) -> list[float]:
        """Return each seed's score by the least one."""
        return [it.score / self.least.score for it in self.answers[policy]]


@dataclass(frozen=True, slots=True)
class BestKnown:
    """The best placement so far."""

    score: float = inf
    placement: Placement | None = None

    def improve(self, score: float, placement: Placement | None) -> Self:
        """Return it, or another one if that is better."""
        return type(self)(score, placement) if score < self.score else self


def attempt(
    problem: PlacementProblem,
    policies: Mapping[str, Policy],
    *,
    seeds: int,
    visits: int,
    step: Callable[[str], None],
) -> Trial:
    """Run every policy with every seed, then search for the least score in so many visits.

    Parameters
    ----------
    step
        Called with a description of the next step.
    """
    answers: dict[str, list[TrialAnswer]] = {}
    best = BestKnown()
    for name, policy in policies.items():
        step(name)
        answers[name] = []
        for seed in range(seeds):
            answer, placement = _ask(policy, problem, seed)
            answers[name].append(answer)
            best = best.improve(answer.score, placement)
    step("least score")
    return Trial(problem, answers, _least(problem, best, range(seeds, seeds + MORE), visits))


def _least(
    problem: PlacementProblem, best: BestKnown, seeds: Iterable[int], visits: int
) -> LeastScore:
    """Search from the best that is known; where nothing gets proven, ask the hybrid again."""
    if best.placement is None:
        raise ValueError("no policy found a placement")
    found = least_score(problem, WEIGHTS, best.placement, visits=visits)
    if broken := violations(with_headroom(problem), found.placement):
        raise AssertionError(f"the least score's placement is not valid: {broken[0]}")
    if found.proven:
        return found
    for seed in seeds:
        answer, placement = _ask(Hybrid(), problem, seed)
        if placement is not None and answer.score < found.score:
            found = replace(found, score=answer.score, placement=placement)
    return found


def _ask(
    policy: Policy, problem: PlacementProblem, seed: int
) -> tuple[TrialAnswer, Placement | None]:
    began = perf_counter()
    solution = policy(problem, OBJECTIVE, time_limit=TIME_LIMIT, seed=seed)
    seconds = perf_counter() - began
    remark = "; ".join(solution.reasons)
    placement = solution.placement
    if placement is None:
        return TrialAnswer(seconds, inf, remark), None
    if broken := violations(with_headroom(problem), placement):
        return TrialAnswer(seconds, inf, broken[0]), None
    return TrialAnswer(seconds, ecker_score(problem, placement, WEIGHTS), remark), placement
