from dataclasses import replace
from math import inf

import pytest
from eyewall_sidecar.model import (
    Link,
    Node,
    Operator,
    PlacementProblem,
    ProblemError,
    Stream,
    violations,
)


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


def with_gpus(**gpus: float) -> PlacementProblem:
    """Return a and b that need a GPU each, on nodes with so many; a third needs none."""
    need = (("gpu", 1.0),)
    return PlacementProblem(
        operators=(Operator("a", generic=need), Operator("b", generic=need), Operator("c")),
        streams=(),
        nodes=tuple(Node(it, generic=(("gpu", gpus.get(it, 0.0)),)) for it in ("n1", "n2")),
        links={("n1", "n2"): Link(0.1), ("n2", "n1"): Link(0.1)},
    )


def test_a_generic_resource_is_used_up_as_any_other() -> None:
    on_one = {"a": "n1", "b": "n1", "c": "n1"}
    assert violations(with_gpus(n1=2), on_one) == ()
    assert violations(with_gpus(n1=1), on_one) == ("node n1: gpu 2 placed, 1 there",)


def test_a_node_that_does_not_name_a_generic_resource_has_none_of_it() -> None:
    problem = replace(with_gpus(n1=2), nodes=(Node("n1", generic=(("gpu", 2.0),)), Node("n2")))
    assert violations(problem, {"a": "n1", "b": "n2", "c": "n2"}) == (
        "node n2: gpu 1 placed, 0 there",
    )


def test_resources_that_nobody_needs_are_not_counted() -> None:
    assert with_gpus().resources == ("operators", "cpu", "memory", "reserved", "gpu")
    unused = replace(with_gpus(), operators=(Operator("a", generic=(("gpu", 0.0),)),))
    assert unused.resources == ("operators", "cpu", "memory", "reserved")


@pytest.mark.parametrize(
    ("generic", "words"),
    [
        ((("gpu", -1.0),), "operator a: resource gpu is -1; it must be a number from 0 to"),
        ((("gpu", inf),), "operator a: resource gpu is inf; it must be"),
        ((("gpu", 1.0), ("gpu", 2.0)), "operator a: resource gpu is listed more than once"),
        ((("cpu", 1.0),), "operator a: resource 'cpu'; a generic resource has a name, other than "),
        ((("", 1.0),), "operator a: resource ''; a generic resource has a name"),
    ],
)
def test_a_bad_generic_resource_is_refused_with_what_is_allowed(
    generic: tuple[tuple[str, float], ...], words: str
) -> None:
    with pytest.raises(ProblemError) as refused:
        Operator("a", generic=generic)
    assert words in str(refused.value)
