"""What is believed of a topology's measurements, and when a figure takes another's place."""

import dataclasses

import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.storm import Executor, Grouping, Topology, hold_estimates, measured_topology
from eyewall_sidecar.storm.rates import flows, unknown_streams
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology, MeasuredValue
from measured_topologies import rates_of
from msgspec.structs import replace
from storm_builders import chain

NOW = 1000.0


def believed(
    topology: Topology, taken: dict[int, float], given: dict[int, float], **how: float
) -> MeasuredTopology:
    rates = rates_of(topology, taken, given, **{"until": NOW, **how})
    return measured_topology(rates, topology, NOW, 0.5)


def rates_between(topology: Topology, measured: MeasuredTopology) -> dict[tuple[int, int], float]:
    found, _ = flows(topology, {}, measured)
    return {(it.source.first_task, it.target.first_task): it.rate for it in found}


def test_measured_rates_come_before_hints_and_nothing_is_said_to_be_assumed() -> None:
    topology = chain(("source", 1), ("tag", 1), ("count", 1))
    measured = believed(topology, {2: 100.0, 3: 40.0}, {1: 100.0, 2: 40.0})
    found, said = flows(topology, {"source": 7, "tag": 7}, measured)
    assert {(it.source.first_task, it.target.first_task): it.rate for it in found} == {
        (1, 2): pytest.approx(100),
        (2, 3): pytest.approx(40),
    }
    assert said == ()


def test_uneven_keys_are_seen_under_fields_grouping() -> None:
    # 90/s and 10/s of 100/s, from two executors that give out alike: half of each.
    topology = chain(("source", 2), ("count", 2), grouping=Grouping.FIELDS)
    measured = believed(topology, {3: 90.0, 4: 10.0}, {1: 50.0, 2: 50.0})
    assert rates_between(topology, measured) == {
        (1, 3): pytest.approx(45),
        (2, 3): pytest.approx(45),
        (1, 4): pytest.approx(5),
        (2, 4): pytest.approx(5),
    }


def test_executors_that_differ_by_the_sampling_alone_are_taken_as_alike() -> None:
    # 55 and 45 are within a quarter of their mean, 50.
    topology = chain(("source", 1), ("count", 2))
    measured = believed(topology, {2: 55.0, 3: 45.0}, {1: 100.0})
    assert rates_between(topology, measured) == {
        (1, 2): pytest.approx(50),
        (1, 3): pytest.approx(50),
    }


def test_executors_that_differ_by_less_than_the_error_of_their_rates_are_taken_as_alike() -> None:
    # 7/s and 3/s, each known to 2.5/s: both may be 5/s. Known to 1/s, they are not alike.
    topology = chain(("source", 1), ("count", 2), grouping=Grouping.FIELDS)

    def measured(error: float) -> MeasuredTopology:
        of_tasks = {2: MeasuredValue(7, error), 3: MeasuredValue(3, error)}
        return MeasuredTopology(
            emissions={("source", "default"): MeasuredValue(10, 1)},
            streams={("source", "default", "count"): MeasuredValue(10, 1)},
            received={(task, "source", "default"): it for task, it in of_tasks.items()},
        )

    assert set(rates_between(topology, measured(2.5)).values()) == {5}
    assert rates_between(topology, measured(1)) == {
        (1, 2): pytest.approx(7),
        (1, 3): pytest.approx(3),
    }


def test_what_local_or_shuffle_gave_here_is_not_expected_elsewhere() -> None:
    topology = chain(("source", 1), ("count", 2), grouping=Grouping.LOCAL_OR_SHUFFLE)
    measured = believed(topology, {2: 100.0, 3: 0.0}, {1: 100.0})
    assert rates_between(topology, measured) == {
        (1, 2): pytest.approx(50),
        (1, 3): pytest.approx(50),
    }
    assert flows(topology, {}, measured)[1] == ()


def test_who_sends_to_whom_under_direct_grouping_is_said_to_be_guessed() -> None:
    topology = chain(("source", 1), ("count", 2), grouping=Grouping.DIRECT)
    measured = believed(topology, {2: 90.0, 3: 10.0}, {1: 100.0})
    assert rates_between(topology, measured)[1, 2] == pytest.approx(90)
    assert flows(topology, {}, measured)[1] == (
        message(Code.SPREAD_GUESSED, streams=["source → count (direct)"]),
    )


def test_an_estimate_below_the_minimum_of_confidence_is_unknown_and_said_why() -> None:
    topology = chain(("source", 1), ("count", 1))
    measured = believed(topology, {2: 100.0}, {1: 100.0}, confidence=0.4)
    assert unknown_streams(topology, {}, measured) == ("source:default",)
    said = "source:default → count: confidence 0.40 of 0.5 wanted, 0 s old"
    assert said in measured.doubtful


def test_an_estimate_grows_doubtful_with_age() -> None:
    # 0.9 at once; 15 s cost nothing, then half is lost in 30 s: 0.9 / 2 = 0.45 after 45 s.
    topology = chain(("source", 1), ("count", 1))
    fresh = believed(topology, {2: 100.0}, {1: 100.0}, until=NOW - 30)
    old = believed(topology, {2: 100.0}, {1: 100.0}, until=NOW - 45)
    assert unknown_streams(topology, {}, fresh) == ()
    assert unknown_streams(topology, {}, old) == ("source:default",)
    assert any("confidence 0.45 of 0.5 wanted, 45 s old" in it for it in old.doubtful)


