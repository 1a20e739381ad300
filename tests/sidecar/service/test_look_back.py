"""A move is looked back on once it came to rest: it is undone, once, if it made things worse."""

import dataclasses

import pytest
from eyewall_contracts.decision import Verdict
from eyewall_sidecar.service.complete_latency import MeasuredLatency
from eyewall_sidecar.service.decision import Decision, Place
from eyewall_sidecar.service.look_back import MoveHistory, MoveTrial, judge_move
from eyewall_sidecar.service.measurement import Measurement
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.storm import Topology, TopologyProblem
from obedient_nimbus import Nimbus, is_placed
from planned_topologies import nimbus_with, topology
from reported_rounds import moved, report_round


def test_a_move_that_made_things_better_stays_and_its_record_has_what_was_measured() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    moved(nimbus, it)
    later = [report_round(nimbus, it, 0.02) for _ in range(10)]
    assert not any(map(is_placed, later))
    move = next(one for one in nimbus.recorded.records if one.verdict is Verdict.MOVED)
    outcome = next(one for one in nimbus.recorded.records if one.outcome_of)
    assert outcome.outcome_of == move.id
    assert "latency 20 ms (was 50 ms)" in outcome.outcome
    assert move.price == pytest.approx(360.0)  # 8 s without output, and 45 s until a replay


def test_a_move_that_made_things_worse_is_undone_once() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    before = nimbus.running[it.id]
    moved(nimbus, it)
    undone = next(
        one for one in (report_round(nimbus, it, 0.2) for _ in range(10)) if is_placed(one)
    )
    assert undone.verdict == Place(before)
    # Back again the latency stays high: whatever it is, it is not taken back a second time.
    later = [report_round(nimbus, it, 0.2) for _ in range(20)]
    assert not any(map(is_placed, later))


def test_an_undo_that_nimbus_does_not_take_is_ordered_again_after_the_cool_down() -> None:
    it = topology()
    nimbus = nimbus_with(it, cool_down_seconds=4.0)
    before = nimbus.running[it.id]
    moved(nimbus, it)
    there = nimbus.running[it.id]

    def is_undone() -> bool:
        decision = report_round(nimbus, it, 0.2)
        undone = decision.verdict == Place(before)
        nimbus.running[it.id] = there  # as if a host had become full
        return undone

    while not is_undone():
        assert nimbus.clock.now < 200
    assert [is_undone() for _ in range(4)] == [False, False, False, True]  # a round a second
    # What counts as a setback is an undo that was made.
    assert nimbus.service.last_round().records[it.id].history == MoveHistory()
    nimbus.running[it.id] = before
    report_round(nimbus, it, 0.2)
    assert nimbus.service.last_round().records[it.id].history.uncertainty == 2.0


def test_an_undo_that_nimbus_did_not_take_three_times_is_given_up() -> None:
    it = topology()
    nimbus = nimbus_with(it, cool_down_seconds=4.0)
    before = nimbus.running[it.id]
    moved(nimbus, it)
    there, undone = nimbus.running[it.id], 0
    for _ in range(40):
        undone += report_round(nimbus, it, 0.2).verdict == Place(before)
        nimbus.running[it.id] = there
    assert undone == 3
    record = nimbus.service.last_round().records[it.id]
    assert (record.trial, record.history.setbacks) == (None, 1)
    given_up = next(one for one in nimbus.recorded.records if "it stays" in one.said)
    assert "Nimbus did not take the way back 3 times" in given_up.said
    # What has to move does so: the host is drained.
    nimbus.switches.turn(drained=["b"])
    assert any(is_placed(report_round(nimbus, it, 0.2)) for _ in range(6))


def restarted_rounds(nimbus: Nimbus, of: Topology, times: int) -> list[Decision]:
    """Rounds in each of which the topology's workers have been restarted, after one as they are."""
    starts = ["first", *(f"start {number}" for number in range(times))]
    return [report_round(nimbus, of, 0.05, start=it) for it in starts]


def test_a_move_after_which_a_worker_restarts_again_and_again_is_undone() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    before = nimbus.running[it.id]
    moved(nimbus, it)
    # The worker that was there first may be one that the move ends.
    assert not any(map(is_placed, restarted_rounds(nimbus, it, 3)))
    assert report_round(nimbus, it, 0.05, start="third").verdict == Place(before)
    undone = next(one for one in nimbus.recorded.records if one.outcome_of)
    assert "a worker has been restarted 3 times since" in undone.outcome


