from collections.abc import Iterable
from dataclasses import replace

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.storm import Component, ComponentKind, Executor, Grouping, Input, Topology
from eyewall_sidecar.storm.rates import Flow, flows
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology, MeasuredValue
from storm_builders import chain


def rates(topology: Topology, hints: dict[str, float]) -> dict[tuple[int, int], float]:
    found, _ = flows(topology, hints)
    return {(it.source.first_task, it.target.first_task): it.rate for it in found}


def rates_of_own_tuples(found: Iterable[Flow]) -> dict[tuple[int, int], float]:
    own = [it for it in found if not it.system]
    return {(it.source.first_task, it.target.first_task): it.rate for it in own}


def known(rate: float) -> MeasuredValue:
    return MeasuredValue(rate, 0.1)


def bolt(name: str, task: int, *inputs: tuple[str, str]) -> Component:
    subscribed = tuple(Input(source, stream, Grouping.SHUFFLE) for source, stream in inputs)
    return Component(name, ComponentKind.BOLT, (Executor(task, task),), inputs=subscribed)


@pytest.mark.parametrize(
    "grouping",
    [Grouping.SHUFFLE, Grouping.FIELDS, Grouping.PARTIAL_KEY, Grouping.DIRECT, Grouping.CUSTOM],
)
def test_each_pair_of_executors_carries_its_equal_share(grouping: Grouping) -> None:
    # 12/s from 2 executors to 3: 12 / 6 = 2/s for each of the six pairs.
    topology = chain(("source", 2), ("tag", 3), grouping=grouping)
    assert rates(topology, {"source": 12}) == {
        (source, target): pytest.approx(2.0) for source in (1, 2) for target in (3, 4, 5)
    }


@pytest.mark.parametrize(
    ("grouping", "load_aware", "shuffle"),
    [
        (Grouping.SHUFFLE, True, "tag"),
        (Grouping.LOCAL_OR_SHUFFLE, True, "tag"),
        (Grouping.SHUFFLE, False, None),
        (Grouping.LOCAL_OR_SHUFFLE, False, "tag"),
        (Grouping.FIELDS, True, None),
        (Grouping.NONE, True, None),
    ],
)
def test_shuffles_prefer_executors_nearby_unless_messaging_knows_no_load(
    grouping: Grouping, load_aware: bool, shuffle: str | None
) -> None:
    topology = replace(chain(("source", 1), ("tag", 2), grouping=grouping), load_aware=load_aware)
    found, _ = flows(topology, {"source": 12})
    assert [it.shuffle for it in found] == [shuffle, shuffle]


def test_of_two_streams_between_the_same_executors_only_the_shuffled_one_is() -> None:
    source = Component("source", ComponentKind.SPOUT, (Executor(1, 1),))
    inputs = (Input("source", "a", Grouping.SHUFFLE), Input("source", "b", Grouping.NONE))
    tag = Component("tag", ComponentKind.BOLT, (Executor(2, 2), Executor(3, 3)), inputs=inputs)
    found, _ = flows(Topology("t-1", "t", (source, tag)), {"source:a": 12, "source:b": 12})
    # 12/s on each of two streams, 6/s of each to either tag.
    assert [(it.target.first_task, it.rate, it.shuffle) for it in found] == [
        (2, 6, "tag"),
        (3, 6, "tag"),
        (2, 6, None),
        (3, 6, None),
    ]


def test_where_some_tuples_come_by_key_shuffles_are_taken_to_be_even() -> None:
    # What was measured of the tags is due to their keys, as far as anybody knows.
    sources = [
        Component(name, ComponentKind.SPOUT, (Executor(task, task),))
        for task, name in ((1, "a"), (4, "b"))
    ]
    for other, shuffle in ((Grouping.FIELDS, None), (Grouping.GLOBAL, None), (Grouping.ALL, "tag")):
        inputs = (Input("a", "default", Grouping.SHUFFLE), Input("b", "default", other))
        tag = Component("tag", ComponentKind.BOLT, (Executor(2, 2), Executor(3, 3)), inputs=inputs)
        found, _ = flows(Topology("t-1", "t", (*sources, tag)), {"a": 12, "b": 12})
        assert {it.shuffle for it in found if it.source.first_task == 1} == {shuffle}


def test_acks_are_not_shuffled() -> None:
    found, _ = flows(chain(("source", 1), ("tag", 2), acker=True), {"source": 10})
    assert {it.shuffle for it in found if it.system} == {None}


