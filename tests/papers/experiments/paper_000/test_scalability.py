from math import inf

import pytest
from eyewall_papers.experiments.paper_000.scalability import (
    ScalingCase,
    ScalingRun,
    baseline_with_load,
    cases,
    degradation,
    median_gap,
    median_ms,
    solve,
    variables,
)
from eyewall_papers.instances.baseline import GraphShape, baseline


def solved(value: float, *, seconds: float = 0.0, gap: float = 0.0) -> ScalingRun:
    return ScalingRun(seconds, value, gap, proven=gap == 0)


def test_the_papers_formulation_has_an_x_for_each_place_and_a_y_for_each_pair_of_places() -> None:
    # 10 operators on 20 nodes; 9 streams on 20² pairs.
    assert variables(baseline(GraphShape.SEQUENTIAL, 10, 20, seed=1)) == (200, 3600)


def test_larger_operators_fill_the_same_nodes() -> None:
    problem = baseline_with_load(GraphShape.SEQUENTIAL, 2, 1)
    assert {it.cpu for it in problem.operators} == {2}
    assert {it.cpu for it in problem.nodes} == {4}


def test_times_and_gaps_are_medians_of_seeds_an_unproven_one_included() -> None:
    found = [solved(1, seconds=0.2, gap=inf), solved(1, seconds=0.004, gap=0.1), solved(1)]
    assert median_ms(found) == pytest.approx(4)
    assert median_gap(found) == pytest.approx(0.1)


def test_a_sample_of_candidates_is_compared_seed_by_seed_with_the_work_on_the_path() -> None:
    # (1 + 2) / (1 + 1) and (1 + 5) / (1 + 2): the median of 1.5 and 2.
    found, whole = [solved(2), solved(5)], [solved(1), solved(2)]
    assert degradation(found, whole, 1.0) == pytest.approx(1.75)


def test_a_point_is_a_problem_for_each_seed_that_odp_solves() -> None:
    # Four operators on nodes with room for four: nothing has to travel.
    def draw(seed: int) -> object:
        return baseline(GraphShape.SEQUENTIAL, 4, 2, seed=seed)

    case = ScalingCase("operators", GraphShape.SEQUENTIAL, 4, draw, limit=5.0)  # type: ignore[arg-type]
    found = solve(case, seed=1)
    assert (found.value, found.gap, found.proven) == (0, 0, True)


def test_each_factor_is_varied_with_the_papers_other_sizes_kept() -> None:
    drawn = {
        (it.factor, it.amount): it.draw(1)
        for it in cases(full=False, limit=1.0)
        if it.shape is GraphShape.SEQUENTIAL
    }
    sizes = {key: (len(it.operators), len(it.nodes)) for key, it in drawn.items()}
    assert sizes["operators", 50] == (50, 20)
    assert sizes["nodes", 100] == (20, 100)
    assert sizes["capacity", 10] == (20, 20)
    assert drawn["capacity", 10].nodes[0].operators == 10
    # 20 operators fill 5 nodes with room for 4 wholly.
    assert sizes["load, by nodes", 1.0] == (20, 5)
    # A fifth of 20 candidates is 4.
    assert {len(it.candidates or ()) for it in drawn["candidates", 0.2].operators} == {4}
