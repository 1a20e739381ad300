from math import inf

import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream, violations


def problem(cpu: float = inf, memory: float = inf, operators: float = inf) -> PlacementProblem:
    # a ─10/s of 100 bytes─▶ b, and the link from n1 to n2 carries 1000 bytes/s, just enough.
    return PlacementProblem(
        operators=(Operator("a", cpu=0.1, memory=5, candidates=("n1",)), Operator("b", cpu=0.2)),
        streams=(Stream("a", "b", 10, 100),),
        nodes=(Node("n1", cpu, memory, operators), Node("n2")),
        links={("n1", "n2"): Link(0.1, bandwidth=1000), ("n2", "n1"): Link(0.1, bandwidth=1)},
    )


def test_a_placement_that_keeps_every_constraint_breaks_none() -> None:
    assert violations(problem(cpu=0.1), {"a": "n1", "b": "n2"}) == ()


def test_a_load_that_equals_the_capacity_but_for_rounding_is_no_violation() -> None:
    # 0.1 + 0.2 is 0.30000000000000004.
    assert violations(problem(cpu=0.3), {"a": "n1", "b": "n1"}) == ()


@pytest.mark.parametrize(
    ("node", "placement", "sentence"),
    [
        ({}, {"a": "n1"}, "operator b is placed nowhere"),
        ({}, {"a": "n2", "b": "n2"}, "operator a is on n2, which is not among its candidates"),
        ({"cpu": 0.2}, {"a": "n1", "b": "n1"}, "node n1: cpu 0.3 placed, 0.2 there"),
        ({"memory": 4}, {"a": "n1", "b": "n2"}, "node n1: memory 5 placed, 4 there"),
        ({"operators": 1}, {"a": "n1", "b": "n1"}, "node n1: operators 2 placed, 1 there"),
    ],
)
def test_what_is_broken_is_named_with_load_and_limit(
    node: dict[str, float], placement: dict[str, str], sentence: str
) -> None:
    assert violations(problem(**node), placement) == (sentence,)


def test_a_link_that_carries_more_than_its_bandwidth_is_named() -> None:
    heavy = PlacementProblem(
        operators=(Operator("a"), Operator("b")),
        streams=(Stream("a", "b", 10, 100), Stream("a", "b", 1, 1)),
        nodes=(Node("n1"), Node("n2")),
        links={("n1", "n2"): Link(0.1, bandwidth=1000), ("n2", "n1"): Link(0.1)},
    )
    assert violations(heavy, {"a": "n1", "b": "n2"}) == (
        "link n1 → n2: 1001 bytes/s placed, 1000 there",
    )
