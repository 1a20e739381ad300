"""Candidate sampling: each operator keeps a random share of its candidates (paper 000, §7.3)."""

from collections import Counter
from time import perf_counter

import numpy as np
import pytest
from eyewall_sidecar.exact.sampling import sampled
from eyewall_sidecar.exact.solve import solve
from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objective import Objective
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

NAMES = tuple(f"n{number}" for number in range(10))


def pipeline(*candidates: tuple[str, ...] | None) -> PlacementProblem:
    """A chain of one operator for each entry, on ten nodes with room for two."""
    count = len(candidates)
    return PlacementProblem(
        operators=tuple(Operator(f"op{i}", candidates=it) for i, it in enumerate(candidates)),
        streams=tuple(Stream(f"op{i}", f"op{i + 1}") for i in range(count - 1)),
        nodes=tuple(Node(name, operators=2) for name in NAMES),
        links=LinkMatrix.from_delays(NAMES, default_rng(7).uniform(0.01, 0.03, (10, 10))),
    )


@pytest.mark.parametrize(
    ("share", "kept"),
    # Of 10 nodes and of the 4 named ones: 2 and 0.8 ≈ 1; 5 and 2; 0.4 ≈ 0 and 0.16 ≈ 0, yet one
    # has to be left; 9.9 ≈ 10 and 3.96 ≈ 4.
    [(0.2, (2, 1)), (0.5, (5, 2)), (0.04, (1, 1)), (0.99, (10, 4)), (1.0, (10, 4))],
)
def test_each_operator_keeps_its_share_and_at_least_one(
    share: float, kept: tuple[int, int]
) -> None:
    problem = sampled(pipeline(None, NAMES[3:7]), share, default_rng(0))
    assert tuple(len(problem.candidates(it.id)) for it in problem.operators) == kept


@given(share=st.floats(0.01, 1.0), seed=st.integers(0, 2**32 - 1))
def test_what_is_kept_was_a_candidate_once_and_pins_stay(share: float, seed: int) -> None:
    before = pipeline(("n9",), None, NAMES[2:6], ("n0",))
    after = sampled(before, share, default_rng(seed))
    for operator in before.operators:
        left = after.candidates(operator.id)
        assert set(left) <= set(before.candidates(operator.id))
        assert len(set(left)) == len(left)
    assert after.candidates("op0") == ("n9",)
    assert after.candidates("op3") == ("n0",)


def test_nothing_but_candidates_changes() -> None:
    before = pipeline(None, None, None)
    after = sampled(before, 0.3, default_rng(0))
    assert (after.streams, after.nodes, after.links) == (before.streams, before.nodes, before.links)
    assert [it.id for it in after.operators] == [it.id for it in before.operators]
    assert sampled(before, 1.0, default_rng(0)) == before


def test_operators_draw_by_themselves_and_every_node_alike() -> None:
    # 2,000 operators keep 3 of 10: each node by 600 ± 20.5 (√(2000 · 0.3 · 0.7)) of them; four
    # deviations are 82. One draw for all would give 2,000 or 0; the first ones likewise.
    problem = sampled(pipeline(*[None] * 2000), 0.3, default_rng(5))
    counts = Counter(node for it in problem.operators for node in it.candidates or ())
    assert np.abs(np.array([counts[name] for name in NAMES]) - 600).max() < 82


def test_the_same_seed_draws_the_same() -> None:
    problem = pipeline(None, None, None, None)
    draws = [sampled(problem, 0.3, default_rng(seed)) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


@pytest.mark.parametrize("seed", range(10))
def test_a_sample_is_never_better_than_the_whole(seed: int) -> None:
    problem = pipeline(*[None] * 6)
    values = []
    for it in (problem, sampled(problem, 0.3, default_rng(seed))):
        found = solve(it, Objective.parse("R=1"), time_limit=60, seed=1, clock=perf_counter)
        assert found
        assert found.evaluation is not None
        values.append(found.evaluation.value)
    assert values[1] >= values[0] - 1e-12


@pytest.mark.parametrize("share", [0.0, -0.2, 1.2, float("nan")])
def test_a_share_that_is_none_is_named(share: float) -> None:
    with pytest.raises(ValueError, match=r"share of candidates is .*must be > 0 and at most 1"):
        sampled(pipeline(None), share, default_rng(0))
