"""The readable program of `exact.integer_program` as an engine: `eyewall solve --engine pulp`.

It takes any objective and constraint at the sizes of the paper, and is what tests hold the fast
engines against. Decisions of a sidecar do not use it.
"""

from collections.abc import Mapping

from eyewall_sidecar.exact.finding import Clock, Finding, Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.exact.integer_program import create_program, read_placement, unit
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import best_case
from eyewall_sidecar.objectives.costs import cost, weigh


def readable_program(
    problem: PlacementProblem,
    arrays: ProblemArrays,
    weights: Mapping[Term, float],
    *,
    ends_at: float,
    clock: Clock,
    seed: int,
) -> Finding:
    """Find the placement of least cost, or the best within the time and its bound.

    Parameters
    ----------
    weights
        As for `weigh`. The program counts each in its own unit, the greatest of them as 1.
    ends_at
        When it must be done, building included, in seconds of `clock`.
    """
    in_units = {term: weight * unit(problem, term) for term, weight in weights.items()}
    greatest = max(in_units.values(), default=0.0) or 1.0
    program = create_program(problem, {term: it / greatest for term, it in in_units.items()})
    run = minimise(program.linear, ends_at=ends_at, clock=clock, seed=seed)
    remark = f"the solver failed: {run.error}" if run.error else ""
    if run.outcome not in (Outcome.OPTIMAL, Outcome.INCUMBENT):
        return Finding(run.outcome, remark=remark)
    places = places_of(problem, read_placement(program))
    value = cost(arrays, weigh(arrays, weights), places)
    if run.outcome is Outcome.OPTIMAL:
        return Finding(Outcome.OPTIMAL, places, value, value)
    bound = sum(weight * _least(problem, term) for term, weight in weights.items() if weight)
    if program.costs:
        bound += greatest * max(0.0, run.bound)
    return Finding(Outcome.INCUMBENT, places, value, min(value, bound), remark=remark)


def _least(problem: PlacementProblem, term: Term) -> float:
    """Return the term's cost in its best case; that of A is −log A."""
    best = best_case(problem, term)
    return -best if term is Term.A else best
