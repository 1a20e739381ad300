"""Rizou's and Pietzuch's policies, on nodes with coordinates and without."""

from itertools import product
from math import inf

import pytest
from brute_force import brute_force
from eyewall_papers.policies.pietzuch import SpringRelaxation
from eyewall_papers.policies.rizou import MultiOperatorPlacement
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.model import (
    Link,
    LinkMatrix,
    Node,
    Operator,
    PlacementProblem,
    Solution,
    Status,
    Stream,
    violations,
)
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective, ObjectiveError, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.costs import weigh
from random_problems import random_problem

N = Objective.parse("N=1")
EE = Objective.parse("EE=1")
RIZOU, PIETZUCH = MultiOperatorPlacement(), SpringRelaxation()


def on_a_line(
    rates: list[float], pins: dict[str, str], rooms: list[float], current: dict[str, str]
) -> PlacementProblem:
    """Return a → b → c … on n0, n1, … that are 10 ms apart, one behind the other."""
    names = [chr(ord("a") + it) for it in range(len(rates) + 1)]
    nodes = tuple(
        Node(f"n{u}", operators=room, coordinates=(0.010 * u,)) for u, room in enumerate(rooms)
    )
    return PlacementProblem(
        operators=tuple(
            Operator(it, candidates=(pins[it],) if it in pins else None) for it in names
        ),
        streams=tuple(Stream(*it) for it in zip(names, names[1:], rates, strict=False)),
        nodes=nodes,
        links={
            (u.id, v.id): Link(abs(u.coordinates[0] - v.coordinates[0]))  # type: ignore[index]
            for u, v in product(nodes, nodes)
            if u != v
        },
        current=current,
    )


def place(policy: MultiOperatorPlacement | SpringRelaxation, problem: PlacementProblem) -> Solution:
    return policy(problem, N, time_limit=10, seed=0)


def test_rizou_goes_for_network_usage_where_pietzuch_goes_for_elastic_energy() -> None:
    # b between a on n0 (2/s) and c on n4 (3/s). N is least at c: 2/s · 40 ms = 0.08. Springs rest
    # at 3/5 of the way, 24 ms, and n2 is nearest: 2/s · 20 ms + 3/s · 20 ms = 0.1.
    problem = on_a_line([2, 3], {"a": "n0", "c": "n4"}, [inf] * 5, {})
    rizou, pietzuch = place(RIZOU, problem), place(PIETZUCH, problem)
    assert rizou.placement == {"a": "n0", "b": "n4", "c": "n4"}
    assert pietzuch.placement == {"a": "n0", "b": "n2", "c": "n4"}
    assert rizou.evaluation is not None
    assert pietzuch.evaluation is not None
    assert rizou.evaluation.value == pytest.approx(0.08)
    assert pietzuch.evaluation.value == pytest.approx(0.1)
    assert rizou.status is pietzuch.status is Status.HEURISTIC
    # Elastic energy: 2 · 0.02² + 3 · 0.02² = 0.002, in place of 2 · 0.04² = 0.0032.
    energy = PIETZUCH(problem, EE, time_limit=10, seed=0)
    assert energy.placement == pietzuch.placement
    assert energy.evaluation is not None
    assert energy.evaluation.value == pytest.approx(0.002)


@pytest.mark.parametrize("policy", [RIZOU, PIETZUCH])
def test_an_answer_has_the_aim_the_cost_space_and_the_effort(
    policy: MultiOperatorPlacement | SpringRelaxation,
) -> None:
    problem = on_a_line([2, 3], {"a": "n0", "c": "n4"}, [inf] * 5, {"b": "n0"})
    aim, space, effort = place(policy, problem).reasons
    assert "network usage N" in aim
    assert space == "cost space: the nodes' own coordinates, 1 dimension"
    assert effort.startswith("operators took ")
    assert "would send 0 messages; 1 migrate, lazily" in effort


def test_a_full_node_sends_the_operator_to_the_next_nearest_with_a_remark() -> None:
    # b would join c on n4, which c fills; n3 is next: 2/s · 30 ms + 3/s · 10 ms = 0.09.
    problem = on_a_line([2, 3], {"a": "n0", "c": "n4"}, [1] * 5, {})
    solution = place(RIZOU, problem)
    assert solution.placement == {"a": "n0", "b": "n3", "c": "n4"}
    assert solution.evaluation is not None
    assert solution.evaluation.value == pytest.approx(0.09)
    assert "operators not on their nearest node, which is full: 1" in solution.reasons


