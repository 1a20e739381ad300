"""What it costs a topology that it is given more than it carries."""

from dataclasses import replace

import pytest
from eyewall_sidecar.objectives.load_prediction import LoadPrediction
from eyewall_sidecar.service.complete_latency import MeasuredLatency
from eyewall_sidecar.service.measurement import Measurement
from eyewall_sidecar.service.overload import (
    LULL,
    Overload,
    Waiting,
    find_waiting,
    note_overload,
    note_overrated,
    update_overload,
)
from eyewall_sidecar.service.performance import FEWEST, Performance
from planned_topologies import nimbus_with, topology
from reported_rounds import report_round

TWO_LONGER = Waiting(seconds=2.5, least=0.5)


def performance(*latencies: float | None, waiting: float = 0.0) -> Performance:
    """What was measured of 100 tuples/s, at rest."""
    measured = (MeasuredLatency(it, it) for it in latencies)
    return Performance(
        measurements=tuple(Measurement(100.0, 0.1, 0.5, it, waiting) for it in measured),
        workers={("a", 6700): "w"},
        at_rest=True,
    )


def predicted(relief: float, *, saturated: bool) -> LoadPrediction:
    return LoadPrediction((1.0, 1.0), relief, relief, saturated)


def overload(*rounds: Waiting | None, every: float = 5.0) -> Overload | None:
    """After rounds so many seconds apart, the first at 0."""
    found: Overload | None = None
    for number, waiting in enumerate(rounds):
        found = update_overload(found, waiting, every * number)
    return found


def lateness(*rounds: Waiting | None, every: float = 5.0) -> float:
    found = overload(*rounds, every=every)
    assert found is not None
    return found.lateness


def test_tuples_are_late_by_what_they_take_longer_than_usual() -> None:
    # 2 s for 5 s, and again.
    assert lateness(TWO_LONGER, TWO_LONGER, TWO_LONGER) == pytest.approx(20.0)
    quicker = Waiting(seconds=0.4, least=0.5)
    assert lateness(quicker, quicker) == 0.0


@pytest.mark.parametrize("rounds", [2, 3, 5, 21])
def test_lateness_does_not_depend_on_how_often_it_is_looked_at(rounds: int) -> None:
    # In 20 s latency grows from 0.5 to 20.5 s: 20² / 2.
    steps = [Waiting(0.5 + 20.0 * it / (rounds - 1), 0.5) for it in range(rounds)]
    assert lateness(*steps, every=20.0 / (rounds - 1)) == pytest.approx(200.0)


def test_where_acks_stop_tuples_wait_since_the_last_one() -> None:
    # From 2 s to 12 in 10 s.
    silent = Waiting(seconds=None, least=0.5)
    assert lateness(TWO_LONGER, silent, silent) == pytest.approx(10 * (2 + 12) / 2)


def test_what_spouts_hold_back_waits_longer_and_longer() -> None:
    # A fifth of what comes in 5 s is a second more to wait for: from 2 s to 4 in 10 s.
    held = Waiting(seconds=2.5, least=0.5, held_back=0.2)
    assert lateness(TWO_LONGER, held, held) == pytest.approx(10 * (2 + 4) / 2)


def test_what_nobody_looked_at_for_long_counts_for_half_a_minute() -> None:
    late = Waiting(seconds=20.5, least=0.5)
    assert lateness(late, late, every=300.0) == pytest.approx(20 * 30.0)


def test_a_short_lull_ends_no_overload_and_costs_nothing() -> None:
    # Half of 2 s on the first way back from none.
    assert lateness(TWO_LONGER, TWO_LONGER, None, None) == pytest.approx(10.0)
    assert lateness(TWO_LONGER, TWO_LONGER, None, None, TWO_LONGER) == pytest.approx(15.0)


def test_after_a_longer_one_the_next_overload_is_another() -> None:
    assert LULL == 15.0
    calm = [None] * 5
    assert overload(TWO_LONGER, *calm[:4]) is not None
    assert overload(TWO_LONGER, *calm) is None
    assert lateness(TWO_LONGER, TWO_LONGER, *calm, TWO_LONGER) == 0.0


def test_rounds_that_are_far_apart_end_no_overload() -> None:
    assert lateness(TWO_LONGER, TWO_LONGER, TWO_LONGER, every=20.0) == pytest.approx(80.0)
    assert overload(TWO_LONGER, None, every=20.0) is not None
    assert overload(TWO_LONGER, None, None, every=20.0) is None


