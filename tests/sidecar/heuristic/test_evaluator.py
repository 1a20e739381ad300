from itertools import permutations
from math import inf
from random import Random

import numpy as np
import pytest
from eyewall_sidecar.heuristic import evaluator
from eyewall_sidecar.heuristic.evaluation_state import State
from eyewall_sidecar.heuristic.evaluator import PlacementChange
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.model.violations import violations as broken_constraints
from eyewall_sidecar.objective import EckerWeights, Term
from eyewall_sidecar.objectives.costs import Costs, cost, weigh
from eyewall_sidecar.objectives.ecker import EckerCosts, ecker_costs, ecker_score

OPERATORS, NODES = 14, 6

WEIGHTS = {
    "R": {Term.R: 1.0},
    "A": {Term.A: 1.0},
    "T": {Term.T: 1.0},
    "N": {Term.N: 1.0},
    "EE": {Term.EE: 1.0},
    "a mix": {Term.R: 2.0, Term.A: 0.5, Term.T: 0.1, Term.N: 3.0, Term.EE: 7.0},
    "a mix that forbids": {Term.R: 1.0, Term.A: 0.0},
}
ECKER = EckerWeights(lat=0.01, sup=1, co=0.5, event=0.7)
"""A greater w1 than the paper's: its share of the score shall be seen."""


def problem_of(seed: int, *, fails: bool = False) -> PlacementProblem:
    """Return operators in any graph, cycles, loops and system streams included, all limited."""
    draw = Random(seed)
    nodes = [f"n{place}" for place in range(NODES)]
    operators = [f"o{place}" for place in range(OPERATORS)]

    def availability() -> float:
        return 0.0 if fails and draw.random() < 0.2 else draw.uniform(0.9, 1)

    return PlacementProblem(
        operators=tuple(
            Operator(
                it,
                cpu=draw.choice([0.1, 0.3, 1]),
                memory=draw.choice([0, 1e8, 5e8]),
                execution_time=draw.uniform(0, 0.01),
                candidates=tuple(draw.sample(nodes, 4)) if draw.random() < 0.5 else None,
            )
            for it in operators
        ),
        streams=tuple(
            Stream(
                draw.choice(operators),
                draw.choice(operators),
                draw.uniform(0, 10),
                tuple_bytes=100,
                system=draw.random() < 0.2,
            )
            for _ in range(24)
        ),
        nodes=tuple(
            Node(
                it,
                cpu=draw.choice([inf, 1, 2]),
                memory=draw.choice([inf, 1e9]),
                operators=draw.choice([0, 2, 4, inf]),
                speedup=draw.uniform(0.5, 2),
                availability=availability(),
            )
            for it in nodes
        ),
        links={
            pair: Link(
                draw.uniform(0.001, 0.1),
                availability(),
                draw.choice([inf, 500, 2000]),
            )
            for pair in permutations(nodes, 2)
        },
    )


def wander(state: State, draw: Random, steps: int) -> None:
    """Change the placement at random; each change must be what its delta foretold."""
    for _ in range(steps):
        before = now(state)
        match draw.randrange(3):
            case 0:
                i, u = draw.randrange(OPERATORS), draw.randrange(NODES)
                change = evaluator.move_delta(state, i, u)
                assert now(state) == before, "a delta leaves the state as it was"
                evaluator.move(state, i, u)
            case 1:
                i, j = draw.randrange(OPERATORS), draw.randrange(OPERATORS)
                change = evaluator.swap_delta(state, i, j)
                assert now(state) == before, "a delta leaves the state as it was"
                evaluator.swap(state, i, j)
            case _:
                u, v = draw.randrange(NODES), draw.randrange(NODES)
                change = evaluator.move_all_delta(state, u, v)
                assert now(state) == before, "a delta leaves the state as it was"
                evaluator.move_all(state, u, v)
                if draw.random() < 0.5:  # or all would soon be on one node
                    spread(state, draw)
                    continue
        for was, difference, is_now in zip(before, change, now(state), strict=True):
            assert was + difference == pytest.approx(is_now, abs=1e-9)


def spread(state: State, draw: Random) -> None:
    for operator in range(OPERATORS):
        evaluator.move(state, operator, draw.randrange(NODES))


def now(state: State) -> tuple[float, ...]:
    return (
        evaluator.violations(state),
        evaluator.excess(state),
        evaluator.forbidden(state),
        evaluator.finite_cost(state),
    )


def start(
    problem: PlacementProblem, costs: Costs | EckerCosts, draw: Random
) -> tuple[ProblemArrays, State]:
    arrays = ProblemArrays.of(problem)
    places = np.array([draw.randrange(NODES) for _ in range(OPERATORS)])
    return arrays, evaluator.started(arrays, costs, places)


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS.keys())
@pytest.mark.parametrize("seed", range(4))
def test_after_hundreds_of_changes_the_running_cost_is_the_recomputed_one(
    seed: int, weights: dict[Term, float]
) -> None:
    problem, draw = problem_of(seed), Random(seed)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, weights)
    _, state = start(problem, costs, draw)
    for _ in range(10):
        wander(state, draw, 50)
        expected = cost(arrays, costs, state.places)
        assert evaluator.cost(state) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_after_hundreds_of_changes_the_running_ecker_score_is_the_recomputed_one(seed: int) -> None:
    problem, draw = problem_of(seed), Random(seed)
    arrays = ProblemArrays.of(problem)
    _, state = start(problem, ecker_costs(arrays, ECKER), draw)
    for _ in range(10):
        wander(state, draw, 50)
        expected = ecker_score(problem, placement_of(problem, state.places), ECKER)
        assert evaluator.cost(state) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_after_hundreds_of_changes_the_running_violations_are_the_recomputed_ones(
    seed: int,
) -> None:
    problem, draw = problem_of(seed), Random(seed)
    arrays = ProblemArrays.of(problem)
    _, state = start(problem, weigh(arrays, {Term.T: 1.0}), draw)
    for _ in range(20):
        wander(state, draw, 25)
        number, amount = counted(problem, state.places)
        assert evaluator.violations(state) == number
        assert evaluator.excess(state) == pytest.approx(amount, rel=1e-9, abs=1e-9)
        valid = not broken_constraints(problem, placement_of(problem, state.places))
        assert (number == 0) == valid


