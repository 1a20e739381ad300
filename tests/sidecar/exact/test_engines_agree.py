"""Every exact engine against brute force; the benchmark engines-agree is the same at full size."""

from collections.abc import Iterable
from itertools import chain, islice
from typing import Any

import numpy as np
import pytest
from brute_force import brute_force, carried, costs_of, every_placement, fits
from engine_agreement import ENGINES, OBJECTIVES, Case, cases_of, complaint, problem_of
from eyewall_sidecar.exact import pulp_engine
from eyewall_sidecar.exact.closed_form import covers
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.exact.highs import HighsRun, minimise
from eyewall_sidecar.model import violations
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.objectives.costs import cost

PROBLEMS = {
    "branch and bound": 40,
    "with all bounds": 40,
    "integer program": 20,
    "PuLP": 4,
    "policy odp": 4,
}


def disagreements(engine: str, cases: Iterable[tuple[int, Case]]) -> list[str]:
    found = []
    for seed, case in cases:
        finding = ENGINES[engine](case)
        if finding is None:
            continue
        if wrong := complaint(case, brute_force(case.arrays, case.costs), engine, finding):
            found.append(f"seed {seed}, {case.objective}: {wrong}")
    return found


@pytest.mark.parametrize("engine", PROBLEMS)
def test_an_engine_finds_what_trying_every_placement_finds(engine: str) -> None:
    cases = (
        (seed, case)
        for seed in range(PROBLEMS[engine])
        for case in cases_of(problem_of(seed), OBJECTIVES)
    )
    assert disagreements(engine, cases) == []


def test_the_readable_program_bounds_the_cost_when_its_time_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A run that proves a part of the way from the best case to the optimum bounds the cost there.
    def finding(case: Case, proven: float) -> Finding:
        def interrupted(*arguments: Any, **options: Any) -> HighsRun:
            run = minimise(*arguments, **options)
            found = run.outcome is Outcome.OPTIMAL
            return HighsRun(Outcome.INCUMBENT if found else run.outcome, proven * run.bound)

        monkeypatch.setattr(pulp_engine, "minimise", interrupted)
        found = ENGINES["PuLP"](case)
        assert found is not None
        return found

    apart = 0
    for case in chain.from_iterable(cases_of(problem_of(seed), OBJECTIVES) for seed in range(4)):
        half, none = finding(case, 0.5), finding(case, 0.0)
        if half.places is not None:
            assert half.outcome is Outcome.INCUMBENT
            assert half.bound == pytest.approx((none.bound + half.cost) / 2, rel=1e-6, abs=1e-9)
            apart += half.bound > none.bound
    assert apart > 5


def test_the_closed_case_is_what_trying_every_placement_finds() -> None:
    diamonds = ((seed, problem_of(seed)) for seed in range(0, 10_000, 4))
    covered = ((seed, it) for seed, it in diamonds if covers(ProblemArrays.of(it)))
    cases = (
        (seed, case)
        for seed, problem in islice(covered, 60)
        for case in cases_of(problem, OBJECTIVES)
    )
    assert disagreements("diamond", cases) == []


def test_brute_force_knows_constraints_and_costs_as_the_model_does() -> None:
    for seed in range(40):
        problem = problem_of(seed)
        (case,) = cases_of(problem, [OBJECTIVES[seed % len(OBJECTIVES)]])
        tried = every_placement(case.arrays)[::7]
        valid = fits(case.arrays, tried) & carried(case.arrays, tried)
        values = costs_of(case.arrays, case.costs, tried)
        for places, good, value in zip(tried, valid, values, strict=True):
            assert good == (violations(problem, placement_of(problem, places)) == ())
            assert value == pytest.approx(cost(case.arrays, case.costs, places))


def test_a_worse_placement_a_wrong_cost_and_a_bound_too_high_are_complaints() -> None:
    case, truth = next(
        (case, truth)
        for seed in range(50)
        for case in cases_of(problem_of(seed), [OBJECTIVES[3]])
        if (truth := brute_force(case.arrays, case.costs)).cost not in (0.0, np.inf)
    )
    tried = every_placement(case.arrays)
    tried = tried[fits(case.arrays, tried) & carried(case.arrays, tried)]
    worst = tried[np.argmax(costs_of(case.arrays, case.costs, tried))]
    worse = cost(case.arrays, case.costs, worst)
    assert worse > truth.cost

    def said(places: object, value: float, bound: float) -> str:
        answer = Finding(Outcome.OPTIMAL, np.asarray(places), value, bound)
        return complaint(case, truth, "diamond", answer)

    assert said(truth.places, truth.cost, truth.cost) == ""
    assert said(worst, worse, worse).startswith("costs")
    assert said(worst, truth.cost, truth.cost).startswith("says")
    assert said(truth.places, truth.cost, truth.cost * 1.001).startswith("bound")
    missing = Finding(Outcome.INFEASIBLE)
    assert complaint(case, truth, "diamond", missing).startswith("infeasible, not optimal")
