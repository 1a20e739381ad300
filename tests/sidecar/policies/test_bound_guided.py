from itertools import islice
from math import inf
from random import Random

import numpy as np
import pytest
from every_placement import EveryPlacement
from eyewall_contracts.objective_terms import PAPER_TERMS
from eyewall_sidecar.heuristic.bound_guided_search import guided
from eyewall_sidecar.heuristic.ranges import ranges_of
from eyewall_sidecar.model import Node, Operator, PlacementProblem, Status, Stream, violations
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.links import LinkMatrix
from eyewall_sidecar.objective import Objective, ObjectiveError, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.costs import cost, weigh
from eyewall_sidecar.policies.bound_guided import BoundGuided
from random_problems import random_problem
from small_problems import chain_of

OBJECTIVES = [Objective.parse(it) for it in (*(f"{term}=1" for term in PAPER_TERMS), "R=0.5,N=0.5")]


def still() -> float:
    """Tell a time that never goes on: steps alone end the search."""
    return 0.0


def fan(seed: int, between: int, nodes: int, capacity: int) -> PlacementProblem:
    """Return a source, so many parallel operators and a sink on nodes with random delays."""
    rng = np.random.default_rng(seed)
    names = ["s", *(f"m{place}" for place in range(between)), "t"]
    ids = [f"n{place}" for place in range(nodes)]
    rates = rng.uniform(1, 10, (2, between)).tolist()
    return PlacementProblem(
        operators=tuple(map(Operator, names)),
        streams=(
            *(Stream("s", it, rate) for it, rate in zip(names[1:-1], rates[0], strict=True)),
            *(Stream(it, "t", rate) for it, rate in zip(names[1:-1], rates[1], strict=True)),
        ),
        nodes=tuple(Node(it, operators=capacity) for it in ids),
        links=LinkMatrix.from_delays(ids, rng.uniform(0.001, 0.04, (nodes, nodes))),
    )


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_small_problems_are_solved_to_the_optimum_and_never_beyond(objective: Objective) -> None:
    # Problems with every trait; the optimum is that of all placements, tried one by one.
    for seed in range(12):
        problem = random_problem(seed)
        every = EveryPlacement.of(problem)
        solution = BoundGuided(steps=60, clock=still)(problem, objective, time_limit=1, seed=0)
        if not every.count:
            assert solution.status is Status.INFEASIBLE
            continue
        assert solution.placement is not None
        assert solution.evaluation is not None
        assert solution.status is Status.HEURISTIC
        assert violations(problem, solution.placement) == ()
        ranges = ranges_of(ProblemArrays.of(problem), objective)
        best = every.best(objective, ranges)
        recomputed = evaluate(problem, solution.placement, objective, ranges).value
        assert solution.evaluation.value == recomputed
        if np.isfinite(best):
            assert recomputed == pytest.approx(best, rel=1e-9, abs=1e-12)


def test_the_same_seed_limit_and_steps_give_the_same_placement() -> None:
    problem, objective = fan(3, 12, 9, 3), Objective.parse("N=1")

    def places(seed: int) -> object:
        return BoundGuided(steps=40, clock=still)(
            problem, objective, time_limit=0.05, seed=seed
        ).placement

    assert places(7) == places(7)


def test_more_steps_never_make_it_worse() -> None:
    arrays = ProblemArrays.of(fan(5, 16, 12, 4))
    costs = weigh(arrays, {Term.R: 1.0, Term.N: 0.01})
    search = guided(arrays, costs, [], seconds=0.05, generator=np.random.default_rng(0))
    values = [cost(arrays, costs, it) for it in islice(search, 120)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0]


def test_where_it_runs_already_is_a_placement_to_beat() -> None:
    # A single step looks at the current placement and a greedy one. Room for two on each node and
    # a, b on n1 make 0 for the pair; no other placement is cheaper, and it moves nothing.
    problem = chain_of([10], [1, 2])
    running = PlacementProblem(
        problem.operators, problem.streams, problem.nodes, problem.links, {"a": "n2", "b": "n2"}
    )
    solution = BoundGuided(steps=1, clock=still)(
        running, Objective.parse("N=1"), time_limit=1, seed=0
    )
    assert solution.placement == {"a": "n2", "b": "n2"}
    assert solution.moves == 0


def test_where_it_runs_is_not_answered_if_it_breaks_a_constraint() -> None:
    # Both run on n1, where one fits; apart, each on a node of its own, costs 10/s · 10 ms = 0.1.
    problem = chain_of([10], [1, 1])
    running = PlacementProblem(
        problem.operators, problem.streams, problem.nodes, problem.links, {"a": "n1", "b": "n1"}
    )
    solution = BoundGuided(steps=5, clock=still)(
        running, Objective.parse("N=1"), time_limit=1, seed=0
    )
    assert solution.evaluation is not None
    assert solution.evaluation.value == pytest.approx(0.1)
    assert violations(running, solution.placement or {}) == ()
    # The search itself found it; no exact engine had to stand in for an invalid answer.
    assert solution.decided_by == "bound_guided"


def test_it_ends_when_the_time_is_up() -> None:
    # The clock goes on by 10 ms with each look: no more than 50 looks in half a second.
    looks = 0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return looks * 0.01

    solution = BoundGuided(clock=clock)(
        fan(1, 8, 6, 3), Objective.parse("R=1"), time_limit=0.5, seed=0
    )
    assert solution.seconds <= 0.5 + 0.02
    assert solution.placement is not None


def test_room_for_fewer_than_there_are_names_what_binds() -> None:
    solution = BoundGuided()(chain_of([1, 1], [1, 1]), OBJECTIVES[0], time_limit=1, seed=0)
    assert solution.status is Status.INFEASIBLE
    assert "operators" in solution.reasons[0]


def test_no_operators_are_placed_at_once() -> None:
    problem = PlacementProblem((), (), (Node("n1"),), {})
    solution = BoundGuided(steps=5)(problem, OBJECTIVES[0], time_limit=1, seed=0)
    assert solution.placement == {}


def test_a_single_node_without_streams_takes_all() -> None:
    problem = PlacementProblem((Operator("a"), Operator("b")), (), (Node("n1"),), {})
    solution = BoundGuided(steps=5)(problem, OBJECTIVES[0], time_limit=1, seed=0)
    assert solution.placement == {"a": "n1", "b": "n1"}


def test_eckers_score_is_declined() -> None:
    with pytest.raises(ObjectiveError, match="bound_guided"):
        BoundGuided()(chain_of([1], [inf]), Objective.parse("ecker"), time_limit=1, seed=0)


def test_many_operators_keep_to_the_time_limit_by_narrower_beams() -> None:
    # 2,000 operators in a random tree on 50 nodes: tables and beams of the usual width would take
    # seconds. With a clock that stands still three placements are asked for, and they are valid.
    draw = Random(0)
    ids = [f"n{place}" for place in range(50)]
    delays = np.random.default_rng(0).uniform(0.001, 0.05, (50, 50))
    problem = PlacementProblem(
        operators=tuple(Operator(f"o{place}") for place in range(2000)),
        streams=tuple(
            Stream(f"o{draw.randrange(place)}", f"o{place}", 1.0) for place in range(1, 2000)
        ),
        nodes=tuple(Node(it, operators=50) for it in ids),
        links=LinkMatrix.from_delays(ids, delays),
    )
    solution = BoundGuided(steps=3, clock=still)(
        problem, Objective.parse("R=1"), time_limit=0.05, seed=0
    )
    assert solution.placement is not None
    assert violations(problem, solution.placement) == ()
