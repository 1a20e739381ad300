"""The figures and tables of paper 003."""

from dataclasses import replace

import pytest
from eyewall_papers.experiments.paper_003.figures import OPTIMUM, OURS, figures, mean, prices, solve
from eyewall_papers.experiments.paper_003.workload import WorkloadReading, WorkloadSetting, problem


def test_there_is_a_figure_for_each_of_2_to_9_and_fewer_points_when_quick() -> None:
    whole, quick = figures(quick=False), figures(quick=True)
    assert {it.name[0] for it in whole} == set("23456789")
    assert sum(len(it.points) for it in quick) < sum(len(it.points) for it in whole) / 2


def test_our_method_is_not_dearer_and_not_cheaper_than_the_optimum() -> None:
    drawn = problem(WorkloadSetting(12), 0, WorkloadReading())
    one_type = replace(drawn, types=(max(drawn.types, key=lambda it: it.price),))
    paid = prices(one_type, 0, limit=5.0, optimum=True)
    assert paid[OURS] == paid[OPTIMUM] == 18846


def test_a_mean_is_of_what_was_found() -> None:
    assert mean([None, 2.0, 4.0]) == 3.0
    assert mean([None]) is None


def test_every_tree_of_a_point_is_solved_by_every_method() -> None:
    figure = next(it for it in figures(quick=True) if it.name == "3a")
    two = replace(figure, points=figure.points[:2])
    steps: list[int] = []
    found = solve(
        two, WorkloadReading(), seeds=range(2), limit=1.0, advance=lambda: steps.append(1)
    )
    assert len(found) == 2
    assert all(len(it) == 2 for point in found for it in point.values())
    assert len(steps) == 4
    assert set(two.panel(found).lines) == set(found[0])


@pytest.mark.parametrize("name", ["2b", "5a"])
def test_a_method_that_finds_nothing_has_no_line(name: str) -> None:
    figure = next(it for it in figures(quick=True) if it.name == name)
    assert figure.panel([{"x": [None]} for _ in figure.points]).lines == {}