@pytest.mark.parametrize(
    ("was_known", "confidence", "is_known"),
    [(True, 0.51, True), (True, 0.49, False), (False, 0.54, False), (False, 0.56, True)],
)
def test_a_figure_that_was_not_believed_has_to_be_known_a_little_better_than_the_minimum(
    was_known: bool, confidence: float, is_known: bool
) -> None:
    topology = chain(("source", 1), ("count", 1))
    earlier = believed(topology, {2: 100.0}, {1: 100.0}, confidence=0.9 if was_known else 0.1)
    rates = rates_of(topology, {2: 100.0}, {1: 100.0}, until=NOW, confidence=confidence)
    now = measured_topology(rates, topology, NOW, 0.5, earlier)
    assert (unknown_streams(topology, {}, now) == ()) is is_known


def test_a_stream_of_which_a_task_was_not_seen_is_unknown_not_smaller() -> None:
    topology = chain(("source", 1), ("count", 2))
    rates = rates_of(topology, {2: 50.0}, {1: 100.0}, until=NOW)
    unseen = rates.task_costs[:2]  # of tasks 1 and 2; nothing reports task 3
    measured = measured_topology(
        replace(rates, task_costs=unseen),
        topology,
        NOW,
        0.5,
    )
    assert ("source", "default", "count") not in measured.streams
    assert "source:default → count: 1 of its tasks not seen" in measured.doubtful


def test_a_task_that_fell_silent_is_not_seen_though_its_last_figures_are_kept() -> None:
    # 100 s ago the host of task 3 fell silent: the stream's figures now are task 2's alone.
    topology = chain(("source", 1), ("count", 2))
    now = rates_of(topology, {2: 50.0, 3: 50.0}, {1: 100.0}, until=NOW)
    then = rates_of(topology, {2: 50.0, 3: 50.0}, {1: 100.0}, until=NOW - 100)
    rates = replace(
        now,
        inputs=(now.inputs[0], then.inputs[1]),
        task_costs=(*now.task_costs[:2], then.task_costs[2]),
    )
    measured = measured_topology(rates, topology, NOW, 0.5)
    assert ("source", "default", "count") not in measured.streams
    assert "source:default → count: 1 of its tasks not seen" in measured.doubtful


def test_a_task_that_is_watched_and_gets_nothing_gets_nothing() -> None:
    topology = chain(("source", 1), ("count", 2), grouping=Grouping.FIELDS)
    measured = believed(topology, {2: 100.0}, {1: 100.0})  # CPU shows that task 3 is watched
    assert rates_between(topology, measured) == {(1, 2): pytest.approx(100), (1, 3): 0.0}


def test_what_a_silent_task_took_and_gave_before_is_none_of_what_flows_now() -> None:
    # Tasks 1 and 3 were restarted 500 s ago and had no tuples since; their CPU is measured.
    topology = chain(("source", 2), ("count", 2), grouping=Grouping.FIELDS)
    now = rates_of(topology, {3: 50.0, 4: 100.0}, {1: 50.0, 2: 100.0}, until=NOW)
    then = rates_of(topology, {3: 50.0, 4: 50.0}, {1: 50.0, 2: 100.0}, until=NOW - 500)
    rates = replace(
        now,
        inputs=(then.inputs[0], now.inputs[1]),
        outputs=(then.outputs[0], *now.outputs[1:]),
    )
    measured = measured_topology(rates, topology, NOW, 0.5)
    assert measured.doubtful == ()
    assert list(measured.received) == [(4, "source", "default")]
    assert list(measured.emitted) == [(2, "default")]


def test_a_component_is_found_by_the_name_that_storms_reporter_gives_it() -> None:
    topology = chain(("word.source", 1), ("count", 1))
    rates = rates_of(chain(("word_source", 1), ("count", 1)), {2: 9.0}, {1: 9.0}, until=NOW)
    measured = measured_topology(rates, topology, NOW, 0.5)
    assert rates_between(topology, measured) == {(1, 2): pytest.approx(9)}


def test_a_stream_is_found_by_the_name_that_storms_reporter_gives_it() -> None:
    def with_stream(name: str) -> Topology:
        source, count = chain(("source", 1), ("count", 1)).components
        inputs = (dataclasses.replace(count.inputs[0], stream=name),)
        changed = dataclasses.replace(count, inputs=inputs)
        return dataclasses.replace(chain(), components=(source, changed))

    rates = rates_of(with_stream("late_words"), {2: 9.0}, {1: 9.0}, until=NOW)
    rates = replace(rates, inputs=(), emissions=())
    topology = with_stream("late.words")
    assert unknown_streams(topology, {}, measured_topology(rates, topology, NOW, 0.5)) == ()


