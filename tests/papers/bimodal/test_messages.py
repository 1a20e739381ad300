from dataclasses import replace
from math import inf

import pytest
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.messages import (
    Ack,
    AckKind,
    HostOrders,
    Map,
    Message,
    Probe,
    Reservation,
    RollBack,
    UnknownTask,
    as_line,
    from_line,
    message_line,
    read_message,
)
from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.partial_map import MapVisit, PartialMap
from eyewall_papers.bimodal.surroundings import Stock, Surroundings
from two_kind_networks import random_case

CASE = random_case(5)
TASK = replace(CASE.task, budgets=(1.0, inf, 0.0, inf))
PARTIAL = PartialMap(
    (MapVisit("a", 2, LinkKind.DEDICATED), MapVisit("b", 0, LinkKind.PUBLIC)),
    2,
    0.5,
    1.0,
    (("a", 0.3),),
)


@pytest.mark.parametrize(
    "message",
    [
        Map("t", PARTIAL),
        Map("t", PARTIAL, TASK),
        Ack("t", AckKind.FINAL),
        UnknownTask("t", PARTIAL),
        Probe(TASK, PARTIAL, 1),
        RollBack("t", PARTIAL, 0),
        Reservation("t", PARTIAL),
    ],
    ids=lambda it: type(it).__name__,
)
def test_every_message_is_read_as_it_was_written(message: Message) -> None:
    # Kinds that have the same fields stay apart, and an unlimited budget stays unlimited.
    line = message_line("a", message)
    assert line.count("\n") == 1
    assert read_message(line) == ("a", message)


def test_orders_to_a_host_are_read_as_they_were_written() -> None:
    node = CASE.network.nodes[0].id
    orders = HostOrders(
        Surroundings.of(CASE.network, node),
        Stock.of(CASE.network, Resources.of(CASE.network), node),
        "exact",
        "delay",
        (1, 2),
    )
    assert from_line(HostOrders, as_line(orders)) == orders
