from itertools import pairwise, permutations
from random import Random

import numpy as np
import pytest
from eyewall_sidecar.heuristic import evaluator
from eyewall_sidecar.heuristic.evaluation_state import State
from eyewall_sidecar.heuristic.hill_climbing import climb
from eyewall_sidecar.heuristic.neighbourhoods import MOVE, MOVE_ALL, SWAP
from eyewall_sidecar.heuristic.ranges import price
from eyewall_sidecar.heuristic.stopping_criteria import After, SearchProgress, never
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import EckerWeights, Objective

ALL = (MOVE, SWAP, MOVE_ALL)
NETWORK_USAGE = Objective.parse("N=1")


def state_of(
    problem: PlacementProblem, placement: dict[str, str], objective: Objective = NETWORK_USAGE
) -> State:
    arrays = ProblemArrays.of(problem)
    nodes = [node.id for node in problem.nodes]
    places = np.array([nodes.index(placement[it.id]) for it in problem.operators])
    return evaluator.started(arrays, price(arrays, objective).costs, places)


def placed(state: State, problem: PlacementProblem) -> dict[str, str]:
    return {
        operator.id: problem.nodes[place].id
        for operator, place in zip(problem.operators, state.places.tolist(), strict=True)
    }


def chain(
    operators: str, nodes: dict[str, int], delays: dict[tuple[str, str], float], rate: float = 10
) -> PlacementProblem:
    """Return operators in a row; delays hold in both directions, 10 ms where none is given."""
    return PlacementProblem(
        operators=tuple(Operator(it) for it in operators),
        streams=tuple(Stream(i, j, rate) for i, j in pairwise(operators)),
        nodes=tuple(Node(it, operators=capacity) for it, capacity in nodes.items()),
        links={
            (u, v): Link(delays.get((u, v), delays.get((v, u), 0.010)))
            for u, v in permutations(nodes, 2)
        },
    )


def test_a_step_that_helps_the_score_but_overloads_a_node_is_not_taken() -> None:
    # a ─10/s─▶ b: b on n2 costs 10/s · 5 ms = 0.05 tuples in flight; both on n1 would cost
    # nothing, but put two operators where one fits.
    problem = chain("ab", {"n1": 1, "n2": 1}, {("n1", "n2"): 0.005})
    state = state_of(problem, {"a": "n1", "b": "n2"})
    assert climb(state, ALL, never).arrived
    assert placed(state, problem) == {"a": "n1", "b": "n2"}
    assert evaluator.cost(state) == pytest.approx(0.05)


def test_a_step_that_mends_an_overload_is_taken_at_any_cost() -> None:
    # Both on n1 cost nothing but are one too many; apart they cost 10/s · 5 ms.
    problem = chain("ab", {"n1": 1, "n2": 1}, {("n1", "n2"): 0.005})
    state = state_of(problem, {"a": "n1", "b": "n1"})
    assert climb(state, ALL, never).arrived
    assert evaluator.violations(state) == 0
    assert evaluator.cost(state) == pytest.approx(0.05)


def test_an_overload_of_many_is_mended_operator_by_operator() -> None:
    # Six on n1 where two fit: after the first move n1 is still overloaded, but by less.
    problem = chain("abcdef", {"n1": 2, "n2": 2, "n3": 2}, {})
    state = state_of(problem, dict.fromkeys("abcdef", "n1"))
    assert climb(state, (MOVE,), never).arrived
    assert evaluator.violations(state) == 0


def test_the_best_move_is_taken_and_not_the_first_that_improves() -> None:
    # One operator a node. From n1, 9 ms from b on n4, a may come as near as n2 (2 ms) or n3 (1 ms).
    problem = chain(
        "ab",
        {"n1": 1, "n2": 1, "n3": 1, "n4": 1},
        {("n1", "n4"): 0.009, ("n2", "n4"): 0.002, ("n3", "n4"): 0.001},
    )
    state = state_of(problem, {"a": "n1", "b": "n4"})
    climb(state, (MOVE,), After(steps=1, idle=1))
    assert placed(state, problem) == {"a": "n3", "b": "n4"}


def test_full_nodes_are_left_by_swapping() -> None:
    # a, c on n1 and b, d on n2, both full; streams a → b and c → d: no single move is allowed,
    # swapping b and c puts each pair together and costs 0.
    problem = PlacementProblem(
        operators=tuple(Operator(it) for it in "abcd"),
        streams=(Stream("a", "b", 10), Stream("c", "d", 10)),
        nodes=(Node("n1", operators=2), Node("n2", operators=2)),
        links={("n1", "n2"): Link(0.005), ("n2", "n1"): Link(0.005)},
    )
    start = {"a": "n1", "b": "n2", "c": "n1", "d": "n2"}
    stuck, swapped = state_of(problem, start), state_of(problem, start)
    climb(stuck, (MOVE, MOVE_ALL), never)
    climb(swapped, ALL, never)
    assert evaluator.cost(stuck) == pytest.approx(0.1)
    assert evaluator.cost(swapped) == 0


