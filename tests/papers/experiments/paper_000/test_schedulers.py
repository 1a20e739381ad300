from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.experiments.paper_000.heuristics import (
    STRAIGHT_TO_BALANCE,
    TRAFFIC,
    ComparedRun,
    traffic_at,
)
from eyewall_papers.experiments.paper_000.placements import find_placement
from eyewall_papers.experiments.paper_000.schedulers import (
    Coordinates,
    PlacementStep,
    PlacementTimeline,
    run_decentralised,
    run_s_odp,
    run_xu,
    take_one_turn,
)
from eyewall_papers.policies import rizou
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from numpy.random import Generator, default_rng
from small_problems import chain_of

TOGETHER = {"a": "n1", "b": "n1"}
APART = {"a": "n1", "b": "n2"}


def pair() -> PlacementProblem:
    """a ─10/s─▶ b."""
    return chain_of([10], [2, 2])


def run(*steps: tuple[float, dict[str, str]]) -> PlacementTimeline:
    return PlacementTimeline.of(pair(), [PlacementStep(since, chosen) for since, chosen in steps])


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
    assert (
        ComparedRun(run((0, APART), (1100, TOGETHER)), run((0, APART))).ratio_to_optimum(TRAFFIC)
        == 0.25
    )


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
    assert ComparedRun(run(*steps), run((0, TOGETHER))).time_of_optimum(Term.T) == since


def test_s_odp_is_placed_for_availability_until_rates_are_known() -> None:
    # a is pinned to n1, which is up 99 % of the time. With b on n2 that is the availability of
    # both, with b on n1 it is 0.99²; but there nothing travels.
    problem = chain_of([10], [2, 2], pins={"a": "n1"})
    unsure, sure = problem.nodes
    problem = replace(problem, nodes=(replace(unsure, availability=0.99), sure))
    assert run_s_odp(problem, Term.N).steps == (
        PlacementStep(0, APART),
        PlacementStep(100, TOGETHER),
    )


XU_PROBLEM = chain_of([1, 9], [2, 2])
"""a ─1/s─▶ b ─9/s─▶ c on two nodes with room for two."""


def test_best_fit_keeps_together_what_exchanges_most() -> None:
    # b comes first with 10/s, c joins it for 9/s, and a has no room there: 1/s is left.
    fitted = find_placement("xu", XU_PROBLEM, Term.T)
    assert fitted["b"] == fitted["c"] != fitted["a"]
    assert TRAFFIC(XU_PROBLEM, fitted) == 1


def test_xus_scheduler_goes_from_round_robin_to_best_fit_when_rates_are_known() -> None:
    # Round robin has a and c on n1, b on n2: all 10/s travel. After 100 s about 100 and 900 tuples
    # were counted, so b and c come together; more tuples do not change that.
    changing = run_xu(XU_PROBLEM, default_rng(0))
    assert changing.reassignments == (100.0,)
    assert changing.values(TRAFFIC).tolist() == [10, 1]


class Counted:
    """Tuples that arrive as the test says, first those of 50 s, then those of every 50 s."""

    def __init__(self, *counts: tuple[int, int]) -> None:
        self.counts = iter(counts)

    def poisson(self, expected: Floats) -> Floats:
        return np.array(next(self.counts, (0, 0)))


def test_xus_scheduler_corrects_itself_when_more_tuples_were_counted() -> None:
    # 90 and 10 tuples in 100 s bring a and b together, 100 and 900 in 150 s b and c; what comes
    # after that changes no order.
    changing = run_xu(XU_PROBLEM, cast("Generator", Counted((90, 10), (0, 0), (10, 890))))
    assert changing.reassignments == (100.0, 150.0)
    assert changing.values(TRAFFIC).tolist() == [10, 9, 1]


ENDS = {"a": "n1", "c": "n2"}


def test_executors_start_as_storms_even_scheduler_spreads_them() -> None:
    chosen = find_placement("round_robin", chain_of([1, 1, 1], [2, 2]), Term.T)
    assert chosen == {"a": "n1", "b": "n2", "c": "n1", "d": "n2"}


def test_one_turn_takes_one_operator_to_where_its_springs_balance() -> None:
    # a ─1/s─▶ b ─3/s─▶ c ─1/s─▶ d in a line at 0, 9, 4 and 8: b goes to (1 · 0 + 3 · 4) / 4 = 3.
    # c, which would go to (3 · 3 + 1 · 8) / 4 now, has its turn another time.
    graph = OperatorGraph.of(ProblemArrays.of(chain_of([1, 3, 1], [4, 4])))
    positions = np.array([[0.0, 0, 0], [9, 0, 0], [4, 0, 0], [8, 0, 0]])
    take_one_turn(STRAIGHT_TO_BALANCE, graph, positions, 1)
    np.testing.assert_allclose(positions[:, 0], [0, 3, 4, 8], atol=1e-6)


def test_an_operator_moves_to_its_heavier_neighbour_once_and_stays() -> None:
    # b starts on n1, and its Weber point between 1/s and 9/s is where the 9/s go to: n2.
    problem = chain_of([1, 9], [2, 2], pins=ENDS, delays={("n1", "n2"): 0.020})
    changing = run_decentralised(problem, rizou.TURNS, default_rng(0))
    assert [it.chosen["b"] for it in changing.steps] == ["n1", "n2"]
    assert changing.reassignments == (30.0,)
    assert changing.moves == 1


def test_nothing_moves_that_is_where_it_wants_to_be() -> None:
    problem = chain_of([9, 1], [2, 2], pins=ENDS, delays={("n1", "n2"): 0.020})
    changing = run_decentralised(problem, rizou.TURNS, default_rng(0))
    assert [it.chosen["b"] for it in changing.steps] == ["n1"]


def test_half_a_round_trip_deviates_less_than_one_way() -> None:
    # One way by 1 to 3 ms, so half of both by √(1² + 1²) / 2 = 0.7 to √(3² + 3²) / 2 = 2.1 ms.
    deviations = Coordinates.unknown(np.zeros((30, 30)), default_rng(0)).deviations * 1e3
    assert 0.7 < deviations.min() < deviations.max() < 2.13


def test_coordinates_come_close_to_what_is_measured_and_do_not_come_to_rest() -> None:
    # 18 ms there and 22 ms back: 20 ms apart.
    delays = np.array([[0, 0.018], [0.022, 0]])
    coordinates = Coordinates.unknown(delays, default_rng(0))
    coordinates.measure(600)
    first, second = coordinates.positions.copy()
    assert 0.017 < np.linalg.norm(first - second) < 0.023
    coordinates.measure(1)
    assert (coordinates.positions[0] != first).any()