def test_what_starved_executors_got_says_nothing_of_how_tuples_spread() -> None:
    # The first tag was next to the source, and got all of 10 tuples/s and emitted them.
    topology = chain(("source", 1), ("tag", 2), ("count", 1))
    measured = MeasuredTopology(
        received={(2, "source", "default"): known(10.0), (3, "source", "default"): known(0.0)},
        emitted={(2, "default"): known(10.0), (3, "default"): known(0.0)},
    )
    found, _ = flows(topology, {"source": 10}, measured)
    assert [(it.target.first_task, it.rate) for it in found] == [(2, 5), (3, 5), (4, 5), (4, 5)]
    # By key it would stay so, wherever they are.
    by_key, _ = flows(
        chain(("source", 1), ("tag", 2), ("count", 1), grouping=Grouping.FIELDS),
        {"source": 10},
        measured,
    )
    assert [(it.target.first_task, it.rate) for it in by_key] == [(2, 10), (3, 0), (4, 10), (4, 0)]


def test_under_all_grouping_every_receiver_gets_everything() -> None:
    # 12/s from 2 executors, 6/s each, to each of 2 receivers.
    topology = chain(("source", 2), ("tag", 2), grouping=Grouping.ALL)
    assert rates(topology, {"source": 12}) == {
        (source, target): pytest.approx(6.0) for source in (1, 2) for target in (3, 4)
    }


def two_tasks_and_one(grouping: Grouping) -> Topology:
    """A source, and a component of tasks 2 and 3 in one executor and 4 in another."""
    topology = chain(("source", 1), ("tag", 1), grouping=grouping)
    source, tag = topology.components
    tag = replace(tag, executors=(Executor(2, 3), Executor(4, 4)))
    return replace(topology, components=(source, tag))


@pytest.mark.parametrize("grouping", [Grouping.SHUFFLE, Grouping.FIELDS])
def test_an_executor_gets_its_part_for_each_of_its_tasks(grouping: Grouping) -> None:
    # 12/s over three tasks.
    found = rates(two_tasks_and_one(grouping), {"source": 12})
    assert found == pytest.approx({(1, 2): 8.0, (1, 4): 4.0})


def test_under_all_grouping_every_task_gets_everything() -> None:
    found = rates(two_tasks_and_one(Grouping.ALL), {"source": 12})
    assert found == pytest.approx({(1, 2): 24.0, (1, 4): 12.0})


def test_what_a_grouping_of_its_own_sends_twice_is_no_rate_of_other_receivers() -> None:
    # "each" takes every tuple three times; the emitter is known a little less well.
    source, each, other = (
        chain(("source", 1), ("each", 1), ("other", 1)).components[place] for place in range(3)
    )
    each = replace(each, inputs=(Input("source", "default", Grouping.CUSTOM),))
    other = replace(other, inputs=(Input("source", "default", Grouping.SHUFFLE),))
    topology = replace(chain(("source", 1)), components=(source, each, other))
    measured = MeasuredTopology(
        emissions={("source", "default"): MeasuredValue(100.0, 2.0)},
        streams={("source", "default", "each"): MeasuredValue(300.0, 0.1)},
    )
    found, _ = flows(topology, {}, measured)
    assert rates_of_own_tuples(found) == {(1, 2): 300.0, (1, 3): 100.0}


def test_under_global_grouping_the_first_executor_gets_everything() -> None:
    topology = chain(("source", 2), ("tag", 2), grouping=Grouping.GLOBAL)
    assert rates(topology, {"source": 12}) == {(1, 3): pytest.approx(6), (2, 3): pytest.approx(6)}


def test_a_component_without_hint_emits_as_much_as_it_receives_and_that_is_said() -> None:
    topology = chain(("source", 1), ("tag", 1), ("count", 1))
    assert rates(topology, {"source": 10}) == {(1, 2): pytest.approx(10), (2, 3): pytest.approx(10)}
    _, said = flows(topology, {"source": 10})
    assert said == (message(Code.SELECTIVITY_ASSUMED, components=["tag"]),)


def test_what_all_grouping_multiplies_is_received_in_full_and_emitted_again() -> None:
    # 10/s to each of 2 executors are 20/s received, so 20/s emitted, 10/s by each executor.
    topology = chain(("source", 1), ("tag", 2), ("count", 1), grouping=Grouping.ALL)
    assert rates(topology, {"source": 10})[2, 4] == pytest.approx(10)