def test_operators_that_no_single_move_brings_together_are_moved_all_at_once() -> None:
    # a ═ b on n1, c ═ d on n2, b ─ c between them, under Ecker's score with w2 to w4 = 1: moving b
    # alone parts it from a, moving all of n1 to n2 saves a node and the stream between.
    problem = PlacementProblem(
        operators=tuple(Operator(it) for it in "abcd"),
        streams=(
            Stream("a", "b", 50),
            Stream("a", "b", 50),
            Stream("b", "c", 1),
            Stream("c", "d", 50),
            Stream("c", "d", 50),
        ),
        nodes=(Node("n1"), Node("n2")),
        links={("n1", "n2"): Link(0.005), ("n2", "n1"): Link(0.005)},
    )
    start = {"a": "n1", "b": "n1", "c": "n2", "d": "n2"}
    ecker = Objective(ecker=EckerWeights())
    stuck, moved = state_of(problem, start, ecker), state_of(problem, start, ecker)
    climb(stuck, (MOVE, SWAP), never)
    climb(moved, ALL, never)
    # 2 of 2 nodes, 1 of 5 streams, 1 of 201 tuples, 5 ms; then 1 of 2 nodes and nothing else.
    assert evaluator.cost(stuck) == pytest.approx(1 + 1 / 5 + 1 / 201 + 5e-6)
    assert evaluator.cost(moved) == pytest.approx(0.5)


def test_an_operator_never_moves_to_a_node_that_is_no_candidate() -> None:
    problem = PlacementProblem(
        operators=(Operator("a", candidates=("n1",)), Operator("b", candidates=("n2", "n3"))),
        streams=(Stream("a", "b"),),
        nodes=(Node("n1"), Node("n2"), Node("n3")),
        links={
            pair: Link(0.001 if "n3" in pair else 0.009)
            for pair in permutations(["n1", "n2", "n3"], 2)
        },
    )
    state = state_of(problem, {"a": "n1", "b": "n2"})
    climb(state, ALL, never)
    assert placed(state, problem) == {"a": "n1", "b": "n3"}


def test_climbing_stops_when_it_is_told_to_and_says_so() -> None:
    problem = chain("abcdef", {"n1": 2, "n2": 2, "n3": 2}, {})
    state = state_of(problem, dict.fromkeys("abcdef", "n1"))
    assert not climb(state, ALL, After(steps=1, idle=1)).arrived
    assert sorted(np.bincount(state.places, minlength=3).tolist()) == [0, 1, 5]

    def at_once(_: SearchProgress, /) -> bool:
        return True

    before = state.places.copy()
    assert not climb(state, ALL, at_once).arrived
    assert np.array_equal(state.places, before)


@pytest.mark.parametrize("objective", ["R=1", "N=1", "ecker"])
@pytest.mark.parametrize("seed", range(3))
def test_where_climbing_ends_no_change_of_any_kind_improves(seed: int, objective: str) -> None:
    draw = Random(seed)
    nodes = {f"n{place}": draw.choice([2, 3]) for place in range(5)}
    delays = {pair: draw.uniform(0.001, 0.1) for pair in permutations(nodes, 2)}
    problem = chain("abcdefgh", nodes, delays)
    start = {it: draw.choice(list(nodes)) for it in "abcdefgh"}
    state = state_of(problem, start, Objective.parse(objective))
    assert climb(state, ALL, never).arrived
    moves = [evaluator.move_delta(state, i, u) for i in range(8) for u in range(5)]
    swaps = [evaluator.swap_delta(state, i, j) for i in range(8) for j in range(8)]
    move_alls = [evaluator.move_all_delta(state, u, v) for u in range(5) for v in range(5)]
    assert not any(evaluator.improves(state, it) for it in (*moves, *swaps, *move_alls))


def test_what_was_looked_at_is_counted_once_however_it_is_sliced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Two operators on one node of two is the optimum: 2 · 2 moves are looked at, and none taken.
    problem = chain("ab", {"n1": 2, "n2": 2}, {})
    monkeypatch.setattr("eyewall_sidecar.heuristic.hill_climbing.AT_ONCE", 2)
    state = state_of(problem, {"a": "n1", "b": "n1"})
    assert climb(state, (MOVE,), never) == (True, 4)
