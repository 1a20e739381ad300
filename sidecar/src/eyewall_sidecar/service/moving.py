"""Whether a better placement is worth the restarts: gain, horizon, freeze, cool-down."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import copysign, inf, isfinite

from eyewall_sidecar.model import Evaluation, Placement, PlacementProblem, Solution, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service import wording
from eyewall_sidecar.storm import Executor, Settings, TopologyProblem

OVERLOADED = 1.1
"""Times its capacity from which on a node has to be relieved, whatever the objective says: below,
it may be the measurement's error."""
BACK_TIMES = 2
"""Times the minimum gain that a move has to gain if it takes back another one of the last hour."""
GAP_SECONDS = 8.0
"""For which a topology stands still when executors of it move (docs/results/measurements.md)."""


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
    workers_per_round, workers_per_hour
        Worker processes that moves may start, over the whole cluster; None: any number.
    horizon_seconds
        Within which a move has to save more than it costs; None: that is not looked at.
    """

    first_placement_seconds: float = 1.2
    improvement_seconds: float = 10.0
    seed: int = 0
    minimum_gain: float = 0.1
    cool_down_seconds: float = 30.0
    frozen: bool = False
    workers_per_round: int | None = None
    workers_per_hour: int | None = None
    horizon_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Restraints:
    """What speaks against moving one topology now, whatever is found.

    Parameters
    ----------
    frozen
        Who froze it; empty if nobody did.
    cooled
        Whether the assignment has run for the cool-down.
    left
        Executor → the supervisor that it was moved away from within the last hour.
    """

    frozen: str = ""
    cooled: bool = True
    left: Mapping[Executor, str] = field(default_factory=dict)


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
    gain
        By which part of its value the objective gets better; None where there is nothing to
        compare.
    strayed
        Why what runs may not stay as it is, whatever is gained or lost; empty if it may, or if
        nothing else was found.
    held_back
        Who froze it, if that alone keeps it from being moved.
    """

    found: str
    move: bool = False
    status: str = ""
    solution: Solution | None = None
    before: Evaluation | None = None
    gain: float | None = None
    strayed: str = ""
    held_back: str = ""


def judge(
    asked: TopologyProblem,
    settings: Settings,
    answer: Solution,
    rules: Rules,
    restraints: Restraints,
) -> Judgement:
    """Hold an answer, which may be to an older question, against the problem as it is now."""
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
    gain = relative_gain(objective, before.value, after.value)
    told = gain if isfinite(gain) else None
    judged = partial(Judgement, solution=solution, before=before, gain=told)
    if solution.moves == 0:
        return judged(f"{wording.how_good(solution)} as it is")
    status = wording.placed(solution, objective, before=before, remarks=asked.assumptions)
    strayed = _strayed(problem) or (_overloaded(problem) if asked.cpu_measured else "")
    judged = partial(judged, strayed=strayed)
    found = wording.worth(solution, objective, before)
    if told is not None:
        found += f", gain {100 * told:.3g} %"
    if strayed:
        found += f"; {strayed}"
    else:
        back = _back(asked, answer.placement, restraints.left)
        if too_little := _too_little(gain, rules.minimum_gain, back):
            return judged(f"{found} {too_little}")
        if cost := _does_not_pay(objective, before, after, rules.horizon_seconds):
            return judged(f"{found}, but {cost}")
    if restraints.frozen:
        held_back = f"{found}, but {restraints.frozen}"
        return judged(held_back, held_back=held_back)
    if not restraints.cooled:
        cool = f"the assignment cools down until it has run {rules.cool_down_seconds:g} s"
        return judged(f"{found}, but {cool}")
    if strayed:
        status += f"; {strayed}"
    return judged(found, move=True, status=status)


def _too_little(gain: float, minimum: float, back: str) -> str:
    """Say what a gain falls short of; empty if it does not."""
    if gain < minimum:
        return f"is below the minimum of {100 * minimum:g} %"
    if back and gain < BACK_TIMES * minimum:
        return f"is below {100 * BACK_TIMES * minimum:g} %, the minimum for going back: {back}"
    return ""


def _back(asked: TopologyProblem, placement: Placement, left: Mapping[Executor, str]) -> str:
    """Name an operator that would go back to where it was moved away from; empty if none would."""
    current = asked.problem.current or {}
    for operator, node in placement.items():
        goes = current.get(operator) != node
        if goes and left.get(asked.executors[operator]) == asked.supervisors[node]:
            return f"{operator} left {node} less than an hour ago"
    return ""


def _does_not_pay(
    objective: Objective, before: Evaluation, after: Evaluation, horizon: float | None
) -> str:
    """Say that a move costs more than it saves within the horizon; empty if nobody can tell that.

    A topology that stands still for a gap keeps the tuples of that time waiting, for half of it on
    average: gap² / 2 seconds for each tuple/s. A response time that is better by ΔR saves
    ΔR · horizon for each tuple/s. Availability: ΔA · horizon seconds less away, for one gap.
    Other objectives are in units that a gap is not.
    """
    if horizon is None or objective.single not in (Term.R, Term.A):
        return ""
    if objective.single is Term.R:
        saves, costs = before.response_time - after.response_time, GAP_SECONDS**2 / 2
        of = "s of waiting for each tuple/s"
    else:
        saves, costs, of = after.availability - before.availability, GAP_SECONDS, "s away"
    if saves * horizon > costs:
        return ""
    return f"within {horizon:g} s it saves {saves * horizon:.3g} {of}, and costs {costs:.3g}"


def relative_gain(objective: Objective, before: float, after: float) -> float:
    """By which part of its value the objective gets better; negative if it gets worse."""
    gain = after - before if objective.maximised else before - after
    if gain == 0 or not isfinite(gain):
        return gain
    return gain / abs(before) if before else copysign(inf, gain)


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
