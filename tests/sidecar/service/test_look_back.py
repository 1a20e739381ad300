"""A move is looked back on once it came to rest: it is undone, once, if it made things worse."""

from itertools import count

import pytest
from eyewall_contracts.decision import Verdict
from eyewall_contracts.sample import TaskOutput, TaskSample
from eyewall_sidecar.messages import Code
from eyewall_sidecar.service.complete_latency import MeasuredLatency
from eyewall_sidecar.service.decision import Decision, Place
from eyewall_sidecar.service.look_back import MoveHistory, MoveTrial, judge_move
from eyewall_sidecar.service.movement_rules import evaluate_move
from eyewall_sidecar.service.performance import Measurement, Performance
from eyewall_sidecar.storm import Executor, Topology, TopologyProblem
from measured_topologies import rates_of, report
from msgspec.structs import replace
from obedient_nimbus import Nimbus, is_placed
from planned_topologies import nimbus_with, topology
from said import codes

SEQUENCE = count()


def report_round(
    nimbus: Nimbus, of: Topology, latency: float, busy: float = 0.1, start: str = "first"
) -> Decision:
    """Each host reports its workers, whose ids follow from what they run; then Nimbus asks."""
    nimbus.measured.wanted = True
    now = nimbus.clock.now
    nimbus.measured.rates[of.id] = rates_of(of, {2: 10, 3: 10}, {1: 10, 2: 10}, until=now)
    for host in "abc":
        sample = report(host, next(SEQUENCE), time=now, cores=8.0, busy=busy)
        spout = TaskSample(
            1,
            "source",
            outputs=(TaskOutput("default", 100, 100, 100, 0, complete_latency=latency),),
        )
        base = report(host, used={of.id: busy}).workers[0]
        workers = tuple(
            replace(
                base,
                port=it.slot.port,
                id=f"{sorted(it.executors)}, {start}",
                tasks=(spout, TaskSample(9, "__acker")) if Executor(1, 1) in it.executors else (),
            )
            for it in nimbus.running[of.id]
            if it.slot.supervisor == f"sup-{host}"
        )
        nimbus.measured.hosts[host] = replace(sample, workers=workers)
    return nimbus.round(of)[of.id]


def moved(nimbus: Nimbus, of: Topology) -> None:
    """At rest with 50 ms, tag moves to b, where R should be 20 ms instead of 50."""
    assert any(is_placed(report_round(nimbus, of, 0.05)) for _ in range(10))
    assert nimbus.host_of(of, 2) == "b"


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
    assert [is_undone() for _ in range(8)] == [False, False, False, True] * 2  # a round a second
    # What counts as a setback is an undo that was made.
    assert nimbus.service.last_round().records[it.id].history == MoveHistory()
    nimbus.running[it.id] = before
    report_round(nimbus, it, 0.2)
    assert nimbus.service.last_round().records[it.id].history.uncertainty == 2.0


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


def test_after_a_move_was_undone_nothing_moves_for_ten_minutes() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    moved(nimbus, it)
    assert any(is_placed(report_round(nimbus, it, 0.2)) for _ in range(10))
    for _ in range(10):
        report_round(nimbus, it, 0.05)
    snapshot = nimbus.service.last_round()
    conditions = nimbus.service.conditions(
        snapshot.observation.state.topologies[0], snapshot.records
    )
    candidate = snapshot.records[it.id].candidate
    assert candidate is not None
    hold = evaluate_move(candidate, nimbus.service.settings.moves, conditions).hold
    assert codes(hold) == [Code.STILL]
    nimbus.clock.now += 600
    assert any(is_placed(report_round(nimbus, it, 0.05)) for _ in range(10))


def test_each_further_setback_doubles_the_time_for_which_nothing_moves() -> None:
    first = MoveHistory().with_setback(100.0)
    second = first.with_setback(1000.0)
    assert (first.still_until, second.still_until) == (700.0, 2200.0)
    assert (first.uncertainty, second.uncertainty) == (2.0, 4.0)


def test_a_frozen_topology_stays_where_a_bad_move_left_it() -> None:
    it = topology()
    nimbus = nimbus_with(it)
    moved(nimbus, it)
    nimbus.switches.turn(everything=True)
    assert not any(is_placed(report_round(nimbus, it, 0.2)) for _ in range(10))
    assert nimbus.host_of(it, 2) == "b"


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
