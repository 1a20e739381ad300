"""What holds for every policy, on generated problems small enough to try every placement."""

from itertools import product
from math import inf, isclose

import pytest
from eyewall_sidecar.model import (
    Link,
    Node,
    Operator,
    Placement,
    PlacementProblem,
    Range,
    Status,
    Stream,
    violations,
)
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies import POLICIES, Policy
from eyewall_sidecar.qos import evaluate
from eyewall_sidecar.qos.evaluation import WEIGHED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

OBJECTIVES = [
    Objective.parse(text)
    for text in (
        "R=1",
        "A=1",
        "T=1",
        "N=1",
        "EE=1",
        "R=0.5,A=0.2,N=0.3",
        "A=0.5,EE=0.5",
        "R=0.2,A=0.2,T=0.2,N=0.2,EE=0.2",
    )
]


@st.composite
def problems(draw: st.DrawFn) -> PlacementProblem:
    """Up to five operators on up to four nodes that differ in everything."""

    def pick(*values: float) -> float:
        return draw(st.sampled_from(values))

    node_ids = [f"n{u}" for u in range(draw(st.integers(1, 4)))]
    nodes = [
        Node(
            u,
            cpu=pick(inf, 1, 2, 3.5),
            memory=pick(inf, 1e9, 3e9),
            operators=pick(inf, 1, 2, 3),
            speedup=pick(1, 0.5, 2),
            availability=pick(1, 0.99, 0.9, 0),
        )
        for u in node_ids
    ]
    operator_ids = [f"o{i}" for i in range(draw(st.integers(1, 5)))]
    operators = [
        Operator(
            i,
            cpu=pick(0, 0.3, 0.7, 1),
            memory=pick(0, 1e8, 5e8),
            execution_time=pick(0, 0.001, 0.5),
            candidates=draw(
                st.none() | st.lists(st.sampled_from(node_ids), min_size=1, unique=True).map(tuple)
            ),
        )
        for i in operator_ids
    ]
    limits = draw(st.sampled_from([(inf,), (inf, 100.0, 500.0)]))
    links = {
        (u, v): Link(pick(0, 0.001, 0.01, 0.02, 0.045), pick(1, 0.99, 0), pick(*limits))
        for u, v in product(node_ids, node_ids)
        if u != v
    }
    ends = st.tuples(st.sampled_from(operator_ids), st.sampled_from(operator_ids))
    streams = [
        Stream(i, j, pick(1, 0, 7.5, 100), pick(1, 10), draw(st.integers(0, 6)) == 0)
        for i, j in draw(st.lists(ends, max_size=6))
    ]
    current = {i: draw(st.sampled_from(node_ids)) for i in operator_ids}
    return PlacementProblem(tuple(operators), tuple(streams), tuple(nodes), links, current)


def valid_placements(problem: PlacementProblem) -> list[Placement]:
    operators = [operator.id for operator in problem.operators]
    choices = product(*(problem.candidates(operator) for operator in operators))
    placements = [dict(zip(operators, nodes, strict=True)) for nodes in choices]
    return [placement for placement in placements if not violations(problem, placement)]


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES.keys())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problem=problems(), objective=st.sampled_from(OBJECTIVES))
def test_a_policy_finds_a_valid_placement_with_its_true_value_or_says_that_there_is_none(
    policy: Policy, problem: PlacementProblem, objective: Objective
) -> None:
    solution = policy(problem, objective, time_limit=20, seed=0)
    placements = valid_placements(problem)
    if not placements:
        assert solution.status is Status.INFEASIBLE
        assert solution.reasons
        return

    assert solution.placement is not None
    assert solution.evaluation is not None
    assert set(solution.placement) == {operator.id for operator in problem.operators}
    assert violations(problem, solution.placement) == ()
    assert solution.moves == problem.moves(solution.placement)

    ranges = {Term(term): values for term, values in solution.evaluation.ranges.items()}
    assert solution.evaluation == evaluate(problem, solution.placement, objective, ranges)

    values = [evaluate(problem, it, objective, ranges).value for it in placements]
    best = max(values) if objective.maximised else min(values)
    if solution.status is Status.OPTIMAL:
        assert isclose(solution.evaluation.value, best, rel_tol=1e-7, abs_tol=1e-9)
    if solution.bound is not None:
        beyond = (best - solution.bound) * (1 if objective.maximised else -1)
        assert beyond <= 1e-7 * max(1.0, abs(best)), "the bound must not be passed"


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problem=problems(), objective=st.sampled_from(OBJECTIVES))
def test_odp_proves_the_optimum_of_a_small_problem_and_the_better_end_of_each_range(
    problem: PlacementProblem, objective: Objective
) -> None:
    solution = POLICIES["odp"](problem, objective, time_limit=20, seed=0)
    placements = valid_placements(problem)
    assert solution.status is (Status.OPTIMAL if placements else Status.INFEASIBLE)
    if solution.evaluation is None:
        return
    for term, values in solution.evaluation.ranges.items():
        of_all = [WEIGHED[Term(term)](problem, placement) for placement in placements]
        best = max(of_all) if term == "A" else min(of_all)
        assert values.proven
        assert values.coincide or isclose(values.better, best, rel_tol=1e-7, abs_tol=1e-9)
        assert not beyond_the_worst(term, values, of_all)


def beyond_the_worst(term: str, values: Range, of_all: list[float]) -> list[float]:
    """Placements of availability 0 are left out: their log A is −∞."""
    if term == "A":
        return [value for value in of_all if -inf < value < values.worse - 1e-9]
    return [value for value in of_all if value > values.worse * (1 + 1e-9) + 1e-12]


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES.keys())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problem=problems(), objective=st.sampled_from(OBJECTIVES), seed=st.integers(0, 2**40))
def test_the_same_problem_objective_and_seed_give_the_same_placement(
    policy: Policy, problem: PlacementProblem, objective: Objective, seed: int
) -> None:
    first = policy(problem, objective, time_limit=20, seed=seed)
    second = policy(problem, objective, time_limit=20, seed=seed)
    assert first.placement == second.placement
    assert first.evaluation == second.evaluation
