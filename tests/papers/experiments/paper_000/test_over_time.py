from dataclasses import replace

import pytest
from eyewall_papers.experiments.paper_000.heuristics import Pair, reached, traffic_at
from eyewall_papers.experiments.paper_000.over_time import (
    TRAFFIC,
    Run,
    Step,
    by_optimum,
    in_two_steps,
)
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Term
from small_problems import chain_of

TOGETHER = {"a": "n1", "b": "n1"}
APART = {"a": "n1", "b": "n2"}


def pair() -> PlacementProblem:
    """a ─10/s─▶ b."""
    return chain_of([10], [2, 2])


def run(*steps: tuple[float, dict[str, str]]) -> Run:
    return Run.of(pair(), [Step(since, chosen) for since, chosen in steps])


def test_only_what_differs_from_the_step_before_is_a_reassignment() -> None:
    changing = run((0, TOGETHER), (30, TOGETHER), (60, APART), (90, APART), (120, TOGETHER))
    assert changing.reassignments == (60.0, 120.0)
    assert changing.moves == 2


def test_a_mean_counts_each_placement_for_as_long_as_it_lasts() -> None:
    # No traffic until 100 s, then 10/s: half of the first 200 s, all from 800 to 2000 s.
    late = run((0, TOGETHER), (100, APART))
    assert late.mean(TRAFFIC, 0, 200) == pytest.approx(5)
    assert late.mean(TRAFFIC, 800, 2000) == pytest.approx(10)


def test_a_run_is_measured_by_the_optimums_from_800_to_2000_seconds() -> None:
    # 10/s for 300 of 1200 s is 2.5/s; the optimum has 10/s for all of them.
    assert by_optimum(run((0, APART), (1100, TOGETHER)), run((0, APART)), TRAFFIC) == 0.25


def test_a_run_has_settled_when_nothing_moves_for_500_seconds() -> None:
    assert run((0, TOGETHER), (100, APART), (599, TOGETHER)).settled() == 599
    assert run((0, TOGETHER), (100, APART), (600, TOGETHER)).settled() == 100


def test_traffic_is_that_of_the_placement_that_holds_at_that_moment() -> None:
    late = run((0, TOGETHER), (100, APART))
    assert [traffic_at(late, now) for now in (0, 99, 100, 3000)] == [0, 0, 10, 10]


@pytest.mark.parametrize(
    ("steps", "since"),
    [
        ([(0, TOGETHER)], 0),
        ([(0, APART), (130, TOGETHER)], 130),
        ([(0, TOGETHER), (130, APART)], float("inf")),
        ([(0, TOGETHER), (130, APART), (160, TOGETHER)], 160),
        ([(0, APART), (30, TOGETHER), (60, APART), (90, TOGETHER)], 90),
    ],
)
def test_the_optimum_is_reached_when_it_is_not_left_again(
    steps: list[tuple[float, dict[str, str]]], since: float
) -> None:
    assert reached(Pair(run(*steps), run((0, TOGETHER))), Term.T) == since


def test_s_odp_is_placed_for_availability_until_rates_are_known() -> None:
    # a is pinned to n1, which is up 99 % of the time. With b on n2 that is the availability of
    # both, with b on n1 it is 0.99²; but there nothing travels.
    problem = chain_of([10], [2, 2], pins={"a": "n1"})
    unsure, sure = problem.nodes
    problem = replace(problem, nodes=(replace(unsure, availability=0.99), sure))
    assert in_two_steps(problem, Term.N).steps == (Step(0, APART), Step(100, TOGETHER))
