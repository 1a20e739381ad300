import numpy as np
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.experiments.paper_000 import decentralised
from eyewall_papers.experiments.paper_000.coordinates import Coordinates
from eyewall_papers.experiments.paper_000.heuristics import STRAIGHT_TO_BALANCE
from eyewall_papers.policies import rizou
from eyewall_sidecar.model.arrays import ProblemArrays
from numpy.random import default_rng
from small_problems import chain_of

ENDS = {"a": "n1", "c": "n2"}


def test_executors_start_as_storms_even_scheduler_spreads_them() -> None:
    start = decentralised.spread(chain_of([1, 1, 1], [2, 2]))
    assert start.since == 0
    assert start.chosen == {"a": "n1", "b": "n2", "c": "n1", "d": "n2"}


def test_one_turn_takes_one_operator_to_where_its_springs_balance() -> None:
    # a ─1/s─▶ b ─3/s─▶ c ─1/s─▶ d in a line at 0, 9, 4 and 8: b goes to (1 · 0 + 3 · 4) / 4 = 3.
    # c, which would go to (3 · 3 + 1 · 8) / 4 now, has its turn another time.
    graph = OperatorGraph.of(ProblemArrays.of(chain_of([1, 3, 1], [4, 4])))
    positions = np.array([[0.0, 0, 0], [9, 0, 0], [4, 0, 0], [8, 0, 0]])
    decentralised._one_turn(STRAIGHT_TO_BALANCE, graph, positions, 1)
    np.testing.assert_allclose(positions[:, 0], [0, 3, 4, 8], atol=1e-6)


def test_an_operator_moves_to_its_heavier_neighbour_once_and_stays() -> None:
    # b starts on n1, and its Weber point between 1/s and 9/s is where the 9/s go to: n2.
    problem = chain_of([1, 9], [2, 2], pins=ENDS, delays={("n1", "n2"): 0.020})
    run = decentralised.run(problem, rizou.TURNS, default_rng(0))
    assert [it.chosen["b"] for it in run.steps] == ["n1", "n2"]
    assert run.reassignments == (30.0,)
    assert run.moves == 1


def test_nothing_moves_that_is_where_it_wants_to_be() -> None:
    problem = chain_of([9, 1], [2, 2], pins=ENDS, delays={("n1", "n2"): 0.020})
    run = decentralised.run(problem, rizou.TURNS, default_rng(0))
    assert [it.chosen["b"] for it in run.steps] == ["n1"]


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
