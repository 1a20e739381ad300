from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from eyewall_contracts.objective_terms import LOAD_TERMS, Term
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.model.violations import violations
from eyewall_sidecar.objectives.compiled_load import NOWHERE, evaluate_places
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from eyewall_sidecar.objectives.load_terms import load_terms, scratch
from load_problems import load_problem, replicated_chain
from numpy.random import default_rng


@pytest.mark.parametrize("seed", range(30))
def test_compiled_costs_are_those_of_the_reference_and_see_every_broken_constraint(
    seed: int,
) -> None:
    problem, draw = load_problem(seed), default_rng(seed)
    arrays = ProblemArrays.of(problem)
    places = np.where(arrays.allowed, draw.random(arrays.allowed.shape), -1).argmax(axis=1)
    state = evaluate_load(LoadArrays.of(arrays), places)
    expected = {Term.L: state.load_response_time, Term.THETA: 1 / state.sustainable}
    for term in LOAD_TERMS:
        terms = load_terms(arrays, term)
        cost, _, excess = evaluate_places(terms, scratch(terms), places)
        assert cost == pytest.approx(expected[term])
        assert (excess > 0) == bool(violations(problem, placement_of(problem, places)))


@pytest.mark.parametrize("term", LOAD_TERMS)
@pytest.mark.parametrize("per_worker", [1, 2, 0])
@pytest.mark.parametrize("drawn", [load_problem, replicated_chain])
@pytest.mark.parametrize("seed", range(10))
def test_a_partial_placement_costs_no_more_than_with_one_operator_more(
    seed: int, drawn: Callable[[int], PlacementProblem], per_worker: int, term: Term
) -> None:
    problem, draw = drawn(seed), default_rng(seed)
    crossing_cpu, half = float(draw.uniform(0.01, 0.1)), float(draw.choice([0.0, 5.0, 50.0]))
    load = replace(
        problem.load,
        executors_per_worker=per_worker,
        crossing_cpu=crossing_cpu,
        crossing_half_rate=half,
    )
    problem = replace(problem, load=load)
    arrays = ProblemArrays.of(problem)
    terms = load_terms(arrays, term)
    places, room = np.full(arrays.operators, NOWHERE), scratch(terms)
    before = evaluate_places(terms, room, places)
    for operator in draw.permutation(arrays.operators):
        places[operator] = draw.choice(np.flatnonzero(arrays.allowed[operator]))
        after = evaluate_places(terms, room, places)
        assert after[0] >= before[0] - 1e-12 * before[0]
        assert after[2] >= before[2]
        before = after