def test_components_that_storms_reporter_does_not_tell_apart_are_unknown() -> None:
    topology = chain(("source", 1), ("a.b", 1), ("a_b", 1))
    measured = believed(topology, {2: 9.0, 3: 90.0}, {1: 9.0, 2: 90.0})
    assert measured.streams == {}
    assert "a.b" not in measured.execution_times
    assert "a_b" not in measured.execution_times


def test_nothing_measured_yet_leaves_every_own_stream_unknown_but_those_that_a_hint_tells() -> None:
    topology = chain(("source", 1), ("tag", 1), ("count", 1))
    nothing = measured_topology(None, topology, NOW, 0.5)
    assert unknown_streams(topology, {"tag": 5}, nothing) == ("source:default",)


@pytest.mark.parametrize(
    ("now", "is_held"),
    [
        (MeasuredValue(109, 1), True),  # within a tenth of 100
        (MeasuredValue(111, 1), False),
        (MeasuredValue(130, 40), False),  # an error that has grown excuses nothing
        (MeasuredValue(89, 1), False),
    ],
)
def test_a_figure_is_held_until_it_is_off_by_more_than_chance(
    now: MeasuredValue, is_held: bool
) -> None:
    before = MeasuredTopology(emissions={("source", "default"): MeasuredValue(100, 2)})
    after = hold_estimates(before, MeasuredTopology(emissions={("source", "default"): now}))
    assert (after == before) is is_held


def test_what_is_no_longer_known_is_not_held() -> None:
    before = MeasuredTopology(emissions={("source", "default"): MeasuredValue(100, 2)})
    assert hold_estimates(before, MeasuredTopology()).emissions == {}


def test_the_time_for_a_tuple_is_held_while_it_is_not_known_for_it_would_count_as_zero() -> None:
    before = MeasuredTopology(execution_times={"count": MeasuredValue(0.002, 0.0001)})
    after = hold_estimates(before, MeasuredTopology())
    assert after.execution_times == before.execution_times


def test_the_cores_of_a_task_that_gets_no_tuples_are_known() -> None:
    topology = chain(("source", 1), ("count", 1))
    rates = rates_of(topology, {2: 0.0}, {1: 1.0}, until=NOW)
    idle = replace(rates, costs=rates.costs[:1])  # without tuples there is no time for each
    assert measured_topology(idle, topology, NOW, 0.5).cores.keys() == {1, 2}
    assert measured_topology(idle, topology, NOW + 100, 0.5).cores == {}


def test_acks_are_as_measured_where_they_are() -> None:
    topology = chain(("source", 1), ("count", 1), acker=True)
    acker = Executor(3, 3)
    measured = MeasuredTopology(
        emissions={("source", "default"): MeasuredValue(100, 1)},
        streams={("count", "__ack_ack", "__acker"): MeasuredValue(30, 1)},
    )
    found, _ = flows(topology, {}, measured)
    # Of 100 tuples/s only 30 are anchored; the spout's own notes to the acker are not measured.
    assert {it.source.first_task: it.rate for it in found if it.target == acker} == {
        1: pytest.approx(100),
        2: pytest.approx(30),
    }


def test_the_cores_of_a_task_are_remembered_while_they_are_not_known_and_that_is_told() -> None:
    before = MeasuredTopology(cores={1: MeasuredValue(0.5, 0.01), 2: MeasuredValue(0.1, 0.01)})
    after = hold_estimates(before, MeasuredTopology(cores={2: MeasuredValue(0.3, 0.01)}))
    assert after.cores == {1: MeasuredValue(0.5, 0.01), 2: MeasuredValue(0.3, 0.01)}
    assert after.remembered == {1}


def test_a_receiver_that_hangs_does_not_make_its_stream_silent() -> None:
    # 1000/s given out, known to 2 %; the bolt took 0/s, and is as sure of that as can be.
    topology = chain(("source", 1), ("count", 1))
    measured = MeasuredTopology(
        emissions={("source", "default"): MeasuredValue(1000, 20)},
        streams={("source", "default", "count"): MeasuredValue(0, 1)},
    )
    assert rates_between(topology, measured) == {(1, 2): pytest.approx(1000)}


def test_a_figure_that_cannot_be_is_not_believed() -> None:
    topology = chain(("source", 1), ("count", 1))
    measured = believed(topology, {2: 1e12}, {1: 1e12}, cost=1e14)
    assert unknown_streams(topology, {}, measured) == ("source:default",)
    assert measured.execution_times == {}
    assert "source:default → count: 1e+12 is impossible" in measured.doubtful


def test_where_rows_of_single_tasks_were_left_out_the_document_says_how_many_it_counted() -> None:
    topology = chain(("source", 1), ("count", 2))
    whole = rates_of(topology, {2: 50.0, 3: 50.0}, {1: 100.0}, until=NOW)
    parts = [replace(it, tasks=1) for it in whole.streams]
    cut = replace(whole, inputs=(), outputs=(), task_costs=(), left_out=6)
    known = measured_topology(cut, topology, NOW, 0.5)
    partial = measured_topology(replace(cut, streams=tuple(parts)), topology, NOW, 0.5)
    assert ("source", "default", "count") in known.streams
    assert ("source", "default", "count") not in partial.streams