def test_what_was_usual_before_is_what_counts_however_long_it_lasts() -> None:
    # After a minute nothing is measured any more of before.
    long_since = Waiting(seconds=2.5, least=2.5)
    assert lateness(TWO_LONGER, long_since, long_since) == pytest.approx(20.0)


def test_what_turns_out_to_be_quicker_was_not_usual_before() -> None:
    # From 0 to 18 s longer than the 2 s that it took in between.
    backlog, without, again = (Waiting(it, 20.0) for it in (20.0, 2.0, 20.0))
    assert lateness(backlog, without, again) == pytest.approx(5 * 18 / 2)


def test_what_spouts_held_back_is_gone_once_no_queue_is_full() -> None:
    # Up to a second for 5 s; then half of it in one more round.
    held, free = Waiting(0.5, 0.5, held_back=0.2), Waiting(0.5, 0.5, held_back=None)
    assert lateness(free, held, free, free) == pytest.approx(5 * 1 / 2 + 5 * 1 / 2)
    assert lateness(held, held, None, held) == pytest.approx(5 * 1 / 2 + 5 * 1 / 2)


def test_an_overload_in_which_tuples_hardly_take_longer_is_none_after_half_a_minute() -> None:
    # 0.1 s longer than 0.2 s at least: in 35 s 3.5 s come together, or a little more or less.
    a_bit_less, a_bit_more = Waiting(0.29, 0.2), Waiting(0.31, 0.2)
    refuted, confirmed = overload(*[a_bit_less] * 8), overload(*[a_bit_more] * 8)
    assert refuted is not None
    assert confirmed is not None
    assert (refuted.is_refuted, refuted.lateness, refuted.seconds) == (True, 0.0, 0.0)
    assert not confirmed.is_refuted
    before = overload(*[a_bit_less] * 7)
    assert before is not None
    assert not before.is_refuted


def test_what_was_none_becomes_an_overload_once_tuples_take_longer() -> None:
    # 0.09 s · 5 s, and more than half a minute's 0.1 s · 30 s once they take 3 s longer.
    calm, late = Waiting(0.29, 0.2), Waiting(3.2, 0.2)
    still = overload(*[calm] * 9)
    assert still is not None
    assert still.is_refuted
    assert still.lateness == pytest.approx(0.45)
    again = overload(*[calm] * 9, late)
    assert again is not None
    assert not again.is_refuted


def test_an_overload_is_seen_by_queues_or_by_the_load_model() -> None:
    calm = performance(0.1, 0.1)
    assert find_waiting(calm, None) is None
    assert find_waiting(calm, predicted(2.0, saturated=False)) is None
    assert find_waiting(calm, predicted(2.0, saturated=True)) == Waiting(0.1, 0.1, held_back=None)
    # 11 tuples that wait are 0.11 s of 100/s: the first sign of an overload.
    assert find_waiting(performance(0.1, 0.9, waiting=11.0), None) == Waiting(0.9, 0.1)
    assert find_waiting(performance(0.1, 0.9, waiting=9.0), None) is None


def test_what_starts_makes_up_for_its_start_which_neither_costs_nor_ends_an_overload() -> None:
    starting = replace(performance(9.0, 8.0, waiting=800.0), at_rest=False)
    saturated = predicted(2.0, saturated=True)
    assert note_overload(None, starting, saturated, 100.0) is None
    # 20 s of the start, and then another second of the same 2 s.
    before = Overload(0.0, 100.0, usual=0.5, excess=2.0, lateness=70.0)
    kept = note_overload(before, starting, saturated, 120.0)
    assert kept == replace(before, seen=120.0)
    rested = performance(*[2.5] * FEWEST, waiting=9.0)
    found = note_overload(kept, rested, saturated, 121.0)
    assert found is not None
    assert found.lateness == pytest.approx(72.0)


def test_a_time_without_reports_neither_costs_nor_ends_an_overload() -> None:
    before = Overload(0.0, 100.0, usual=0.5, excess=2.0, lateness=70.0)
    saturated = predicted(2.0, saturated=True)
    assert note_overload(before, Performance(), saturated, 120.0) == replace(before, seen=120.0)
    assert note_overload(None, Performance(), saturated, 120.0) is None


