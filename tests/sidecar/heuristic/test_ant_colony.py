from itertools import pairwise, permutations

import numpy as np
import pytest
from eyewall_sidecar.heuristic import evaluator
from eyewall_sidecar.heuristic.ant_colony import Colony, Trail
from eyewall_sidecar.heuristic.evaluation_state import State, blank, terms_of
from eyewall_sidecar.heuristic.ranges import Pricing, price
from eyewall_sidecar.heuristic.stopping_criteria import After
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective
from numpy.random import Generator, default_rng


def chain(operators: str, **nodes: int) -> PlacementProblem:
    """Return operators of cpu 1 in a row, on nodes of so much cpu, 10 ms apart."""
    return PlacementProblem(
        operators=tuple(Operator(it) for it in operators),
        streams=tuple(Stream(i, j) for i, j in pairwise(operators)),
        nodes=tuple(Node(it, cpu=cpu) for it, cpu in nodes.items()),
        links={pair: Link(0.01) for pair in permutations(nodes, 2)},
    )


def begin(problem: PlacementProblem, objective: str) -> tuple[State, Pricing]:
    arrays = ProblemArrays.of(problem)
    pricing = price(arrays, Objective.parse(objective))
    return blank(terms_of(arrays, pricing.costs)), pricing


def together(problem: PlacementProblem, beta: float, attraction: Floats, ants: int) -> float:
    """Return the share of ants that put both operators on one node."""
    state, _ = begin(problem, "ecker")
    trail, rng = Trail(state.terms, beta), default_rng(0)
    first, second = trail.walk(attraction, ants, rng).T
    return float((first == second).mean())


def test_an_ant_prefers_nodes_in_use_with_neighbours_by_two_to_the_power_of_beta_each() -> None:
    # Two operators, two nodes: the second one's η is 2 · 2 where the first is and 1 elsewhere;
    # with β = 1 it goes there with 4 / (4 + 1), with β = 2 with 16 / (16 + 1).
    even = np.ones((2, 2))
    assert together(chain("ab", n1=9, n2=9), 1.0, even, 4000) == pytest.approx(4 / 5, abs=0.02)
    assert together(chain("ab", n1=9, n2=9), 2.0, even, 4000) == pytest.approx(16 / 17, abs=0.02)


def test_an_ant_halves_its_interest_in_a_node_that_it_would_overload() -> None:
    # As above with β = 1, but each node has room for one: η is 2 · 2 / 2, so 2 / (2 + 1).
    even = np.ones((2, 2))
    assert together(chain("ab", n1=1, n2=1), 1.0, even, 4000) == pytest.approx(2 / 3, abs=0.02)


