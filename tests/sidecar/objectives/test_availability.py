from math import inf, log

import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objectives.availability import availability, log_availability
from eyewall_sidecar.objectives.distinct_availability import distinct_availability

# Three operators a → b → c, one system stream c → a, on two nodes of availability 0.9 and 0.8 with
# links of availability 0.99 there and 0.98 back.
PROBLEM = PlacementProblem(
    operators=(Operator("a"), Operator("b"), Operator("c")),
    streams=(Stream("a", "b"), Stream("b", "c"), Stream("c", "a", system=True)),
    nodes=(
        Node("n1", availability=0.9),
        Node("n2", availability=0.8),
        Node("dead", availability=0),
    ),
    links={
        ("n1", "n2"): Link(0.1, 0.99),
        ("n2", "n1"): Link(0.1, 0.98),
        ("n1", "dead"): Link(0.1),
        ("n2", "dead"): Link(0.1),
        ("dead", "n1"): Link(0.1),
        ("dead", "n2"): Link(0.1),
    },
)
SPREAD = {"a": "n1", "b": "n1", "c": "n2"}


def test_a_node_counts_once_for_each_operator_and_a_link_for_each_stream() -> None:
    # 0.9 · 0.9 · 0.8, b → c over 0.99, c → a over 0.98; a → b stays on n1.
    assert availability(PROBLEM, SPREAD) == pytest.approx(0.9 * 0.9 * 0.8 * 0.99 * 0.98)


def test_its_logarithm_is_that_of_the_product() -> None:
    assert log_availability(PROBLEM, SPREAD) == pytest.approx(log(availability(PROBLEM, SPREAD)))


def test_distinct_availability_counts_each_node_and_link_in_use_once() -> None:
    assert distinct_availability(PROBLEM, SPREAD) == pytest.approx(0.9 * 0.8 * 0.99 * 0.98)
    assert distinct_availability(PROBLEM, dict.fromkeys("abc", "n1")) == pytest.approx(0.9)


def test_a_node_that_is_never_up_makes_it_0_and_its_logarithm_minus_infinity() -> None:
    placement = SPREAD | {"c": "dead"}
    assert availability(PROBLEM, placement) == 0
    assert log_availability(PROBLEM, placement) == -inf
