"""The readable form of the integer program, through PuLP: what faster engines are held to."""

from collections.abc import Mapping

from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objective import Term
from eyewall_sidecar.odp.cuts import define_path_covers, define_star_capacities
from eyewall_sidecar.odp.finding import Clock, Finding, Outcome
from eyewall_sidecar.odp.highs import minimise
from eyewall_sidecar.odp.program import create_program, read_placement, unit
from eyewall_sidecar.qos import best_case
from eyewall_sidecar.qos.costs import cost, weigh


def reference(
    problem: PlacementProblem,
    weights: Mapping[Term, float],
    *,
    ends_at: float,
    clock: Clock,
    seed: int,
) -> Finding:
    """Minimise weighted terms (as for `weigh`) by the program of docs/odp.md."""
    units = {term: unit(problem, term) for term in weights}
    program = create_program(problem, {term: it * units[term] for term, it in weights.items()})
    for define in (define_path_covers, define_star_capacities):
        define(program)
    run = minimise(program.linear, ends_at=ends_at, clock=clock, seed=seed)
    remark = f"the solver failed: {run.error}" if run.error else ""
    constant = sum(
        weight * (-1.0 if term is Term.A else 1.0) * best_case(problem, term)
        for term, weight in weights.items()
    )
    bound = constant + (max(0.0, run.bound) if program.costs else 0.0)
    if run.outcome not in (Outcome.OPTIMAL, Outcome.INCUMBENT):
        return Finding(run.outcome, bound=bound, remark=remark)
    arrays = ProblemArrays.of(problem)
    places = places_of(problem, read_placement(program))
    value = cost(arrays, weigh(arrays, weights), places)
    return Finding(run.outcome, places, value, min(bound, value), remark=remark)