def test_operators_that_are_no_neighbours_are_drawn_together_by_the_node_alone() -> None:
    # No stream: η is 2 where the first one is, 1 elsewhere.
    problem = PlacementProblem(
        (Operator("a"), Operator("b")),
        (),
        (Node("n1"), Node("n2")),
        {("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)},
    )
    assert together(problem, 1.0, np.ones((2, 2)), 4000) == pytest.approx(2 / 3, abs=0.02)


def test_pheromone_decides_where_the_heuristic_does_not() -> None:
    # β = 0: only pheromone counts. Nine times as much on n1 for both: 0.9² + 0.1² together.
    attraction = np.array([[9.0, 1.0], [9.0, 1.0]])
    found = together(chain("ab", n1=9, n2=9), 0.0, attraction, 4000)
    assert found == pytest.approx(0.82, abs=0.02)


def test_an_ant_keeps_to_the_candidates() -> None:
    problem = PlacementProblem(
        (Operator("a", candidates=("n2",)), Operator("b", candidates=("n1", "n3"))),
        (Stream("a", "b"),),
        (Node("n1"), Node("n2"), Node("n3")),
        {pair: Link(0.01) for pair in permutations(["n1", "n2", "n3"], 2)},
    )
    state, _ = begin(problem, "ecker")
    trail, rng = Trail(state.terms, 1.0), default_rng(0)
    first, second = trail.walk(np.ones((2, 3)), 200, rng).T
    assert set(first.tolist()) == {1}
    assert set(second.tolist()) == {0, 2}


def test_the_best_placement_is_kept_whoever_finds_it_when() -> None:
    # Four operators fit on one node: 1 of 3 nodes, nothing between.
    state, pricing = begin(chain("abcd", n1=4, n2=4, n3=4), "ecker")
    best = Colony().search(state, pricing, None, default_rng(1), After(50, 50)).places
    assert len(set(best.tolist())) == 1


def test_a_violation_is_worse_than_any_score() -> None:
    # Everything on one node scores 1/3, but overloads it: two nodes at least.
    state, pricing = begin(chain("abcd", n1=3, n2=3, n3=3), "ecker")
    best = Colony().search(state, pricing, None, default_rng(1), After(50, 50)).places
    evaluator.put(state, best)
    assert evaluator.violations(state) == 0
    # 2 of 3 nodes, 1 of 3 streams, 1 of 3 tuples, 10 ms.
    assert evaluator.cost(state) == pytest.approx(4 / 3 + 1e-5)


def test_the_previous_placement_is_the_answer_if_no_ant_finds_a_better_one() -> None:
    state, pricing = begin(chain("abcd", n1=4, n2=4, n3=4), "ecker")
    previous = np.array([2, 2, 2, 2])
    best = Colony(ants=1).search(state, pricing, previous, default_rng(0), After(3, 3)).places
    assert best.tolist() == [2, 2, 2, 2]


def walked(colony: Colony, told: list[int], rounds: int) -> list[Floats]:
    """Let every ant go where it is told; return the pheromone that each round's ants saw."""
    state, pricing = begin(chain("ab", n1=9, n2=9), "ecker")
    seen: list[Floats] = []

    def walk(_: Trail, attraction: Floats, ants: int, __: Generator) -> Places:
        seen.append(attraction.copy())
        return np.array([told] * ants)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trail, "walk", walk)
        colony.search(state, pricing, None, default_rng(0), After(rounds, rounds))
    return seen


def test_pheromone_decays_by_rho_and_grows_by_q_over_the_score() -> None:
    # Both on n1: 1 of 2 nodes, s = 0.5, Q / s = 2 / 0.5 = 4 for each of two ants: in the next round
    # 0.5 · 1 + 4 + 4 on n1, 0.5 · 1 on n2.
    colony = Colony(ants=2, alpha=1, rho=0.5, initial=1.0, least=0.1, constant=2.0)
    seen = walked(colony, [0, 0], rounds=2)
    assert np.array_equal(seen[0], np.ones((2, 2)))
    assert seen[1] == pytest.approx(np.array([[8.5, 0.5], [8.5, 0.5]]))


def test_pheromone_never_falls_below_the_least() -> None:
    # 0.5 · 1 on n2 would be less than 0.7.
    colony = Colony(ants=1, alpha=1, rho=0.5, initial=1.0, least=0.7, constant=2.0)
    assert walked(colony, [0, 0], rounds=2)[1][:, 1].tolist() == [0.7, 0.7]


def test_pheromone_counts_to_the_power_of_alpha() -> None:
    colony = Colony(ants=1, alpha=2, initial=3.0)
    assert np.array_equal(walked(colony, [0, 0], rounds=1)[0], np.full((2, 2), 9.0))


def test_a_large_round_is_interrupted_between_groups_of_ants() -> None:
    # With 1,000,000 choices at once, 1,000 operators on 500 nodes are two ants at a time.
    assert list(Colony(ants=5)._groups(500_000)) == [2, 2, 1]
    assert list(Colony(ants=5)._groups(400)) == [5]
    assert list(Colony(ants=2)._groups(10**8)) == [1, 1]