def test_workers_that_restart_too_soon_to_be_measured_are_undone_as_well() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    before = nimbus.running[it.id]
    moved(nimbus, it)
    restarted_rounds(nimbus, it, 3)
    nimbus.delays.confidence = 0.1  # too little to move anything by
    kept = report_round(nimbus, it, 0.05, start="start 2")
    assert "no improvement sought" in str(kept.status)
    assert report_round(nimbus, it, 0.05, start="third").verdict == Place(before)


def test_a_worker_that_restarted_as_often_before_the_move_does_not_blame_it() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.switches.turn(everything=True)
    restarted_rounds(nimbus, it, 4)
    nimbus.switches.turn()
    assert any(is_placed(report_round(nimbus, it, 0.05, start="start 3")) for _ in range(10))
    assert not any(map(is_placed, restarted_rounds(nimbus, it, 5)))


@pytest.mark.parametrize(("latency", "is_undone"), [(0.06, False), (0.2, True)])
def test_a_move_is_undone_if_that_saves_more_than_it_costs(latency: float, is_undone: bool) -> None:
    # With a message timeout of 5 s, 8 s without output cost 8 · 7.5 = 60 s. 30 ms less for an hour
    # are 108 s, 10 ms more 36 s, and 150 ms more 540 s.
    it = dataclasses.replace(topology(), message_timeout=5.0)
    nimbus = nimbus_with(it, horizon_seconds=3600.0)
    moved(nimbus, it)
    nimbus.clock.now += 12  # the reports are of 5 s
    later = [report_round(nimbus, it, latency) for _ in range(10)]
    assert any(map(is_placed, later)) == is_undone
    assert nimbus.service.last_round().records[it.id].history.setbacks == 1
    if not is_undone:
        said = next(one.said for one in nimbus.recorded.records if "it stays" in one.said)
        assert "would cost 60 s of lateness for each tuple/s, and save 36 s within 3600 s" in said


def test_a_move_that_nimbus_does_not_take_is_not_ordered_in_every_round() -> None:
    it = topology()
    nimbus = nimbus_with(it, cool_down_seconds=10.0)
    nimbus.clock.now += 10
    assert [is_placed(nimbus.round(it, obey=False)[it.id]) for _ in range(6)] == [True] * 5 + [
        False
    ]
    # Then after 10 s, and after 20.
    later = [is_placed(nimbus.round(it, obey=False)[it.id]) for _ in range(30)]
    assert [number for number, placed in enumerate(later) if placed] == [8, 28]
    assert "Nimbus does not take this move" in str(nimbus.round(it, obey=False)[it.id].status)
    # Another move is not held back: the tag has to go to c.
    pinned = topology(pin={"source": ["a"], "tag": ["c"], "sink": ["c"]})
    assert any(is_placed(nimbus.round(pinned, obey=False)[it.id]) for _ in range(3))


def test_a_move_that_the_shim_refuses_waits_at_once_and_says_why() -> None:
    it, why = topology(), "host-b would need 3 gpu and has 2"
    nimbus = nimbus_with(it, cool_down_seconds=10.0)
    nimbus.clock.now += 10
    assert is_placed(nimbus.round(it, obey=False)[it.id])
    refused = nimbus.round(it, obey=False, refusal=why)[it.id]
    assert not is_placed(refused)
    assert f"Nimbus does not take this move ({why})" in str(refused.status)
    assert why in nimbus.recorded.records[-1].said
    # The shim says it once; the move waits for the 10 s all the same.
    later = [is_placed(nimbus.round(it, obey=False)[it.id]) for _ in range(9)]
    assert [number for number, placed in enumerate(later) if placed] == [8]


def test_an_undo_that_the_shim_refuses_is_ordered_three_times_as_any_other() -> None:
    it, why = topology(), "host-a is blacklisted"
    nimbus = nimbus_with(it, cool_down_seconds=4.0)
    before = nimbus.running[it.id]
    moved(nimbus, it)
    there, undone, refusal = nimbus.running[it.id], 0, ""
    for _ in range(60):
        is_ordered = report_round(nimbus, it, 0.2, refusal=refusal).verdict == Place(before)
        undone += is_ordered
        refusal = why if is_ordered else ""
        nimbus.running[it.id] = there
    assert undone == 3
    given_up = next(one for one in nimbus.recorded.records if "it stays" in one.said)
    assert f"Nimbus did not take the way back 3 times ({why})" in given_up.said


