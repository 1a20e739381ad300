"""The optimal placement of paper 000: one term as it is, several as their normalised sum."""

from collections.abc import Mapping
from math import exp, inf, isfinite

from eyewall_sidecar.model import Placement, PlacementProblem, Range, Solution, Status, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.odp.finding import Outcome
from eyewall_sidecar.odp.first_fit import first_fit
from eyewall_sidecar.odp.infeasibility import obvious_reasons
from eyewall_sidecar.odp.program import SCALE, unit
from eyewall_sidecar.odp.search import Clock, Search
from eyewall_sidecar.qos import best_case, evaluate, worst_case
from eyewall_sidecar.qos.evaluation import WEIGHED

POLICY = "odp"
INTEGER_PROGRAM = "integer program"
TOLERANCE = 1e-6
CERTAIN_FAILURE = "every valid placement needs a node or link of availability 0, so A is 0 for all"

Ranges = Mapping[Term, Range]


def solve(
    problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int, clock: Clock
) -> Solution:
    """Return the optimum, or within the time limit the best placement found and its bound."""
    started = clock()
    search = Search(problem, started + time_limit, seed, clock)
    if reasons := obvious_reasons(problem):
        return _nothing(Status.INFEASIBLE, reasons, clock() - started)
    failing = _fails_certainly(search, objective)
    ranges = {} if objective.single else _ranges(search, objective, failing=failing)
    if not search.infeasible:
        search.minimise(_weights(problem, objective, ranges, failing=failing))
    if search.infeasible:
        return _nothing(Status.INFEASIBLE, search.why_infeasible(), clock() - started)
    found = _best(search, objective, ranges)
    if found is None:
        if search.runs[-1].outcome is Outcome.FAILED:
            return _nothing(Status.FAILED, search.remarks, clock() - started)
        reason = (
            f"the time limit of {time_limit:g} s ended the search before any placement was found"
        )
        return _nothing(Status.TIMED_OUT, (reason, *search.remarks), clock() - started)
    decided_by, placement = found
    evaluation = evaluate(problem, placement, objective, ranges)
    better = max if objective.maximised else min
    bound = _bound(problem, objective, ranges, search.runs[-1].excess, failing=failing)
    bound = better(bound, evaluation.value)
    difference = abs(evaluation.value - bound)
    proven = search.runs[-1].outcome is Outcome.OPTIMAL and difference <= TOLERANCE * max(
        1.0, abs(evaluation.value - _constant(problem, objective))
    )
    return Solution(
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        policy=POLICY,
        decided_by=INTEGER_PROGRAM if proven else decided_by,
        placement=placement,
        evaluation=evaluation,
        bound=bound,
        gap=difference / max(abs(evaluation.value), 1e-9) if isfinite(difference) else None,
        seconds=clock() - started,
        moves=problem.moves(placement),
        reasons=((CERTAIN_FAILURE,) if failing else ()) + search.remarks,
    )


def _nothing(status: Status, reasons: tuple[str, ...], seconds: float) -> Solution:
    return Solution(status, POLICY, INTEGER_PROGRAM, seconds=seconds, reasons=reasons)


def _fails_certainly(search: Search, objective: Objective) -> bool:
    """Whether A counts, and no placement does without what has availability 0."""
    dead = [node for node in search.problem.nodes if node.availability == 0]
    broken = [link for link in search.problem.links.values() if link.availability == 0]
    if Term.A not in objective.weights or not (dead or broken):
        return False
    trial = Search(search.problem, search.ends_at, search.seed, search.clock)
    return trial.minimise({Term.A: 1.0}, share=0.5).outcome is Outcome.INFEASIBLE


def _ranges(search: Search, objective: Objective, *, failing: bool) -> dict[Term, Range]:
    """Solve every term alone: what normalises it (equation 9) is proven, not assumed."""
    ranges: dict[Term, Range] = {}
    for place, term in enumerate(objective.weights):
        worst, best = worst_case(search.problem, term), best_case(search.problem, term)
        ranges[term] = Range(best, worst)
        if failing and term is Term.A:
            ranges[term] = Range(-inf, -inf)
        elif not ranges[term].coincide:
            run = search.minimise({term: 1.0}, share=1 / (len(objective.weights) + 1 - place))
            if run.outcome is Outcome.OPTIMAL and run.placement is not None:
                ranges[term] = Range(WEIGHED[term](search.problem, run.placement), worst)
            else:
                excess = run.excess * unit(search.problem, term)
                bound = best - excess if term is Term.A else best + excess
                ranges[term] = Range(bound, worst, proven=False)
        if search.infeasible:
            break
    return ranges


def _weights(
    problem: PlacementProblem, objective: Objective, ranges: Ranges, *, failing: bool
) -> dict[Term, float]:
    """Translate to the program's weights: it counts a term in units of best case to worst case."""
    if objective.single:
        return {} if failing else {objective.single: 1.0}
    forbidding = {Term.A: 0.0} if Term.A in objective.weights and not failing else {}
    return forbidding | {
        term: weight * SCALE * unit(problem, term) / abs(ranges[term].worse - ranges[term].better)
        for term, weight in objective.weights.items()
        if not ranges[term].coincide
    }


def _bound(
    problem: PlacementProblem, objective: Objective, ranges: Ranges, excess: float, *, failing: bool
) -> float:
    """Translate the program's bound back: no placement has a better value."""
    if term := objective.single:
        distance = excess * unit(problem, term)
        if term is Term.A:
            return 0.0 if failing else exp(best_case(problem, term) - distance)
        return best_case(problem, term) + distance
    at_best = sum(
        weight
        * abs(ranges[term].worse - best_case(problem, term))
        / abs(ranges[term].worse - ranges[term].better)
        for term, weight in objective.weights.items()
        if not ranges[term].coincide
    )
    return at_best - excess / SCALE


def _constant(problem: PlacementProblem, objective: Objective) -> float:
    """Return the part of the value that every placement has: it makes no gap look smaller."""
    term = objective.single
    return 0.0 if term in (None, Term.A) else best_case(problem, term)


def _best(search: Search, objective: Objective, ranges: Ranges) -> tuple[str, Placement] | None:
    """Pick the best placement at hand; among equals one that moves less."""
    problem = search.problem
    choices = [(INTEGER_PROGRAM, placement) for placement in search.found]
    current = problem.current or {}
    if all(operator.id in current for operator in problem.operators):
        choices.append(("current placement", current))
    if not search.found and (placement := first_fit(problem)):
        choices.append(("first fit", placement))
    sign = -1.0 if objective.maximised else 1.0
    costs = [
        (sign * evaluate(problem, placement, objective, ranges).value, decided_by, placement)
        for decided_by, placement in choices
        if not violations(problem, placement)
    ]
    least = min((cost for cost, _, _ in costs), default=0.0)
    equals = [
        (decided_by, placement)
        for cost, decided_by, placement in costs
        if cost == least or cost - least <= 1e-9 * max(1.0, abs(least))
    ]
    return min(equals, key=lambda it: problem.moves(it[1]), default=None)
