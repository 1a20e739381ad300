from math import inf
from time import monotonic

import numpy as np
import pytest
from eyewall_papers.bimodal.central import optimal_mapping
from eyewall_papers.bimodal.mapping import Mapping, Resources, Route, mapping_violations
from eyewall_papers.bimodal.metric import DELAY, PAYMENT, Additive
from eyewall_papers.bimodal.network import DedicatedLink, LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.valuation import mapping_cost
from eyewall_sidecar.model import LinkMatrix, Node

TO_AND_FRO = Task.of_services("t", ("a", "b"), ["at b", "at a"], [0, 0], [6.0, 1.0, 6.0])
"""From a to b, back, and to b again: two streams of 6 bytes/s from a to b."""
SERVICES = {"a": frozenset({"at a"}), "b": frozenset({"at b"})}


def optimum(
    network: TwoKindNetwork, task: Task = TO_AND_FRO, metric: Additive = DELAY
) -> Mapping | None:
    return optimal_mapping(
        network,
        Resources.of(network),
        task,
        metric,
        ends_at=monotonic() + 60,
        clock=monotonic,
        seed=0,
    ).mapping


def test_streams_that_each_fit_a_link_but_not_together_take_different_ways() -> None:
    # a – b carries 10 and takes 1 s, the way by c takes 2 + 2: one stream of 6 goes around, the way
    # back is short. 1 + 1 + 4 s.
    network = TwoKindNetwork(
        tuple(Node(name) for name in "abc"),
        (
            DedicatedLink("a", "b", 10, delay=1),
            DedicatedLink("a", "c", 10, delay=2),
            DedicatedLink("c", "b", 10, delay=2),
        ),
        services=SERVICES,
    )
    found = optimum(network)
    assert found is not None
    assert mapping_cost(network, TO_AND_FRO, found, DELAY) == 6.0
    assert sorted(len(it.hops) for it in found.routes) == [2, 2, 3]


@pytest.mark.parametrize("ways", [("uplinks", "a"), ("downlinks", "b")])
def test_streams_share_uplinks_and_downlinks(ways: tuple[str, str]) -> None:
    # The public link takes 1 s and the dedicated one 3: with 10 bytes/s at one of its ends, only
    # one of the two streams of 6 takes the public way.
    limit, node = ways
    network = TwoKindNetwork(
        (Node("a"), Node("b")),
        (DedicatedLink("a", "b", 99, delay=3),),
        LinkMatrix.from_delays("ab", np.ones((2, 2))),
        services=SERVICES,
        **{limit: {node: 10.0}},
    )
    found = optimum(network)
    assert found is not None
    assert sorted(str(it.kind) for it in found.routes) == ["dedicated", "public", "public"]
    assert mapping_cost(network, TO_AND_FRO, found, DELAY) == 5.0


def test_a_free_loop_off_the_route_is_not_part_of_it() -> None:
    # b – c costs nothing: a flow around it would be as good, and is left out.
    network = TwoKindNetwork(
        tuple(Node(name) for name in "abc"),
        (DedicatedLink("a", "b", 9, delay=1), DedicatedLink("b", "c", 9)),
        services={"b": frozenset({"x"})},
    )
    found = optimum(network, Task.of_services("t", ("a", "b"), ["x"], [1], [1, 1]))
    assert found is not None
    assert found.routes == (
        Route(LinkKind.DEDICATED, ("a", "b")),
        Route(LinkKind.DEDICATED, ("b",)),
    )


def test_a_free_loop_that_touches_the_way_does_not_hold_up_who_follows_it() -> None:
    # The solver's answer leads from c to a and, for nothing, on to b and back to a.
    network = TwoKindNetwork(
        tuple(Node(name) for name in "abc"),
        (
            DedicatedLink("a", "b", 10),
            DedicatedLink("a", "c", 10, price=1),
            DedicatedLink("b", "c", inf, delay=0.01),
        ),
        LinkMatrix.from_delays("abc", np.full((3, 3), 0.03)),
        uplinks={"b": 4.0},
        downlinks={"a": 8.0, "b": 0.0, "c": 4.0},
        services=dict.fromkeys("abc", frozenset({"x"})),
    )
    task = Task.of_services("t", ("c", "a"), ["x"], [0], [3.0, 3.0], budgets=[1.0, 0.0], max_null=3)
    found = optimum(network, task, PAYMENT)
    assert found is not None
    assert mapping_cost(network, task, found, PAYMENT) == 0.0
    assert mapping_violations(network, Resources.of(network), task, found) == ()