def test_acks_have_stopped_once_none_came_for_six_measurements() -> None:
    # At low rates counts come in steps, and most measurements have none.
    saturated = predicted(2.0, saturated=True)
    rare = find_waiting(performance(3.0, *[None] * 5), saturated)
    assert rare == Waiting(3.0, 3.0, held_back=None)
    stopped = find_waiting(performance(3.0, *[None] * 6), saturated)
    assert stopped == Waiting(None, 3.0, held_back=None)


def test_what_only_the_load_model_knows_of_waits_since_it_says_so() -> None:
    saturated = predicted(2.0, saturated=True)
    assert find_waiting(Performance(), saturated) == Waiting(None, None, held_back=None)


def test_where_queues_and_latency_stay_the_same_spouts_hold_tuples_back() -> None:
    # A quarter more would be carried elsewhere: of what comes a fifth waits.
    full = performance(*[3.0] * FEWEST, waiting=300.0)
    found = find_waiting(full, predicted(1.25, saturated=True))
    assert found is not None
    assert found.held_back == pytest.approx(0.2)


@pytest.mark.parametrize(
    "latencies",
    [[1.0 + it for it in range(FEWEST)], [3.0] * (FEWEST - 1), [*[3.0] * (FEWEST - 1), None]],
    ids=["grows", "not for long", "not known"],
)
def test_where_latency_is_not_known_to_stay_the_same_nothing_is_held_back(
    latencies: list[float | None],
) -> None:
    found = find_waiting(performance(*latencies, waiting=300.0), predicted(1.25, saturated=True))
    assert found is not None
    assert found.held_back == 0.0


def unacked(waiting: float) -> Performance:
    """What was measured of 100 tuples/s, of which sources emit 20."""
    one = Measurement(100.0, 0.1, 0.5, waiting=waiting, emitted=20.0, is_acked=False)
    return Performance({("a", 6700): "w"}, measurements=(one,) * FEWEST, at_rest=True)


def test_tuples_that_nobody_acks_wait_in_queues() -> None:
    # 300 tuples are 15 s of the sources' 20/s.
    assert find_waiting(unacked(300.0), None) == Waiting(15.0, 15.0)


def test_tuples_that_nobody_acks_may_wait_where_no_queue_is_reported() -> None:
    saturated = predicted(2.0, saturated=True)
    assert find_waiting(unacked(0.0), saturated) == Waiting(None, 0.0, held_back=None)


OVERLOADED = Overload(0.0, 10.0)


def carried(multiple: float) -> LoadPrediction:
    """By the model what runs carries so many times what it is given."""
    return replace(predicted(1.0, saturated=False), carried=multiple)


def test_what_is_overloaded_carries_no_more_so_the_model_overrates_what_it_takes_for_room() -> None:
    assert note_overrated(1.0, OVERLOADED, carried(1.25)) == 1.25
    assert note_overrated(1.0, OVERLOADED, carried(0.8)) == 1.0
    assert note_overrated(1.0, OVERLOADED, carried(4.0)) == 1.5


def test_what_the_model_overrates_by_is_held_until_it_changes_by_a_tenth() -> None:
    assert note_overrated(1.25, OVERLOADED, carried(1.34)) == 1.25
    assert note_overrated(1.25, OVERLOADED, carried(1.16)) == 1.25
    assert note_overrated(1.25, OVERLOADED, carried(1.36)) == 1.36
    assert note_overrated(1.25, OVERLOADED, None) == 1.25


def test_without_an_overload_or_once_it_is_refuted_the_model_is_taken_at_its_word() -> None:
    assert note_overrated(1.25, None, carried(1.3)) == 1.0
    assert note_overrated(1.25, replace(OVERLOADED, is_refuted=True), carried(1.3)) == 1.0


def test_what_queues_where_the_model_sees_room_moves_to_where_it_carries_more() -> None:
    # a and b have 0.5 cores, and each task uses 0.2. By the model source and tag on a carry 1.26
    # times what comes: room enough for headroom, so what is best is tag on b, as near and emptier,
    # which carries 1.17 times as much; 1.2 are asked for. But tuples queue on a, as they do without
    # room. Then c is best: farther from a, with cores for twice as much.
    it = topology(objective="L=1")
    nimbus = nimbus_with(it)
    for _ in range(24):
        report_round(nimbus, it, 2.0, busy=0.2, cores={"a": 0.5, "b": 0.5}, waiting=500)
        nimbus.clock.now += 4  # a report is of 5 s, and a round takes one
    assert nimbus.host_of(it, 2) == "c"
