"""The optimal placement of paper 000: one term as it is, several as their normalised sum."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import exp, inf, isfinite

import numpy as np

from eyewall_sidecar.exact.finding import Clock, Heuristic, Outcome
from eyewall_sidecar.exact.first_fit import first_fit
from eyewall_sidecar.exact.infeasibility import binding_reasons, obvious_reasons
from eyewall_sidecar.exact.search import ROUNDING, Search, leaves_proof, too_large
from eyewall_sidecar.model import Placement, PlacementProblem, Range, Solution, Status, violations
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of, places_of
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.costs import cost, weigh
from eyewall_sidecar.objectives.extremes import Extremes

POLICY = "odp"
CHECKS = "checks"
"""What shows without a search that nothing fits."""
TOLERANCE = 1e-6
CERTAIN_FAILURE = "every valid placement needs a node or link of availability 0, so A is 0 for all"

Ranges = Mapping[Term, Range]


def solve(
    problem: PlacementProblem,
    objective: Objective,
    *,
    time_limit: float,
    seed: int,
    clock: Clock,
    readable: bool = False,
    heuristic: Heuristic | None = None,
) -> Solution | None:
    """Return the optimum, or within the time limit the best placement found and its bound.

    None, at once, if the problem is more than exact engines take. `readable` solves by the program
    over PuLP that reads as the paper's equations, instead of the fastest engine. The heuristic
    finds placements while the engines search.
    """
    started = clock()
    arrays = ProblemArrays.of(problem)
    if too_large(arrays, readable=readable):
        return None
    if reasons := obvious_reasons(problem, arrays):
        return _nothing(Status.INFEASIBLE, CHECKS, reasons, clock() - started)
    search = Search(
        arrays,
        started + time_limit,
        seed,
        clock,
        _running(problem),
        problem if readable else None,
        heuristic,
        leaves_proof=heuristic is not None and leaves_proof(arrays, time_limit),
    )
    answer = _Answer(problem, objective, search)
    found = answer.solution(started, time_limit)
    return replace(found, evaluated=answer.search.evaluated + answer.tried)


def _nothing(status: Status, decided_by: str, reasons: tuple[str, ...], seconds: float) -> Solution:
    return Solution(status, POLICY, decided_by, seconds=seconds, reasons=reasons)


def _running(problem: PlacementProblem) -> tuple[Places, ...]:
    """Where everything runs now, if everything runs and may stay."""
    current = problem.current or {}
    everywhere = all(operator.id in current for operator in problem.operators)
    stays = everywhere and not violations(problem, current)
    return (places_of(problem, current),) if stays else ()


class _Answer:
    """One problem's way to its answer: ranges first, then the objective itself."""

    def __init__(self, problem: PlacementProblem, objective: Objective, search: Search) -> None:
        self.problem = problem
        self.objective = objective
        self.arrays = search.arrays
        self.search = search
        self.tried = 0
        """What was looked at beside the search."""

    @cached_property
    def extremes(self) -> Extremes:
        return Extremes(self.arrays)

    def solution(self, started: float, time_limit: float) -> Solution:
        search, clock = self.search, self.search.clock
        failing = self._fails_certainly()
        ranges = {} if self.objective.single else self._ranges(failing=failing)
        weights = self._weights(ranges, failing=failing)
        if not search.infeasible:
            search.minimise(weights, least=self._least(weights))
        last = search.runs[-1]
        if search.infeasible:
            ends_at = clock() + max(search.ends_at - clock(), 0.1)
            reasons = binding_reasons(
                self.problem, self.arrays, ends_at=ends_at, clock=clock, seed=search.seed
            )
            return _nothing(Status.INFEASIBLE, last.engine, reasons, clock() - started)
        found = self._best(weights)
        if found is None:
            failed = last.finding.outcome is Outcome.FAILED
            late = f"the time limit of {time_limit:g} s ended the search"
            ended = () if failed else (f"{late} before any placement was found",)
            status = Status.FAILED if failed else Status.TIMED_OUT
            return _nothing(status, last.engine, ended + search.remarks, clock() - started)
        decided_by, placement = found
        evaluation = evaluate(self.problem, placement, self.objective, ranges)
        searched = last.finding.outcome is Outcome.OPTIMAL
        bound = self._bound(ranges, last.finding.bound, failing=failing)
        if not searched:
            bound = self._no_better_than_possible(bound, failing=failing)
        bound = (max if self.objective.maximised else min)(bound, evaluation.value)
        difference = abs(evaluation.value - bound)
        proven = searched and self._negligible(difference, evaluation.value)
        return Solution(
            status=Status.OPTIMAL if proven else Status.FEASIBLE,
            policy=POLICY,
            decided_by=last.engine if proven else decided_by,
            placement=placement,
            evaluation=evaluation,
            bound=bound,
            gap=difference / max(abs(evaluation.value), 1e-9) if isfinite(difference) else None,
            seconds=clock() - started,
            moves=self.problem.moves(placement),
            reasons=((CERTAIN_FAILURE,) if failing else ()) + search.remarks,
        )

    def _fails_certainly(self) -> bool:
        """Whether A counts, and no placement does without what has availability 0."""
        up = np.isfinite(self.arrays.node_logs).all() and np.isfinite(self.arrays.link_logs).all()
        if up or Term.A not in self.objective.weights:
            return False
        trial = replace(self.search, known=(), heuristic=None, leaves_proof=False, runs=[])
        outcome = trial.minimise({Term.A: 1.0}, share=0.5).outcome
        self.tried = trial.evaluated
        return outcome is Outcome.INFEASIBLE

    def _ranges(self, *, failing: bool) -> dict[Term, Range]:
        """Solve every term alone: what normalises it (equation 9) is proven, not assumed."""
        ranges: dict[Term, Range] = {}
        for place, term in enumerate(self.objective.weights):
            worst, best = self.extremes.worst(term), self.extremes.best(term)
            ranges[term] = Range(best, worst)
            if failing and term is Term.A:
                ranges[term] = Range(-inf, -inf)
            elif self.search.leaves_proof:
                ranges[term] = Range(best, worst, proven=ranges[term].coincide)
            elif not ranges[term].coincide:
                share = 1 / (len(self.objective.weights) + 1 - place)
                finding = self.search.minimise({term: 1.0}, share=share)
                proven = finding.outcome is Outcome.OPTIMAL
                least = max(finding.cost if proven else finding.bound, _cost(term, best))
                ranges[term] = Range(_cost(term, least), worst, proven=proven)
            if self.search.infeasible:
                break
        return ranges

    def _weights(self, ranges: Ranges, *, failing: bool) -> dict[Term, float]:
        """Return what a unit of each term costs; equation (9) but for its constant."""
        if self.objective.single:
            return {} if failing else {self.objective.single: 1.0}
        forbidding = {Term.A: 0.0} if Term.A in self.objective.weights and not failing else {}
        return forbidding | {
            term: weight / abs(ranges[term].worse - ranges[term].better)
            for term, weight in self.objective.weights.items()
            if term in ranges and not ranges[term].coincide
        }

    def _least(self, weights: Mapping[Term, float]) -> float:
        """Return what no placement costs less than, capacities or not."""
        return sum(it * _cost(term, self.extremes.best(term)) for term, it in weights.items())

    def _bound(self, ranges: Ranges, bound: float, *, failing: bool) -> float:
        """Translate the least cost back: no placement has a better value."""
        if term := self.objective.single:
            if term is Term.A:
                return 0.0 if failing else exp(-bound)
            return bound
        at_worst = sum(
            weight * _cost(term, ranges[term].worse) / abs(ranges[term].worse - ranges[term].better)
            for term, weight in self.objective.weights.items()
            if not ranges[term].coincide
        )
        return at_worst - bound

    def _no_better_than_possible(self, bound: float, *, failing: bool) -> float:
        """Tighten the bound of a search that was stopped by what no placement is better than."""
        term = self.objective.single
        if term is None or failing:
            return bound
        best = self.extremes.best(term)
        return min(bound, exp(best)) if term is Term.A else max(bound, best)

    def _negligible(self, difference: float, value: float) -> bool:
        """Whether it is rounding; the part that every placement has makes no gap look smaller."""
        if difference <= max(TOLERANCE, ROUNDING * abs(value)):
            return True
        term = self.objective.single
        constant = 0.0 if term in (None, Term.A) else self.extremes.best(term)
        return difference <= TOLERANCE * max(1.0, abs(value - constant))

    def _best(self, weights: Mapping[Term, float]) -> tuple[str, Placement] | None:
        """Pick the best placement at hand; among equals one that moves less."""
        choices: list[tuple[str, Places]] = [
            (run.engine, run.finding.places)
            for run in reversed(self.search.runs)
            if run.finding.places is not None
        ]
        choices += [("current placement", it) for it in self.search.known]
        if not choices and (fitting := first_fit(self.problem)):
            choices.append(("first fit", places_of(self.problem, fitting)))
        if len(choices) == 1:
            ((by, places),) = choices
            return str(by), placement_of(self.problem, places)
        costs = weigh(self.arrays, weights)
        valued = [(cost(self.arrays, costs, places), by, places) for by, places in choices]
        least = min((it for it, _, _ in valued), default=0.0)
        equals = [
            (str(by), placement_of(self.problem, places))
            for it, by, places in valued
            if it == least or it - least <= 1e-9 * max(1.0, abs(least))
        ]
        return min(equals, key=lambda it: self.problem.moves(it[1]), default=None)


def _cost(term: Term, value: float) -> float:
    """Translate between a term's value in a range and its cost: log A and −log A, else the same."""
    return -value if term is Term.A else value