def test_a_refusal_of_the_round_before_is_not_that_of_a_later_order() -> None:
    # The shim tells it once. What is ordered again after that has not been refused yet.
    it = topology()
    nimbus = nimbus_with(it, cool_down_seconds=10.0)
    nimbus.clock.now += 10
    nimbus.round(it, obey=False)
    nimbus.round(it, obey=False, refusal="full")
    while not is_placed(nimbus.round(it, obey=False)[it.id]):
        assert nimbus.clock.now < 200
    handover = nimbus.service.last_round().records[it.id].handover
    assert handover is not None
    assert (handover.orders, handover.refusal) == (2, "")


def test_a_move_that_a_pin_forced_is_not_undone() -> None:
    # The tag runs on a, where its pin does not allow it: on c it is slower, and stays.
    free, pinned = topology(), topology(pin={"source": ["a"], "tag": ["c"], "sink": ["c"]})
    nimbus = nimbus_with(free)
    nimbus.switches.turn(everything=True)
    for _ in range(8):
        report_round(nimbus, free, 0.05)
    nimbus.switches.turn()
    assert any(is_placed(report_round(nimbus, pinned, 0.05)) for _ in range(3))
    assert nimbus.host_of(pinned, 2) == "c"
    assert not any(is_placed(report_round(nimbus, pinned, 0.2)) for _ in range(20))


def test_a_move_away_from_what_became_slow_is_not_compared_with_the_time_before_that() -> None:
    # 50 ms for long, 300 in the last two reports before the move, and 100 ms after it.
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.switches.turn(everything=True)
    for latency in (*[0.05] * 8, 0.3, 0.3):
        report_round(nimbus, it, latency)
    nimbus.switches.turn()
    assert is_placed(nimbus.round(it)[it.id])
    assert not any(is_placed(report_round(nimbus, it, 0.1)) for _ in range(10))


def test_a_move_is_not_undone_for_a_way_back_that_became_longer() -> None:
    # Where tag was, tuples would take 250 ms more by now: its 200 ms are no fault of the move.
    it = topology()
    nimbus = nimbus_with(it)
    moved(nimbus, it)
    nimbus.delays.milliseconds["a", "c"] = 300
    later = [report_round(nimbus, it, 0.2) for _ in range(10)]
    assert not any(map(is_placed, later))
    outcome = next(one for one in nimbus.recorded.records if one.outcome_of)
    assert "no fault of the move: 250 ms more, 100% carried" in outcome.outcome


def undone_for_a_slow_link(nimbus: Nimbus, of: Topology) -> None:
    """The link that the move brought it onto takes 190 ms more, and so do tuples."""
    moved(nimbus, of)
    nimbus.delays.milliseconds["b", "c"] = 200
    assert any(is_placed(report_round(nimbus, of, 0.2)) for _ in range(20))
    assert nimbus.host_of(of, 2) == "a"
    assert nimbus.service.last_round().records[of.id].history.setbacks == 0
    report_round(nimbus, of, 0.05)
    assert nimbus.service.last_round().records[of.id].history.setbacks == 1


def moves_within(nimbus: Nimbus, of: Topology, seconds: int) -> list[int]:
    """The seconds after which it moves, while tuples take 50 ms."""
    return [second for second in range(seconds) if is_placed(report_round(nimbus, of, 0.05))]


def test_where_links_stay_slow_without_the_topology_its_undo_holds_nothing_back() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    undone_for_a_slow_link(nimbus, it)
    assert moves_within(nimbus, it, 100) == []
    nimbus.clock.now += 200
    report_round(nimbus, it, 0.05)
    record = nimbus.service.last_round().records[it.id]
    assert (record.history.setbacks, record.history.still_until) == (0, 0.0)
    assert nimbus.recorded.records[-1].outcome == (
        "the move that was undone was not why b → c became slow: it takes 200 ms without the "
        "topology, too; nothing is held back any more"
    )
    # Predictions are as certain as before, though nothing else has changed.
    report_round(nimbus, it, 0.05)
    request = nimbus.service.last_round().records[it.id].request
    assert request is not None
    assert isinstance(request.problem, TopologyProblem)
    assert request.problem.problem.load.uncertainty == 1.0
    # By way of b it takes 30 ms, which is worth a move at once.
    nimbus.delays.milliseconds["b", "c"] = 20
    assert len(moves_within(nimbus, it, 20)) == 1


