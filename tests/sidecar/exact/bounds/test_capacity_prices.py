"""Prices for places: whatever they are, they change how the search goes, not what it proves."""

from math import inf

import numpy as np
import pytest
from brute_force import brute_force
from eyewall_papers.experiments.paper_000.placements import pinned_together
from eyewall_papers.instances.tag_and_count import tag_and_count
from eyewall_sidecar.exact.branch_and_bound import branch_and_bound
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.search_tree import advance
from eyewall_sidecar.exact.tree_state import LEVEL
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import Costs, cost, weigh
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from random_problems import Traits, random_problem
from search_trees import root_of

NODES = 4
ALL = 1_000_000
"""Branchings, more than any of these problems needs."""


def least_cost(arrays: ProblemArrays, costs: Costs, prices: NDArray[np.float64]) -> float:
    """Search to the end with these prices."""
    _, tree = root_of(arrays, costs, prices=prices)
    advance(tree, ALL)
    assert tree.state.counters[LEVEL] < 0
    return float(tree.state.incumbent_cost[0])


@settings(max_examples=150)
@given(
    seed=st.integers(0, 10_000),
    term=st.sampled_from([Term.N, Term.EE, Term.T, Term.R]),
    shares=st.lists(st.sampled_from([0.0, 0.01, 0.1, 0.5, 2.0]), min_size=NODES, max_size=NODES),
)
def test_with_any_prices_the_optimum_is_found(seed: int, term: Term, shares: list[float]) -> None:
    traits = Traits.drawn(np.random.default_rng([seed, 9]), bandwidth=False)
    arrays = ProblemArrays.of(random_problem(seed, traits, operators=6, nodes=NODES))
    costs = weigh(arrays, {term: 1.0})
    optimum = brute_force(arrays, costs).cost
    unit = optimum if 0.0 < optimum < inf else 1.0
    found = least_cost(arrays, costs, np.array(shares[: arrays.nodes]) * unit)
    assert found == pytest.approx(optimum, rel=1e-9, abs=1e-9)


def test_a_placement_dearer_than_the_incumbent_does_not_replace_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # S-ODP with both pins on n5, which is begun again with a price for n5: the optimum has half of
    # layer 1, layers 2 and 3 and half of layer 4 on n2. What the bound takes off for places on n5
    # that stay empty hides what the last operators cost.
    engine = "eyewall_sidecar.exact.branch_and_bound"
    monkeypatch.setattr(f"{engine}._layers_from", lambda *_: ALL)
    arrays = ProblemArrays.of(pinned_together(tag_and_count(20)))
    costs = weigh(arrays, {Term.EE: 1.0})
    optimum = np.array([5, 5, 2, 2, 2, 2, 2, 2, 5, 5, 5, 5])
    found = branch_and_bound(arrays, costs, start=optimum, ends_at=1.0, clock=lambda: 0.0)
    assert found.outcome is Outcome.OPTIMAL
    assert found.cost == pytest.approx(cost(arrays, costs, optimum), rel=1e-9)
