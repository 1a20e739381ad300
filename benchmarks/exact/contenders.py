"""The contenders: each answers the same question with a cost, a proof and a time.

A run shorter than 20 ms is repeated twice, and the median counts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter

from eyewall_contracts.objective_terms import LOAD_TERMS
from eyewall_papers.experiments.paper_000.formulation import (
    NotBuiltError,
    PaperProgram,
    paper_program,
)
from eyewall_sidecar.model import Placement, PlacementProblem, Range, Status, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives.availability import log_availability
from eyewall_sidecar.objectives.evaluation import METRICS
from eyewall_sidecar.objectives.load import forecast_load
from eyewall_sidecar.policies import load_policy
from pulp import PULP_CBC_CMD, HiGHS
from pulp.constants import LpSolutionIntegerFeasible, LpSolutionOptimal

SHORT = 0.02
"""Seconds."""
RELATIVE_GAP = 1e-6
"""Gap at which solvers stop; with HiGHS's own 1e-4 160.676 passes for the optimum 160.400."""

Ranges = Mapping[Term, Range]


@dataclass(frozen=True, slots=True)
class Question:
    """A placement problem with its objective and limits, the same for every contender.

    Parameters
    ----------
    time_limit
        Seconds, from the problem to the answer.
    ranges
        Normalises several terms, by term; `odp` finds the ranges, the others receive them.
    """

    problem: PlacementProblem
    objective: Objective
    time_limit: float
    seed: int
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class ContenderRun:
    """A contender's answer.

    Parameters
    ----------
    seconds
        From the problem to the answer, building included.
    proven
        Whether the contender proved that no placement is better.
    cost
        Σ weight · term of its placement, recomputed; None without one. See `term_weights`.
    gap
        |cost − bound| / |cost|; None where the contender gives none.
    remark
        Why there is no placement, or the status.
    ranges
        The ranges that normalised the terms.
    failed
        Whether it raised an exception, which the remark names.
    """

    seconds: float
    proven: bool = False
    cost: float | None = None
    gap: float | None = None
    remark: str = ""
    ranges: Ranges | None = None
    failed: bool = False


Contender = Callable[[Question], ContenderRun]


def term_weights(objective: Objective, ranges: Ranges) -> dict[Term, float]:
    """Return what a unit of each term costs: 1 for a single one, w / |worse − better| for several.

    Minimising the sum is maximising paper 000's F' (equations 9 and 22), less its constants.
    """
    if objective.single:
        return {objective.single: 1.0}
    return {
        term: weight / abs(ranges[term].worse - ranges[term].better)
        for term, weight in objective.weights.items()
        if not ranges[term].coincide
    }


def cost_of(question: Question, placement: Placement, ranges: Ranges) -> float:
    """Return Σ weight · term, A as −log A, THETA as 1 / Θ: less is better."""

    def value(term: Term) -> float:
        if term in LOAD_TERMS:
            load = forecast_load(question.problem, placement)
            return load.load_response_time if term is Term.L else 1.0 / load.sustainable
        if term is Term.A:
            return -log_availability(question.problem, placement)
        return METRICS[term](question.problem, placement)

    weights = term_weights(question.objective, ranges)
    return sum(weight * value(term) for term, weight in weights.items())


def time_contender(contender: Contender, question: Question) -> ContenderRun:
    """Run the contender once, or three times if the run is short."""
    runs = [contender(question)]
    if runs[0].seconds < SHORT:
        runs += [contender(question) for _ in range(2)]
    return replace(runs[0], seconds=median(it.seconds for it in runs))


def policy(name: str) -> Contender:
    """Return a policy of the catalogue as a contender, called as by `eyewall solve`."""

    def solve(question: Question) -> ContenderRun:
        began = perf_counter()
        solution = load_policy(name)(
            question.problem,
            question.objective,
            time_limit=question.time_limit,
            seed=question.seed,
        )
        seconds = perf_counter() - began
        if solution.placement is None or solution.evaluation is None:
            return ContenderRun(seconds, remark="; ".join(solution.reasons) or solution.status)
        if broken := violations(question.problem, solution.placement):
            return ContenderRun(seconds, remark=broken[0])
        ranges = question.ranges or solution.evaluation.ranges
        return ContenderRun(
            seconds,
            proven=solution.status is Status.OPTIMAL,
            cost=cost_of(question, solution.placement, ranges),
            gap=solution.gap,
            remark=f"{solution.status}, {solution.decided_by}",
            ranges=solution.evaluation.ranges,
        )

    return solve


def pulp_cbc(question: Question) -> ContenderRun:
    """Solve the paper's formulation with PuLP and the CBC of its wheel."""
    return _paper(
        question,
        lambda left: PULP_CBC_CMD(msg=False, threads=1, timeLimit=left, gapRel=RELATIVE_GAP),
    )


def pulp_highs(question: Question) -> ContenderRun:
    """Solve the paper's formulation with PuLP and HiGHS."""
    return _paper(
        question, lambda left: HiGHS(msg=False, threads=1, timeLimit=left, gapRel=RELATIVE_GAP)
    )


def _paper(question: Question, solver: Callable[[float], object]) -> ContenderRun:
    began = perf_counter()
    ends_at = began + question.time_limit
    weights = term_weights(question.objective, question.ranges)
    try:
        program = paper_program(question.problem, weights, lambda: perf_counter() > ends_at)
        program.linear.solve(solver(max(0.01, ends_at - perf_counter())))
    except NotBuiltError as error:
        return ContenderRun(perf_counter() - began, remark=str(error))
    found = program.linear.sol_status  # `status` calls a time-limited incumbent optimal as well
    if found not in (LpSolutionOptimal, LpSolutionIntegerFeasible):
        return ContenderRun(perf_counter() - began, remark="nothing found")
    placement = _read(program)
    seconds = perf_counter() - began
    proven = found == LpSolutionOptimal
    return ContenderRun(
        seconds,
        proven=proven,
        cost=cost_of(question, placement, question.ranges),
        gap=0.0 if proven else _gap(program),
    )


def _read(program: PaperProgram) -> dict[str, str]:
    """Return for every operator the u with x_(i,u) = 1."""
    return {
        operator: max(choices, key=lambda node: choices[node].value() or 0.0)
        for operator, choices in program.x.items()
    }


def _gap(program: PaperProgram) -> float | None:
    """Return HiGHS's gap; PuLP does not get one from CBC."""
    model = getattr(program.linear, "solverModel", None)
    return None if model is None else float(model.getInfo().mip_gap)
