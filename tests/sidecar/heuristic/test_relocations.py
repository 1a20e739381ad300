"""What a placement would be worth with one operator on each other node."""

import numpy as np
import pytest
from every_placement import EveryPlacement
from eyewall_sidecar.heuristic.ranges import ranges_of
from eyewall_sidecar.heuristic.relocations import evaluate_relocations
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of, places_of
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.evaluation import METRICS
from hypothesis import given
from hypothesis import strategies as st
from random_problems import random_problem
from small_problems import chain_of

OBJECTIVES = (*(f"{term}=1" for term in Term), "R=0.4,A=0.3,N=0.3", "ecker=lat:0.01,sup:2")


@given(
    seed=st.integers(0, 2**32),
    which=st.integers(0, 2**16),
    objective=st.sampled_from(OBJECTIVES).map(Objective.parse),
)
def test_it_is_what_each_placement_is_valued_at(
    seed: int, which: int, objective: Objective
) -> None:
    problem = random_problem(seed)
    every = EveryPlacement.of(problem)
    if not every.count or not problem.operators:
        return
    placement = placement_of(problem, every.places[which % every.count])
    arrays, places = ProblemArrays.of(problem), places_of(problem, placement)
    ranges = ranges_of(arrays, objective)
    for i, operator in enumerate(problem.operators):
        found = evaluate_relocations(arrays, places, i, objective, ranges)
        for u, node in enumerate(problem.nodes):
            moved = placement | {operator.id: node.id}
            assert found.value[u] == pytest.approx(
                evaluate(problem, moved, objective, ranges).value, rel=1e-9, abs=1e-12
            )
            for term, metric in METRICS.items():
                assert found.metrics[term][u] == pytest.approx(
                    metric(problem, moved), rel=1e-9, abs=1e-12
                )


def test_an_operator_between_two_others_is_worth_most_where_they_are() -> None:
    # a → b → c with a and c on n1: b there costs no delay, elsewhere 10 ms twice.
    problem = chain_of([1, 1], rooms=[3, 3])
    arrays = ProblemArrays.of(problem)
    hop = arrays.delays[0, 1]
    found = evaluate_relocations(arrays, np.array([0, 1, 0]), 1, Objective.parse("R=1"), {})
    assert found.metrics[Term.R].tolist() == pytest.approx([0.0, 2 * hop])
