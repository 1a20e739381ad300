"""What holds for every policy, on generated problems small enough to try every placement."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import inf, isclose, isfinite
from typing import Any, cast

import pytest
from every_placement import EveryPlacement
from eyewall_contracts.objective_terms import PAPER_TERMS
from eyewall_sidecar.model import (
    Link,
    Node,
    Operator,
    PlacementProblem,
    Range,
    Solution,
    Status,
    Stream,
    violations,
)
from eyewall_sidecar.objective import Objective, ObjectiveError, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.ecker import with_headroom
from eyewall_sidecar.policies import Policy, load_policy, policy_catalogue
from hypothesis import given, settings
from hypothesis import strategies as st
from random_problems import random_problem
from small_problems import chain_of

OBJECTIVES = [
    Objective.parse(text)
    for text in (
        *(f"{term}=1" for term in PAPER_TERMS),
        "R=0.5,A=0.2,N=0.3",
        "A=0.5,EE=0.5",
        "R=0.2,A=0.2,T=0.2,N=0.2,EE=0.2",
        "ecker",
    )
]

CASES = settings(
    max_examples=settings().max_examples * 2 // 5,
)
"""40 each, and 1000 under the profile `thorough`."""

PATIENCE = 120.0
"""Seconds for odp."""
LIMIT = 2.0
"""Seconds for heuristics, on a clock that goes on by `TICK` with each look."""
TICK = 0.02


@dataclass(slots=True)
class Ticks:
    """A clock that goes on when somebody looks at it.

    Parameters
    ----------
    tick
        Seconds by which it goes on.
    looks
        How often somebody did.
    """

    tick: float
    looks: int = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.now

    @property
    def now(self) -> float:
        """What somebody saw last."""
        return self.looks * self.tick


@st.composite
def drawn_problems(draw: st.DrawFn) -> PlacementProblem:
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
            coordinates=(draw(st.integers(0, 9)) / 200, draw(st.integers(0, 9)) / 200),
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


PROBLEMS = drawn_problems() | st.integers(0, 2**32).map(random_problem)


def asked(name: str, clock: Ticks | None = None) -> Policy:
    """Return the policy under this clock; its own where none is given."""
    policy = cast("Any", load_policy(name))
    return cast("Policy", policy if clock is None else replace(policy, clock=clock))


def answers(
    problem: PlacementProblem, objective: Objective, seed: int = 0
) -> Iterator[tuple[str, Solution]]:
    """Ask every policy that takes the objective; the others must decline it.

    A heuristic may use up its time without an answer; such are left out.
    """
    for name in policy_catalogue():
        exact, clock = name == "odp", Ticks(TICK)
        policy, limit = asked(name, None if exact else clock), PATIENCE if exact else LIMIT
        if policy_catalogue()[name].takes(objective):
            solution = policy(problem, objective, time_limit=limit, seed=seed)
            if solution.status is Status.TIMED_OUT:
                assert not exact
                assert clock.now >= LIMIT, (name, "there was time left", solution)
                assert "time limit" in solution.reasons[0], name
            else:
                yield name, solution
        else:
            with pytest.raises(ObjectiveError, match=f"objective {objective}: policy {name} "):
                policy(problem, objective, time_limit=limit, seed=seed)


def ranges_of(solution: Solution) -> dict[Term, Range]:
    assert solution.evaluation is not None
    return {Term(term): values for term, values in solution.evaluation.ranges.items()}


@CASES
@given(problem=PROBLEMS, objective=st.sampled_from(OBJECTIVES))
def test_a_policy_finds_a_valid_placement_with_its_true_value_or_says_what_binds(
    problem: PlacementProblem, objective: Objective
) -> None:
    possible = EveryPlacement.of(with_headroom(problem) if objective.ecker else problem)
    for name, solution in answers(problem, objective):
        assert solution.policy == name
        if not possible.count:
            assert solution.status is Status.INFEASIBLE, (name, solution)
            assert_names_what_binds(name, problem, solution)
            continue
        assert solution.placement is not None, (name, solution)
        assert list(solution.placement) == [operator.id for operator in problem.operators], name
        assert violations(problem, solution.placement) == (), name
        assert solution.moves == problem.moves(solution.placement), name
        recomputed = evaluate(problem, solution.placement, objective, ranges_of(solution))
        assert solution.evaluation == recomputed, name
        assert_no_better_than_possible(name, solution, objective, possible)


def assert_names_what_binds(name: str, problem: PlacementProblem, solution: Solution) -> None:
    """The first sentence has a resource, and one of the problem's operators or nodes."""
    known = {it.id for it in problem.operators} | {it.id for it in problem.nodes}
    words = set(re.findall(r"\w+", solution.reasons[0]))
    assert words & {*problem.resources, "bandwidth"}, (name, solution.reasons)
    assert words & known, (name, solution.reasons)