@pytest.mark.parametrize("seed", range(4))
def test_a_cost_is_infinite_exactly_while_something_of_availability_0_is_in_use(seed: int) -> None:
    problem, draw = problem_of(seed, fails=True), Random(seed)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, {Term.A: 1.0, Term.N: 1.0})
    _, state = start(problem, costs, draw)
    for _ in range(50):
        wander(state, draw, 10)
        assert evaluator.cost(state) == pytest.approx(cost(arrays, costs, state.places))
        spent = costs.per_operator[state.places].tolist() + [
            costs.per_stream[state.places[i], state.places[j]]
            for i, j in zip(arrays.sources, arrays.targets, strict=True)
        ]
        assert evaluator.forbidden(state) == spent.count(inf)


def test_a_critical_operator_that_moves_nearer_leaves_the_next_longest_way() -> None:
    # Two ways from a to d, all work 0: over b 10 + 10 = 20 ms, over c 8 + 1 = 9 ms.
    # b next to a and d (1 ms each) makes the way over it 2 ms: the one over c is the longest now.
    delays = {"n1": {"n2": 10, "n3": 8, "n4": 1}, "n4": {"n2": 10, "n3": 1, "n5": 1}}
    problem = PlacementProblem(
        operators=tuple(Operator(it) for it in "abcd"),
        streams=(Stream("a", "b"), Stream("b", "d"), Stream("a", "c"), Stream("c", "d")),
        nodes=tuple(Node(it) for it in ("n1", "n2", "n3", "n4", "n5")),
        links={
            (u, v): Link(
                delays.get(u, {}).get(v, delays.get(v, {}).get(u, 1)) / 1000,
            )
            for u, v in permutations(["n1", "n2", "n3", "n4", "n5"], 2)
        },
    )
    arrays = ProblemArrays.of(problem)
    state = evaluator.started(arrays, weigh(arrays, {Term.R: 1.0}), np.array([0, 1, 2, 3]))
    assert evaluator.cost(state) == pytest.approx(0.020)
    assert evaluator.move_delta(state, 1, 4).cost == pytest.approx(0.009 - 0.020)


def test_better_means_fewer_violations_then_less_excess_then_less_forbidden_then_less_cost() -> (
    None
):
    ranked = [
        PlacementChange(-1, 5.0, 3, 9.0),
        PlacementChange(0, -0.5, 3, 9.0),
        PlacementChange(0, 0.0, -1, 9.0),
        PlacementChange(0, 0.0, 0, -1e-3),
        PlacementChange(0, 0.0, 0, 0.0),
        PlacementChange(0, 0.0, 0, 1e-3),
        PlacementChange(1, -5.0, 0, -9.0),
    ]
    for place, one in enumerate(ranked):
        for other in ranked[place + 1 :]:
            assert evaluator.less(one, other, 1e-9)
            assert not evaluator.less(other, one, 1e-9)


def test_the_version_of_a_state_grows_so_that_what_was_remembered_of_paths_is_not_believed() -> (
    None
):
    problem = problem_of(0)
    arrays = ProblemArrays.of(problem)
    state = evaluator.started(arrays, weigh(arrays, {Term.R: 1.0}), np.zeros(OPERATORS, np.int64))
    before = evaluator.move_delta(state, 0, 1).cost
    evaluator.put(state, np.ones(OPERATORS, np.int64))
    evaluator.put(state, np.zeros(OPERATORS, np.int64))
    assert evaluator.move_delta(state, 0, 1).cost == before


def counted(problem: PlacementProblem, places: Places) -> tuple[int, float]:
    """Count broken constraints and their excess from the definition, in the largest needs."""
    arrays = ProblemArrays.of(problem)
    amounts = [1.0 for i, u in enumerate(places) if not arrays.allowed[i, u]]
    for needs, limits in zip(arrays.requirements, arrays.limits, strict=True):
        loads = np.bincount(places, weights=needs, minlength=NODES)
        amounts += [(it - limit) / needs.max() for it, limit in zip(loads, limits, strict=True)]
    traffic = np.zeros((NODES, NODES))
    carried = arrays.rates * arrays.sizes
    np.add.at(traffic, (places[arrays.sources], places[arrays.targets]), carried)
    limits = arrays.bandwidths + 1e-9 * np.maximum(1.0, arrays.bandwidths)
    amounts += ((traffic - limits) / carried.max()).ravel().tolist()
    broken = [it for it in amounts if it > 0]
    return len(broken), sum(broken)


def test_after_ten_thousand_moves_rounding_has_not_added_up() -> None:
    problem, draw = problem_of(7), Random(7)
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, WEIGHTS["a mix"])
    _, state = start(problem, costs, draw)
    for _ in range(10_000):
        evaluator.move(state, draw.randrange(OPERATORS), draw.randrange(NODES))
    assert evaluator.cost(state) == pytest.approx(cost(arrays, costs, state.places), abs=1e-9)
    number, amount = counted(problem, state.places)
    assert evaluator.violations(state) == number
    assert evaluator.excess(state) == pytest.approx(amount, abs=1e-9)