def test_who_runs_well_stays_and_who_does_not_moves() -> None:
    # All at a (3 > 2 > 1): b is there, c joins it.
    problem = on_a_line([3, 2, 1], {"a": "n0", "d": "n4"}, [inf] * 5, {"b": "n0", "c": "n3"})
    solution = place(RIZOU, problem)
    assert solution.placement == {"a": "n0", "b": "n0", "c": "n0", "d": "n4"}
    assert solution.moves == 1


@pytest.mark.parametrize("text", ["R=1", "A=1", "T=1", "EE=1", "R=0.5,N=0.5"])
def test_rizou_declines_what_is_not_network_usage(text: str) -> None:
    with pytest.raises(ObjectiveError, match="policy rizou optimises N alone; ask it for N=1"):
        RIZOU(on_a_line([1], {}, [1, 1], {}), Objective.parse(text), time_limit=1, seed=0)


@pytest.mark.parametrize("text", ["R=1", "A=1", "T=1", "EE=0.5,N=0.5"])
def test_pietzuch_declines_what_is_neither_elastic_energy_nor_network_usage(text: str) -> None:
    with pytest.raises(ObjectiveError, match="ask it for EE=1 or N=1"):
        PIETZUCH(on_a_line([1], {}, [1, 1], {}), Objective.parse(text), time_limit=1, seed=0)


@pytest.mark.parametrize("policy", [RIZOU, PIETZUCH])
def test_without_time_there_is_no_placement(
    policy: MultiOperatorPlacement | SpringRelaxation,
) -> None:
    solution = policy(on_a_line([1], {}, [1, 1], {}), N, time_limit=0, seed=0)
    assert (solution.status, solution.placement) == (Status.TIMED_OUT, None)


@pytest.mark.parametrize("policy", [RIZOU, PIETZUCH])
def test_more_pins_than_room_are_named(policy: MultiOperatorPlacement | SpringRelaxation) -> None:
    solution = place(policy, on_a_line([1], {"a": "n0", "b": "n0"}, [1, 1], {}))
    assert solution.status is Status.INFEASIBLE
    assert "operators: operators a, b need 2 together" in solution.reasons[0]


@pytest.mark.parametrize("policy", [RIZOU, PIETZUCH])
def test_operators_without_streams_are_placed_too(
    policy: MultiOperatorPlacement | SpringRelaxation,
) -> None:
    nodes = (Node("n0", operators=2), Node("n1", operators=2))
    links = LinkMatrix.from_delays(["n0", "n1"], [[0, 0.01], [0.01, 0]])  # type: ignore[arg-type]
    problem = PlacementProblem(tuple(map(Operator, "abc")), (), nodes, links)
    solution = place(policy, problem)
    assert solution.placement is not None
    assert violations(problem, solution.placement) == ()


@pytest.mark.parametrize("policy", [RIZOU, PIETZUCH])
def test_on_random_problems_a_placement_is_valid_and_its_value_right(
    policy: MultiOperatorPlacement | SpringRelaxation,
) -> None:
    placed = 0
    for seed in range(120):
        problem = random_problem(seed)
        arrays = ProblemArrays.of(problem)
        best = brute_force(arrays, weigh(arrays, {Term.N: 1.0}))
        first, second = place(policy, problem), place(policy, problem)
        assert first.placement == second.placement
        assert first.reasons == second.reasons
        if best.outcome is Outcome.INFEASIBLE:
            assert first.status is Status.INFEASIBLE
            assert first.reasons
            continue
        assert first.placement is not None
        assert first.evaluation is not None
        assert first.status is Status.HEURISTIC
        assert violations(problem, first.placement) == ()
        assert first.evaluation == evaluate(problem, first.placement, N, {})
        assert first.evaluation.value >= best.cost - 1e-9 * max(1.0, best.cost)
        placed += first.decided_by in ("rizou", "pietzuch")
    assert placed > 60, "most placements are the policy's own"