def test_a_hint_for_a_component_overrides_what_it_receives() -> None:
    topology = chain(("source", 1), ("tag", 1), ("count", 1))
    assert rates(topology, {"source": 10, "tag": 30})[2, 3] == pytest.approx(30)


def test_without_any_hint_all_rates_are_equal_and_that_is_said() -> None:
    topology = chain(("source", 1), ("tag", 1), ("count", 1))
    assert rates(topology, {}) == {(1, 2): pytest.approx(1), (2, 3): pytest.approx(1)}
    assert flows(topology, {})[1] == (message(Code.RATES_EQUAL),)


def test_a_spout_without_hint_is_assumed_to_emit_one_tuple_per_second() -> None:
    topology = chain(("source", 1), ("tag", 1), ("count", 1))
    assert rates(topology, {"tag": 5})[1, 2] == pytest.approx(1)
    assumed = message(Code.RATE_ASSUMED, streams=["source"], rate=1.0)
    assert assumed in flows(topology, {"tag": 5})[1]


def test_a_groupings_shares_that_are_not_known_are_said_to_be_assumed() -> None:
    topology = chain(("source", 1), ("tag", 2), grouping=Grouping.DIRECT)
    _, said = flows(topology, {"source": 1})
    pairs = ["source → tag (direct)"]
    assert said == (message(Code.SPREAD_EVENLY, streams=pairs),)


def test_ack_streams_are_system_streams_with_the_rate_of_what_they_acknowledge() -> None:
    # The source notes 10 tuples/s, tag acknowledges the 10/s it gets; each of the acker's
    # answers ends one of the 10/s.
    topology = chain(("source", 1), ("tag", 1), acker=True)
    found, _ = flows(topology, {"source": 10})
    system = {(it.source.first_task, it.target.first_task): it.rate for it in found if it.system}
    assert system == {(1, 3): 10, (2, 3): 10, (3, 1): 10}
    assert [
        it for it in found if not it.system and 3 in (it.source.first_task, it.target.first_task)
    ] == []


def test_streams_of_a_component_share_what_it_emits() -> None:
    # tag emits 10/s as a whole, 4/s of it on `odd`: 6/s are left for `even`.
    tag = Component("tag", ComponentKind.SPOUT, (Executor(1, 1),))
    topology = Topology(
        "t-1", "t", (tag, bolt("a", 2, ("tag", "odd")), bolt("b", 3, ("tag", "even")))
    )
    assert rates(topology, {"tag": 10, "tag:odd": 4}) == {(1, 2): 4, (1, 3): pytest.approx(6)}


def test_a_feedback_stream_is_not_zero() -> None:
    source = Component("source", ComponentKind.SPOUT, (Executor(1, 1),))
    looped = bolt("a", 2, ("source", "s"), ("b", "s"))
    topology = Topology("t-1", "t", (source, looped, bolt("b", 3, ("a", "s"))))
    # a gets 10/s and what comes back, assumed 1/s; it emits 11/s, and so does b.
    assert rates(topology, {"source": 10}) == {
        (1, 2): 10,
        (2, 3): pytest.approx(11),
        (3, 2): pytest.approx(11),
    }
    assumed = message(Code.RATE_ASSUMED, streams=["feedback from b to a"], rate=1.0)
    assert assumed in flows(topology, {"source": 10})[1]


def test_a_flow_of_two_streams_has_the_mean_size_of_their_tuples() -> None:
    # 10/s of 100 bytes and 10/s of 300 bytes are 4,000 bytes/s, 200 bytes for each tuple.
    topology = Topology(
        "sizes-1",
        "sizes",
        (
            Component("source", ComponentKind.SPOUT, (Executor(1, 1),)),
            bolt("tag", 2, ("source", "small"), ("source", "large")),
        ),
    )
    sizes = {"source": 100.0, "source:large": 300.0}
    (flow,), _ = flows(topology, {"source": 20}, sizes=sizes)
    assert (flow.rate, flow.tuple_bytes) == (20.0, 200.0)


def test_a_flow_with_a_stream_of_unknown_size_has_no_size() -> None:
    topology = chain(("source", 1), ("tag", 1), ("count", 1))
    found, _ = flows(topology, {"source": 10}, sizes={"source": 100.0})
    assert [it.tuple_bytes for it in found] == [100.0, None]
