"""Whether a better placement is worth the restarts: gain, cool-down, freeze."""

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isfinite

from eyewall_sidecar.model import Evaluation, PlacementProblem, Solution, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.qos import evaluate
from eyewall_sidecar.service import wording
from eyewall_sidecar.storm import Settings, TopologyProblem

OVERLOADED = 1.1
"""Times its capacity from which on a node has to be relieved, whatever the objective says: below,
it may be the measurement's error."""


@dataclass(frozen=True, slots=True)
class Rules:
    """When to solve for how long, and when to move.

    Parameters
    ----------
    first_placement_seconds, improvement_seconds
        Time limits of the policy.
    seed
        Of everything random.
    minimum_gain
        Relative gain of the objective below which nothing moves.
    cool_down_seconds
        How long an assignment runs before anything of it moves.
    frozen
        Nothing that runs is moved.
    """

    first_placement_seconds: float = 1.2
    improvement_seconds: float = 10.0
    seed: int = 0
    minimum_gain: float = 0.1
    cool_down_seconds: float = 30.0
    frozen: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of an answer.

    Parameters
    ----------
    found
        What was found, or why it is not taken.
    move
        Whether to move to it.
    status
        The text of the move.
    solution
        The answer as it is worth now; None if it has no placement that fits.
    before
        What runs, as it is worth now.
    """

    found: str
    move: bool = False
    status: str = ""
    solution: Solution | None = None
    before: Evaluation | None = None


def judge(
    asked: TopologyProblem, settings: Settings, answer: Solution, rules: Rules, *, cooled: bool
) -> Judgement:
    """Hold an answer, which may be to an older question, against the problem as it is now.

    `cooled` says whether the assignment has run for the cool-down.
    """
    problem, objective = asked.problem, settings.objective
    current = problem.current
    if answer.placement is None or answer.evaluation is None or current is None:
        return Judgement(wording.nothing(answer, asked.assumptions))
    broken = violations(problem, answer.placement)
    if broken:
        return Judgement(f"the improvement no longer fits: {broken[0]}")
    ranges = {Term(name): it for name, it in answer.evaluation.ranges.items()}
    before = evaluate(problem, current, objective, ranges)
    after = evaluate(problem, answer.placement, objective, ranges)
    solution = replace(answer, evaluation=after, moves=problem.moves(answer.placement))
    stays = partial(Judgement, move=False, solution=solution, before=before)
    if solution.moves == 0:
        return stays(f"{wording.how_good(solution)} as it is")
    gain = relative_gain(objective, before.value, after.value)
    status = wording.placed(solution, objective, before=before, remarks=asked.assumptions)
    strayed = _strayed(problem) or (_overloaded(problem) if asked.cpu_measured else "")
    found = f"{wording.worth(solution, objective, before)}, gain {100 * gain:.3g} %"
    if gain < rules.minimum_gain and not strayed:
        return stays(f"{found} is below the minimum of {100 * rules.minimum_gain:g} %")
    if rules.frozen:
        return stays(f"{found}, but moves are frozen ([replacement] frozen)")
    if not cooled:
        cool = f"the assignment cools down until it has run {rules.cool_down_seconds:g} s"
        return stays(f"{found}, but {cool}")
    if strayed:
        status += f"; {strayed}"
    return Judgement(found, move=True, status=status, solution=solution, before=before)


def relative_gain(objective: Objective, before: float, after: float) -> float:
    """By which part of its value the objective gets better; negative if it gets worse."""
    gain = after - before if objective.maximised else before - after
    if gain <= 0 or not isfinite(gain):
        return gain
    return gain / abs(before) if before else inf


def _overloaded(problem: PlacementProblem) -> str:
    """Word where what runs needs more CPU than there is; empty if that is nowhere."""
    needed: defaultdict[str, float] = defaultdict(float)
    for operator, node in (problem.current or {}).items():
        needed[node] += problem.operator(operator).cpu
    for node, cores in needed.items():
        if cores > OVERLOADED * (there := problem.node(node).cpu):
            return f"{node} was overloaded: {cores:.2g} cores needed, {there:.2g} there"
    return ""


def _strayed(problem: PlacementProblem) -> str:
    """Word where one operator runs though it must not; empty if there is none."""
    for operator, node in (problem.current or {}).items():
        if node not in problem.candidates(operator):
            return f"{operator} was not where it is pinned"
        if problem.node(node).operators == 0:  # only for Ecker's score: see `storm`
            return f"{operator} was on {node}, which serves another topology"
    return ""
