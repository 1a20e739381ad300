import re
from math import inf

import numpy as np
import pytest
from eyewall_papers.bimodal.network import (
    DedicatedLink,
    LinkKind,
    TwoKindNetwork,
    fewest_hops,
    least_delays,
)
from eyewall_sidecar.model import LinkMatrix, Node, ProblemError

NODES = (Node("a"), Node("b"), Node("c"))


def test_a_dedicated_link_is_there_in_both_directions() -> None:
    link = DedicatedLink("a", "b", bandwidth=10)
    network = TwoKindNetwork(NODES, (link,))
    assert network.link("a", "b") == network.link("b", "a") == link
    assert network.link("a", "c") is None
    assert (network.neighbours("b"), network.neighbours("c")) == (("a",), ())


def test_what_is_not_given_is_unlimited_and_unserved() -> None:
    network = TwoKindNetwork(NODES, uplinks={"a": 5.0}, services={"c": frozenset({"x"})})
    assert network.uplinks == {"a": 5.0, "b": inf, "c": inf}
    assert network.downlinks == {"a": inf, "b": inf, "c": inf}
    assert network.providers("x") == ("c",)
    assert network.services["a"] == frozenset()


def test_the_least_delay_is_by_dedicated_links_in_a_row_or_by_one_public_link() -> None:
    # a–b–c takes 1 + 2 = 3 s by dedicated links; public: a–c 2 s, all else 9 s.
    delays = np.full((3, 3), 9.0)
    delays[0, 2] = delays[2, 0] = 2.0
    links = (DedicatedLink("a", "b", 1, delay=1), DedicatedLink("b", "c", 1, delay=2))
    dedicated = TwoKindNetwork(NODES, links)
    both = TwoKindNetwork(NODES, links, LinkMatrix.from_delays("abc", delays))
    assert least_delays(dedicated).tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    assert least_delays(both).tolist() == [[0, 1, 2], [1, 0, 2], [2, 2, 0]]


def test_nodes_that_no_link_joins_are_a_day_apart() -> None:
    assert least_delays(TwoKindNetwork(NODES))[0, 1] == 86_400


@pytest.mark.parametrize(
    ("made", "complaint"),
    [
        (lambda: DedicatedLink("a", "a", 1), "dedicated link a – a: a link joins two different"),
        (lambda: DedicatedLink("a", "b", -1), "dedicated link a – b: bandwidth is -1; it must be"),
        (lambda: DedicatedLink("a", "b", 1, delay=-1), "dedicated link a – b: delay is -1"),
        (lambda: DedicatedLink("a", "b", 1, price=-1), "dedicated link a – b: price is -1"),
        (
            lambda: TwoKindNetwork(NODES, (DedicatedLink("a", "d", 1),)),
            "dedicated link a – d: no node d; nodes are a, b, c",
        ),
        (
            lambda: TwoKindNetwork(NODES, (DedicatedLink("a", "b", 1), DedicatedLink("b", "a", 1))),
            "dedicated link b – a is listed twice; a pair of nodes has at most one",
        ),
        (lambda: TwoKindNetwork(NODES, uplinks={"d": 1}), "uplinks: no node d; nodes are a, b, c"),
        (lambda: TwoKindNetwork(NODES, downlinks={"b": -1}), "node b: downlink is -1"),
        (lambda: TwoKindNetwork(NODES, services={"d": frozenset()}), "services: no node d"),
        (lambda: TwoKindNetwork(()), "the network has no nodes"),
        (lambda: TwoKindNetwork((*NODES, Node("a"))), "node a is listed more than once"),
        (
            lambda: TwoKindNetwork(NODES, public=LinkMatrix.from_delays("ab", np.zeros((2, 2)))),
            "the public network joins 2 nodes; it must join the network's 3",
        ),
        (lambda: TwoKindNetwork(NODES).providers("x"), "no service x; there are no services"),
        (
            lambda: LinkKind.named("opportunistic"),
            "no link kind opportunistic; link kinds are dedicated, public",
        ),
    ],
)
def test_what_is_wrong_with_a_network_is_named(made, complaint) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ProblemError, match=re.escape(complaint)):
        made()


ONWARD = {"a": "ca", "b": "a", "c": "abd", "d": "b"}
"""From a to b by c or by c and d; loops a – c – a and a – a on the way."""


def path(most_hops: float, source: str = "a", target: str = "b") -> tuple[str, ...]:
    return fewest_hops(source, target, ONWARD.__getitem__, most_hops)


def test_the_shortest_path_is_taken_past_all_loops() -> None:
    assert path(inf) == ("a", "c", "b")


def test_a_path_may_have_as_many_hops_as_are_permitted_and_no_more() -> None:
    assert path(2) == ("a", "c", "b")
    assert path(1) == path(0) == ()


def test_no_path_is_none() -> None:
    assert path(inf, target="e") == ()
