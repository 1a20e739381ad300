"""What people mean by the name of a topology or an executor."""

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.service.lookup import (
    UnavailableError,
    UnknownNameError,
    find_executor,
    find_topology,
)
from eyewall_sidecar.storm import Component, ComponentKind, Executor, Topology
from obedient_nimbus import Nimbus
from said import codes, values
from storm_builders import chain, cluster, state, supervisor

TOPOLOGY = Topology(
    "count-1-17",
    "count",
    (
        Component("source", ComponentKind.SPOUT, (Executor(1, 1),)),
        Component("tag", ComponentKind.BOLT, (Executor(2, 3), Executor(4, 4))),
    ),
)


STATE = cluster([], state(TOPOLOGY), state(chain(("lines", 1), name="lines-2-17")))


@pytest.mark.parametrize("name", ["count", "count-1-17"])
def test_a_topology_is_found_by_its_name_and_by_storms_id(name: str) -> None:
    assert find_topology(STATE, name).topology is TOPOLOGY


def test_an_unknown_topology_is_refused_with_what_there_is_and_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as refused:
        find_topology(STATE, "counts")
    known = ["count", "lines-2-17"]
    assert refused.value.reason == message(Code.NO_TOPOLOGY, name="counts", known=known)
    assert refused.value.nearest[0] == "count"


def test_digits_without_end_are_no_task() -> None:
    with pytest.raises(UnknownNameError, match="its components are source, tag"):
        find_executor(TOPOLOGY, "9" * 5000)


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
    assert find_executor(TOPOLOGY, name) == found


@pytest.mark.parametrize(
    ("name", "code", "known", "nearest"),
    [
        ("tag", Code.SEVERAL_EXECUTORS, {"known": ["tag[2-3]", "tag[4-4]"], "count": 2}, ""),
        ("tag[2-2]", Code.NO_EXECUTOR, {"known": ["source", "tag"]}, "tag[2-3]"),
        ("sorce", Code.NO_EXECUTOR, {"known": ["source", "tag"]}, "source"),
        ("9", Code.NO_TASK, {"first": 1, "last": 4}, ""),
    ],
)
def test_an_unknown_executor_is_refused_with_what_there_is(
    name: str, code: Code, known: dict[str, object], nearest: str
) -> None:
    with pytest.raises(UnknownNameError) as refused:
        find_executor(TOPOLOGY, name)
    assert codes(refused.value.reason) == [code]
    assert values(refused.value.reason, code) == values(refused.value.reason, code) | {
        "name": name,
        **known,
    }
    assert refused.value.nearest[:1] == ((nearest,) if nearest else ())


def test_before_the_first_round_nothing_is_known() -> None:
    with pytest.raises(UnavailableError) as refused:
        Nimbus([supervisor("a")], {}).service.last_round()
    assert codes(refused.value.reason) == [Code.NO_ROUND_YET]
