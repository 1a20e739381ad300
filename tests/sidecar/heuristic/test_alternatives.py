"""What the constraints leave beside a placement."""

from collections import Counter
from dataclasses import replace
from itertools import product

from every_placement import EveryPlacement
from eyewall_sidecar.heuristic.alternatives import (
    FIRST,
    HERE,
    POSSIBLE,
    constraints,
    rejecting,
    with_alternatives,
)
from eyewall_sidecar.model import (
    Alternatives,
    Link,
    Node,
    Operator,
    PlacementProblem,
    Solution,
    Status,
    Stream,
    violations,
)
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of, places_of
from eyewall_sidecar.objective import Objective
from hypothesis import given
from hypothesis import strategies as st
from random_problems import random_problem
from small_problems import chain_of, graph_of

N, ECKER = Objective.parse("N=1"), Objective.parse("ecker")


def beside(problem: PlacementProblem, placement: dict[str, str] | None) -> Alternatives:
    status = Status.INFEASIBLE if placement is None else Status.HEURISTIC
    found = with_alternatives(problem, N, Solution(status, "any", "any", placement))
    assert found.alternatives is not None
    return found.alternatives


def test_a_full_node_rejects_by_operators_and_a_pin_by_candidates() -> None:
    # a is pinned to n1: n2 and n3 are no candidates. b beside a fills n1, and may go to n2 or n3;
    # c on n2 may go to n3, but not to n1, which is full.
    problem = chain_of([1, 1], rooms=[2, 2, 2], pins={"a": "n1"})
    found = beside(problem, {"a": "n1", "b": "n1", "c": "n2"})
    assert found == Alternatives(3, {"candidates": 2, "operators": 1})
    assert found.considered == 6


def test_a_move_counts_for_the_first_constraint_that_forbids_it() -> None:
    # b needs 2 cores and 3 bytes: n1 has one core and one byte left, n2 has one core in all.
    nodes = Node("n1", cpu=2, memory=2), Node("n2", cpu=1, memory=9), Node("n3")
    links = {(u.id, v.id): Link(0.01) for u, v in product(nodes, nodes) if u != v}
    operators = Operator("a", cpu=1, memory=1), Operator("b", cpu=2, memory=3)
    problem = PlacementProblem(operators, (), nodes, links)
    # a may go to n2 and n3; not b to n1 and n2.
    assert beside(problem, {"a": "n1", "b": "n3"}) == Alternatives(1 + 1, {"cpu": 2})


def test_a_link_that_a_move_would_saturate_rejects_by_bandwidth() -> None:
    # a sends 100 bytes/s, and links carry 50: neither may leave the other.
    problem = graph_of({("a", "b"): 100.0}, rooms=[2, 2], bandwidth=50.0)
    assert beside(problem, {"a": "n1", "b": "n1"}) == Alternatives(0, {"bandwidth": 2})


def test_what_an_operator_sends_now_is_off_the_links_once_it_moves() -> None:
    # c ─100─▶ a ─100─▶ b with c and a on n1, b on n2; links carry 100. If a joins b, c's stream
    # takes the place of a's on n1 → n2; if c goes to n2, its stream comes back by n2 → n1.
    problem = graph_of({("c", "a"): 100.0, ("a", "b"): 100.0}, rooms=[3, 3], bandwidth=100.0)
    placement = {"c": "n1", "a": "n1", "b": "n2"}
    assert beside(problem, placement) == Alternatives(3, {})


def test_without_a_placement_each_operator_is_held_against_empty_nodes() -> None:
    # a and b fit on n1 or n2 alone, though not together on one; c of 3 cores fits nowhere.
    nodes = Node("n1", cpu=1), Node("n2", cpu=1)
    links = {("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)}
    operators = Operator("a", cpu=1), Operator("b", cpu=1), Operator("c", cpu=3)
    problem = PlacementProblem(operators, (Stream("a", "b"),), nodes, links)
    assert beside(problem, None) == Alternatives(4, {"cpu": 2})


@given(seed=st.integers(0, 2**32), which=st.integers(0, 2**16))
def test_a_move_is_possible_exactly_if_it_breaks_no_constraint(seed: int, which: int) -> None:
    problem = random_problem(seed)
    every = EveryPlacement.of(problem)
    if not every.count:
        return
    placement = placement_of(problem, every.places[which % every.count])
    codes = rejecting(ProblemArrays.of(problem), places_of(problem, placement))
    for i, operator in enumerate(problem.operators):
        for u, node in enumerate(problem.nodes):
            if codes[i, u] == HERE:
                assert placement[operator.id] == node.id
                continue
            broken = violations(problem, placement | {operator.id: node.id})
            assert (codes[i, u] == POSSIBLE) == (not broken), broken
            if broken:
                assert_names(constraints(problem)[codes[i, u] - FIRST], broken[0])
    counts = Counter(codes.ravel().tolist())
    assert beside(problem, placement).considered == codes.size - counts[HERE]


def assert_names(constraint: str, sentence: str) -> None:
    """`violations` has the same order: candidates, resources, links."""
    words = {"candidates": "not among its candidates", "bandwidth": "bytes/s"}
    assert words.get(constraint, f": {constraint} ") in sentence


def test_the_rest_of_the_answer_stays_as_it_is() -> None:
    solution = Solution(Status.HEURISTIC, "any", "any", {"a": "n1", "b": "n2"}, evaluated=7)
    found = with_alternatives(chain_of([1], rooms=[1, 1]), N, solution)
    assert replace(found, alternatives=None) == solution


def test_with_eckers_score_a_node_takes_no_more_than_95_percent_of_its_cores() -> None:
    # a needs 0.5 of 0.52 cores on n2: 96 %.
    nodes = Node("n1", cpu=1), Node("n2", cpu=0.52)
    links = {("n1", "n2"): Link(0.01), ("n2", "n1"): Link(0.01)}
    problem = PlacementProblem((Operator("a", cpu=0.5),), (), nodes, links)
    solution = Solution(Status.HEURISTIC, "any", "any", {"a": "n1"})
    assert with_alternatives(problem, N, solution).alternatives == Alternatives(1, {})
    assert with_alternatives(problem, ECKER, solution).alternatives == Alternatives(0, {"cpu": 1})