def test_where_a_link_is_fast_without_the_topology_nothing_moves_for_ten_minutes() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    undone_for_a_slow_link(nimbus, it)
    nimbus.delays.milliseconds["b", "c"] = 10
    nimbus.clock.now += 290
    assert moves_within(nimbus, it, 20) == []
    # Slow again for other reasons: that does not make good what was learned.
    nimbus.delays.milliseconds["b", "c"] = 200
    assert moves_within(nimbus, it, 20) == []
    nimbus.delays.milliseconds["b", "c"] = 10
    nimbus.clock.now += 200
    assert moves_within(nimbus, it, 20) == []


def test_a_move_that_its_links_do_not_explain_holds_everything_back() -> None:
    # 20 of the 150 ms that it takes more.
    it = topology()
    nimbus = nimbus_with(it)
    moved(nimbus, it)
    nimbus.delays.milliseconds["b", "c"] = 30
    assert any(is_placed(report_round(nimbus, it, 0.2)) for _ in range(20))
    report_round(nimbus, it, 0.05)
    history = nimbus.service.last_round().records[it.id].history
    assert (history.setbacks, history.slowed) == (1, ())


def test_a_worker_that_died_has_as_long_to_catch_up_as_one_that_was_moved() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    nimbus.switches.turn(everything=True)
    report_round(nimbus, it, 0.05)
    nimbus.clock.now += 500

    def catching_up() -> float:
        snapshot = nimbus.service.last_round()
        (state,) = snapshot.observation.state.topologies
        return nimbus.service.conditions(state, snapshot.records).catching_up_seconds

    report_round(nimbus, it, 0.05)
    assert catching_up() < 0
    report_round(nimbus, it, 0.05, start="second")
    assert catching_up() == pytest.approx(80.0)  # ten times 8 s
    # At rest without queues nothing is left to make up for, so a rate that rises then is its own.
    for _ in range(7):
        report_round(nimbus, it, 0.05, start="second")
    assert catching_up() < 0


def test_a_frozen_topology_stays_where_a_bad_move_left_it() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    moved(nimbus, it)
    nimbus.switches.turn(everything=True)
    assert not any(is_placed(report_round(nimbus, it, 0.2)) for _ in range(10))
    assert nimbus.host_of(it, 2) == "b"


def test_a_bad_move_stays_where_others_have_filled_the_way_back() -> None:
    # Half of the tuples come, and nothing says how late. Where source and tag were together they
    # need 0.2 cores, and the host has 0.15 or 0.08 by now: with 0.08 less than is carried anyway.
    def after_the_move(cores: float) -> tuple[Nimbus, Topology]:
        it = topology()
        nimbus = nimbus_with(it)
        moved(nimbus, it)
        for _ in range(10):
            report_round(nimbus, it, None, cores={"a": cores}, emitted=50)
        return nimbus, it

    nimbus, it = after_the_move(8.0)
    assert nimbus.host_of(it, 2) == "a"
    nimbus, it = after_the_move(0.15)
    assert nimbus.host_of(it, 2) == "a"
    nimbus, it = after_the_move(0.08)
    assert nimbus.host_of(it, 2) == "b"
    outcome = next(one for one in nimbus.recorded.records if one.outcome_of)
    assert "of what was carried there would be now" in outcome.outcome


@pytest.mark.parametrize(
    ("weighs_latency", "latency", "worse"),
    [
        (True, 0.0104, False),  # within 5 %, which differ however little noise there is
        (True, 0.014, True),
        (False, 0.014, False),  # the way is longer, which is the price of less traffic
        (False, 0.5, False),
        (False, 0.6, True),  # no way takes 590 ms more: tuples wait in queues
    ],
)
def test_a_move_made_for_less_traffic_may_cost_latency_but_not_make_tuples_queue(
    weighs_latency: bool, latency: float, worse: bool
) -> None:
    trial = MoveTrial((), _at_rest(0.01), weighs_latency=weighs_latency)
    assert judge_move(trial, _at_rest(latency)).worse is worse


def _at_rest(latency: float) -> Performance:
    return Performance(
        measurements=(Measurement(100.0, 1.0, 0.5, MeasuredLatency(latency, latency)),) * 6
    )
