"""Streams between components, as a whole and from host to host."""

import pytest
from eyewall_sidecar.storm import Component, ComponentKind, Executor, Grouping, Input, Topology
from eyewall_sidecar.storm.rates import component_streams, flows
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology, MeasuredValue
from hypothesis import given
from hypothesis import strategies as st
from storm_builders import chain

E = [Executor(task, task) for task in range(8)]


def test_a_stream_tells_whether_its_rate_was_measured_and_with_which_error() -> None:
    topology = chain(("a", 1), ("b", 1), ("c", 1))
    measured = MeasuredTopology(streams={("a", "default", "b"): MeasuredValue(30.0, 1.0)})
    streams, _ = component_streams(topology, {"b": 7.0}, measured)
    assert [(it.source.id, it.rate, it.measured, it.error) for it in streams] == [
        ("a", 30.0, True, 1.0),
        ("b", 7.0, False, None),
    ]


def test_under_all_every_executor_of_the_target_gets_every_tuple() -> None:
    topology = chain(("a", 1), ("b", 3), grouping=Grouping.ALL)
    (stream,), _ = component_streams(topology, {"a": 10.0})
    assert (stream.rate, stream.received_rate, stream.received_error) == (10.0, 30.0, None)
    emitted = MeasuredTopology(emissions={("a", "default"): MeasuredValue(10.0, 0.5)})
    (measured,), _ = component_streams(topology, {}, emitted)
    assert (measured.received_rate, measured.received_error) == (30.0, 1.5)
    # b[2-2] is with a[1-1] on x, the others on y: 10 tuples/s stay, 2 · 10 cross.
    where = {E[1]: "x", E[2]: "x", E[3]: "y", E[4]: "y"}
    assert stream.between(where) == {("x", "x"): 10.0, ("x", "y"): 20.0}


def test_what_has_no_host_yet_is_left_out() -> None:
    (stream,), _ = component_streams(chain(("a", 1), ("b", 2)), {"a": 10.0})
    assert stream.between({E[1]: "x", E[2]: "y"}) == {("x", "y"): 5.0}


@given(
    grouping=st.sampled_from(list(Grouping)),
    hosts=st.lists(st.sampled_from("xyz"), min_size=7, max_size=7),
)
def test_it_is_the_sum_over_pairs_of_executors(grouping: Grouping, hosts: list[str]) -> None:
    # a (2) → b (3) → c (2), and c → b back, under each grouping.
    topology = Topology(
        "loop-1",
        "loop",
        (
            Component("a", ComponentKind.SPOUT, (E[0], E[1])),
            Component(
                "b",
                ComponentKind.BOLT,
                (E[2], E[3], E[4]),
                inputs=(Input("a", "default", grouping), Input("c", "back", grouping)),
            ),
            Component(
                "c", ComponentKind.BOLT, (E[5], E[6]), inputs=(Input("b", "default", grouping),)
            ),
        ),
    )
    where = dict(zip(E, hosts, strict=False))
    streams, _ = component_streams(topology, {"a": 10.0, "c": 3.0})
    crossing = sum(
        rate for it in streams for (one, other), rate in it.between(where).items() if one != other
    )
    pairs, _ = flows(topology, {"a": 10.0, "c": 3.0})
    assert crossing == pytest.approx(
        sum(it.rate for it in pairs if where[it.source] != where[it.target])
    )