def assert_no_better_than_possible(
    name: str, solution: Solution, objective: Objective, possible: EveryPlacement
) -> None:
    assert solution.evaluation is not None
    value, best = solution.evaluation.value, possible.best(objective, ranges_of(solution))
    sign = 1.0 if objective.maximised else -1.0
    slack = 1e-7 * max(1.0, abs(best)) if isfinite(best) else 0.0
    assert sign * value <= sign * best + slack or value == best, (name, value, best)
    if solution.status is Status.OPTIMAL:
        assert isclose(value, best, rel_tol=1e-7, abs_tol=1e-9), (name, value, best)
    if solution.status is Status.HEURISTIC:
        assert (solution.bound, solution.gap) == (None, None), name
    if solution.bound is not None:
        assert sign * best <= sign * solution.bound + slack, (name, "the bound was passed")


@CASES
@given(problem=PROBLEMS, objective=st.sampled_from(OBJECTIVES))
def test_no_heuristic_beats_a_proven_optimum_under_the_same_objective(
    problem: PlacementProblem, objective: Objective
) -> None:
    found = dict(answers(problem, objective))
    proven = found.pop("odp", None)
    if proven is None or proven.status is not Status.OPTIMAL:
        return
    assert proven.evaluation is not None
    sign = 1.0 if objective.maximised else -1.0
    optimum = sign * proven.evaluation.value
    for name, solution in found.items():
        assert solution.placement is not None, (name, solution)
        same = evaluate(problem, solution.placement, objective, ranges_of(proven))
        assert sign * same.value <= optimum + 1e-6 * max(1.0, abs(optimum)), name


@CASES
@given(problem=PROBLEMS, objective=st.sampled_from(OBJECTIVES))
def test_odp_proves_the_optimum_of_a_small_problem_and_the_better_end_of_each_range(
    problem: PlacementProblem, objective: Objective
) -> None:
    if not policy_catalogue()["odp"].takes(objective):
        return
    solution = load_policy("odp")(problem, objective, time_limit=PATIENCE, seed=0)
    possible = EveryPlacement.of(problem)
    assert solution.status is (Status.OPTIMAL if possible.count else Status.INFEASIBLE)
    if solution.evaluation is None:
        return
    for term, values in ranges_of(solution).items():
        of_all = possible.values[term].tolist()
        best = max(of_all) if term is Term.A else min(of_all)
        assert values.proven
        assert values.coincide or isclose(values.better, best, rel_tol=1e-7, abs_tol=1e-9)
        assert not beyond_the_worst(term, values, of_all)


def beyond_the_worst(term: Term, values: Range, of_all: list[float]) -> list[float]:
    """Placements of availability 0 are left out: their log A is −∞."""
    if term is Term.A:
        return [value for value in of_all if -inf < value < values.worse - 1e-9]
    return [value for value in of_all if value > values.worse * (1 + 1e-9) + 1e-12]


@settings(CASES, max_examples=CASES.max_examples // 4)
@given(problem=PROBLEMS, objective=st.sampled_from(OBJECTIVES), seed=st.integers(0, 2**40))
def test_the_same_problem_objective_and_seed_give_the_same_placement(
    problem: PlacementProblem, objective: Objective, seed: int
) -> None:
    first, second = dict(answers(problem, objective, seed)), dict(answers(problem, objective, seed))
    assert list(first) == list(second)
    for name in first:
        assert first[name].placement == second[name].placement, name
        assert first[name].evaluation == second[name].evaluation, name


MOST_LOOKS_AFTER_THE_LIMIT = 60
"""What is begun may be ended: an answer needs its value, and its ranges."""


@pytest.mark.parametrize("name", policy_catalogue())
@pytest.mark.parametrize("looks", [1, 20, 200])
def test_a_policy_ends_when_its_time_is_up(name: str, looks: int) -> None:
    # 120 operators on 10 nodes: enough for every policy to look at the clock while it works.
    problem = chain_of([float(1 + i % 7) for i in range(119)], rooms=[13] * 10)
    entry = policy_catalogue()[name]
    objective = Objective({entry.optimises[0] if entry.optimises else Term.N: 1.0})
    clock = Ticks(tick=0.001)
    solution = asked(name, clock)(problem, objective, time_limit=looks * 0.001, seed=0)
    assert 3 <= clock.looks <= looks + MOST_LOOKS_AFTER_THE_LIMIT
    if solution.placement is None:
        assert solution.status is Status.TIMED_OUT
        assert "time limit" in solution.reasons[0]
    else:
        assert violations(problem, solution.placement) == ()
