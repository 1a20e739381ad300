"""What people mean by the name of a topology or an executor."""

import pytest
from eyewall_sidecar.service.names import (
    NotNowError,
    UnknownNameError,
    executor_named,
    require_seen,
    topology_named,
)
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.storm import Component, Executor, Kind, Topology
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor

TOPOLOGY = Topology(
    "count-1-17",
    "count",
    (
        Component("source", Kind.SPOUT, (Executor(1, 1),)),
        Component("tag", Kind.BOLT, (Executor(2, 3), Executor(4, 4))),
    ),
)


def seen() -> Seen:
    nimbus = Nimbus([supervisor("a")], {})
    nimbus.round(TOPOLOGY, chain(("lines", 1), name="lines-2-17"))
    return require_seen(nimbus.service.seen)


@pytest.mark.parametrize("name", ["count", "count-1-17"])
def test_a_topology_is_found_by_its_name_and_by_storms_id(name: str) -> None:
    assert topology_named(seen(), name).topology is TOPOLOGY


def test_an_unknown_topology_is_refused_with_what_there_is_and_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as refused:
        topology_named(seen(), "counts")
    assert str(refused.value) == "no topology counts; topologies are count, lines-2-17"
    assert refused.value.nearest[0] == "count"


def test_digits_without_end_are_no_task() -> None:
    with pytest.raises(UnknownNameError, match="its components are source, tag"):
        executor_named(TOPOLOGY, "9" * 5000)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("tag[2-3]", Executor(2, 3)),
        ("source", Executor(1, 1)),
        ("3", Executor(2, 3)),
        ("4", Executor(4, 4)),
    ],
)
def test_an_executor_is_found_by_name_by_its_component_alone_and_by_a_task(
    name: str, found: Executor
) -> None:
    assert executor_named(TOPOLOGY, name) == found


@pytest.mark.parametrize(
    ("name", "said", "nearest"),
    [
        ("tag", "tag has 2 executors: tag[2-3], tag[4-4]; say which", ""),
        ("tag[2-2]", "no executor tag[2-2] in count; its components are source, tag", "tag[2-3]"),
        ("sorce", "no executor sorce in count; its components are source, tag", "source"),
        ("9", "no task 9 in count; tasks are 1 to 4", ""),
    ],
)
def test_an_unknown_executor_is_refused_with_what_there_is(
    name: str, said: str, nearest: str
) -> None:
    with pytest.raises(UnknownNameError) as refused:
        executor_named(TOPOLOGY, name)
    assert str(refused.value) == said
    assert refused.value.nearest[:1] == ((nearest,) if nearest else ())


def test_before_the_first_round_nothing_is_known() -> None:
    with pytest.raises(NotNowError, match="no Nimbus has been heard yet"):
        require_seen(None)
