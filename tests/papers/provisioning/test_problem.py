"""Bad input is refused when the problem is made: the offender, its value, what is allowed."""

from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest
from eyewall_papers.provisioning import BasicObject, DataServer, MachineType
from eyewall_sidecar.model import Operator, Stream
from eyewall_sidecar.model.errors import ProblemError
from small_provisioning import LARGE, SMALL, pair


@pytest.mark.parametrize("throughput", [0, -1, nan, inf])
def test_a_throughput_that_is_no_rate_is_refused(throughput: float) -> None:
    with pytest.raises(ProblemError, match=r"throughput is .* it must be more than 0"):
        pair(throughput=throughput)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"operators": ()}, "no operators"),
        ({"types": ()}, "no machine types"),
        ({"operators": (Operator("a"), Operator("b"), Operator("a"))}, "operator a is listed"),
        ({"types": (SMALL, LARGE, SMALL)}, "machine type small is listed more than once"),
        ({"objects": (BasicObject("k", 1), BasicObject("k", 2))}, "object k is listed"),
        ({"servers": (DataServer("s", ("k",)), DataServer("s", ()))}, "server s is listed"),
        (
            {"streams": (Stream("a", "c", tuple_bytes=1),)},
            r"no operator c; operators are a, b",
        ),
        ({"streams": (Stream("a", "b"),)}, "tuple_bytes is not given"),
        ({"needs": {"c": ("k",)}}, "objects of c: no operator c"),
        ({"needs": {"a": ("l",)}}, "objects of operator a: no object l; objects are k"),
        (
            {"servers": (DataServer("s", ()),)},
            "object k, which operator a uses, is held by no server; servers are s",
        ),
        ({"servers": (DataServer("s", ("k", "l")),)}, "server s: no object l"),
        (
            {"operators": (Operator("a", candidates=("tiny",)), Operator("b"))},
            "candidates of operator a: no machine type tiny",
        ),
        ({"link": -1}, "machines: link is -1"),
        ({"links": {("small", "huge"): 1}}, "no machine type huge"),
        ({"links": {("small", "large"): -1}}, "bandwidth is -1"),
    ],
)
def test_what_does_not_belong_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        replace(pair(), **changes)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("cpu", -1, "cpu is -1"),
        ("card", nan, "card is nan"),
        ("price", inf, "price is inf"),
        ("price", -5, "price is -5"),
        ("count", 0, "count is 0; it must be a whole number from 1"),
        ("count", 1.5, "count is 1.5"),
    ],
)
def test_a_machine_type_that_cannot_be_is_refused(name: str, value: float, message: str) -> None:
    fields = {"cpu": 1.0, "card": 1.0, "price": 1.0, name: value}
    with pytest.raises(ProblemError, match=f"machine type x: {message}"):
        MachineType("x", **fields)


def test_a_server_that_lists_an_object_twice_is_refused() -> None:
    with pytest.raises(ProblemError, match="server s: object k is listed more than once"):
        DataServer("s", ("k", "k"))


def test_an_object_with_a_negative_size_is_refused() -> None:
    with pytest.raises(ProblemError, match="object k: size is -1"):
        BasicObject("k", -1)


def test_demands_and_flows_are_in_proportion_to_the_throughput() -> None:
    # ρ = 2: a works 2 · 3 cores, and 2 · 2 bytes/s flow.
    problem = pair(throughput=2)
    assert [it.cpu for it in problem.demands] == [6, 6]
    assert problem.flows[0].rate * (problem.flows[0].tuple_bytes or 0) == 4


def test_a_cycle_is_refused_with_its_way_and_only_storms_own_streams_may_run_in_circles() -> None:
    there, back = Stream("a", "b", tuple_bytes=1), Stream("b", "a", tuple_bytes=1)
    with pytest.raises(ProblemError, match="streams a → b → a form a cycle"):
        replace(pair(), streams=(there, back))
    acks = replace(back, system=True)
    assert replace(pair(), streams=(there, acks)).streams[1].system
