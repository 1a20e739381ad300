"""Exact engines on the same problem and costs, held against each other by brute force."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf
from unittest.mock import patch

import numpy as np
from brute_force import brute_force, carried, fits
from eyewall_contracts.objective_terms import PAPER_TERMS
from eyewall_sidecar.exact.branch_and_bound import branch_and_bound
from eyewall_sidecar.exact.branch_and_bound import covers as branch_and_bound_covers
from eyewall_sidecar.exact.closed_form import covers as diamond_covers
from eyewall_sidecar.exact.closed_form import solve_closed_form
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.exact.pulp_engine import readable_program
from eyewall_sidecar.exact.sparse_engine import integer_program
from eyewall_sidecar.model import PlacementProblem, Range
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import worst_case
from eyewall_sidecar.objectives.costs import Costs, cost, weigh
from eyewall_sidecar.policies import load_policy
from random_problems import Graph, Traits, random_problem

Weights = Mapping[Term, float]

OBJECTIVES = tuple(
    Objective.parse(text)
    for text in (
        *(f"{term}=1" for term in PAPER_TERMS),
        "R=0.5,A=0.2,N=0.3",
        "A=0.5,EE=0.5",
        "R=0.9,T=0.1",
        "R=0.2,A=0.2,T=0.2,N=0.2,EE=0.2",
    )
)
SECONDS = 60.0
OURS, HIGHS = 1e-9, 1e-6
"""How far from the optimum an engine may be, as a fraction of it: HiGHS stops at 1e-7."""


@dataclass(frozen=True, slots=True)
class Case:
    """One problem and one objective; weights that mean the same to every engine."""

    problem: PlacementProblem
    arrays: ProblemArrays
    objective: Objective
    weights: Weights
    costs: Costs


Engine = Callable[[Case], Finding | None]
"""What it finds, or None where it does not cover the case."""


def problem_of(seed: int, *, operators: int = 6, nodes: int = 4) -> PlacementProblem:
    """Draw a problem with any traits; every fourth is a diamond, of interest to all engines."""
    if seed % 4:
        return random_problem(seed, operators=operators, nodes=nodes)
    rng = np.random.default_rng([seed, 1])
    traits = Traits.drawn(rng, Graph.DIAMOND, bandwidth=False)
    return random_problem(seed, traits, operators=operators, nodes=nodes)


def cases_of(problem: PlacementProblem, objectives: Iterable[Objective]) -> Iterator[Case]:
    """Weigh each objective's terms as `exact.solve` does, with their optima by brute force."""
    arrays = ProblemArrays.of(problem)

    @cache
    def least(term: Term) -> float:
        return brute_force(arrays, weigh(arrays, {term: 1.0})).cost

    for objective in objectives:
        weights = _weights(problem, least, objective)
        yield Case(problem, arrays, objective, weights, weigh(arrays, weights))


def by_branch_and_bound(case: Case) -> Finding | None:
    if not branch_and_bound_covers(case.arrays):
        return None
    return branch_and_bound(
        case.arrays, case.costs, start=None, ends_at=SECONDS, clock=_stopped_clock
    )


def by_branch_and_bound_bounded(case: Case) -> Finding | None:
    """The same, with all the bounds that a search gets which does not end in its first slice."""
    engine = "eyewall_sidecar.exact.branch_and_bound"
    with patch(f"{engine}.FIRST_SLICE", 1), patch(f"{engine}.AT_ONCE", 0):
        return by_branch_and_bound(case)


def by_integer_program(case: Case) -> Finding | None:
    return integer_program(
        case.arrays, case.costs, start=None, ends_at=SECONDS, clock=_stopped_clock, seed=0
    )


def by_diamond(case: Case) -> Finding | None:
    if not diamond_covers(case.arrays):
        return None
    return solve_closed_form(case.arrays, case.costs, ends_at=SECONDS, clock=_stopped_clock)


def by_pulp(case: Case) -> Finding | None:
    return readable_program(
        case.problem, case.arrays, case.weights, ends_at=SECONDS, clock=_stopped_clock, seed=0
    )


def by_policy(case: Case) -> Finding | None:
    """All of the policy `odp`, with the ranges that it finds itself."""
    solution = load_policy("odp")(case.problem, case.objective, time_limit=SECONDS, seed=0)
    outcome = Outcome(solution.status.value)
    if solution.placement is None:
        return Finding(outcome, bound=inf)
    places = places_of(case.problem, solution.placement)
    value = cost(case.arrays, case.costs, places)
    return Finding(outcome, places, value)


ENGINES: Mapping[str, Engine] = {
    "branch and bound": by_branch_and_bound,
    "with all bounds": by_branch_and_bound_bounded,
    "integer program": by_integer_program,
    "diamond": by_diamond,
    "PuLP": by_pulp,
    "policy odp": by_policy,
}
TOLERANCES = {"branch and bound": OURS, "with all bounds": OURS, "diamond": OURS}


def complaint(case: Case, truth: Finding, engine: str, finding: Finding) -> str:
    """Say in what the finding differs from the truth; nothing if it does not."""
    arrays, tolerance = case.arrays, TOLERANCES.get(engine, HIGHS)
    if finding.outcome is not truth.outcome:
        return f"{finding.outcome.value}, not {truth.outcome.value} {finding.remark}"
    if truth.places is None:
        return ""
    if finding.places is None:
        return "no placement"
    places = finding.places[None, :]
    if not arrays.allowed[np.arange(arrays.operators), finding.places].all():
        return f"{finding.places.tolist()} is not among the candidates"
    if not (fits(arrays, places) & carried(arrays, places)).all():
        return f"{finding.places.tolist()} breaks a constraint"
    value = cost(arrays, case.costs, finding.places)
    slack = tolerance * max(abs(truth.cost), 1e-6)
    if abs(value - finding.cost) > slack:
        return f"says {finding.cost!r}, is {value!r}"
    if abs(value - truth.cost) > slack:
        return f"costs {value!r}, the optimum {truth.cost!r}"
    if finding.bound > truth.cost + slack:
        return f"bound {finding.bound!r} above the optimum {truth.cost!r}"
    return ""


def _weights(
    problem: PlacementProblem, least: Callable[[Term], float], objective: Objective
) -> dict[Term, float]:
    fails = Term.A in objective.weights and least(Term.A) == inf
    if objective.single:
        return {} if fails else {objective.single: 1.0}
    weights: dict[Term, float] = {}
    for term, weight in objective.weights.items():
        if term is Term.A and fails:
            continue
        best = -least(term) if term is Term.A else least(term)
        normal = Range(best, worst_case(problem, term))
        if not normal.coincide:
            weights[term] = weight / abs(normal.worse - normal.better)
        elif term is Term.A:
            weights[term] = 0.0
    return weights


def _stopped_clock() -> float:
    """Tell the same time whenever asked: limits are not what is tried here."""
    return 0.0
