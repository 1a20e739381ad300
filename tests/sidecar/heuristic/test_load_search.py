from itertools import islice

import numpy as np
import pytest
from eyewall_contracts.objective_terms import LOAD_TERMS, Term
from eyewall_sidecar.heuristic.load_search import LoadSearch
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.load_terms import load_terms
from load_problems import best_value, load_problem
from numpy.random import default_rng

STEPS = 30


def searched(seed: int, term: Term) -> LoadSearch:
    arrays = ProblemArrays.of(load_problem(seed))
    search = LoadSearch(load_terms(arrays, term), None)
    for _ in islice(search.improve([], default_rng(0)), STEPS):
        pass
    return search


@pytest.mark.parametrize("term", LOAD_TERMS)
@pytest.mark.parametrize("seed", range(20))
def test_on_small_problems_the_search_finds_the_optimum_or_that_nothing_fits(
    seed: int, term: Term
) -> None:
    best = best_value(load_problem(seed), term)
    search = searched(seed, term)
    if best is None:
        assert search.best is None
    else:
        assert search.cost == pytest.approx(best if term is Term.L else 1 / best)


def test_the_same_seed_gives_the_same_placement() -> None:
    first, second = searched(3, Term.L), searched(3, Term.L)
    assert first.best is not None
    np.testing.assert_array_equal(first.best, second.best)
    assert first.evaluated == second.evaluated
