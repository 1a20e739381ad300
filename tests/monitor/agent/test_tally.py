from __future__ import annotations

from dataclasses import replace

import pytest
from eyewall_monitor.agent.graphite import Measurement, Metric
from eyewall_monitor.agent.tally import CounterReport, Instant, Rejection, Tally, Value, WorkerKey
from hypothesis import given
from hypothesis import strategies as st

KEY = WorkerKey("wc-1-1000", 6700)
EPOCH = 1_700_000_000
EXECUTED = Value(3, Metric.EXECUTED, "split", "default")


def at(steady: float, *, clock_is_off: float = 0.0) -> Instant:
    return Instant(EPOCH + steady + clock_is_off, steady)


def count(value: int, time: float, task: int = 3, metric: Metric = Metric.EXECUTED) -> Measurement:
    return Measurement(
        topology=KEY.topology,
        port=KEY.port,
        component="count",
        task=task,
        metric=metric,
        source="split",
        stream="default",
        value=value,
        time=int(EPOCH + time),
    )


def young() -> Tally:
    """A tally that saw the worker start at 0 s."""
    tally = Tally()
    tally.register(KEY, "w1", at(0), whole_life=True)
    return tally


def middle_aged() -> Tally:
    tally = Tally()
    tally.register(KEY, "w1", at(-3600), whole_life=False)
    return tally


def take(tally: Tally, value: int, when: float) -> None:
    assert tally.take(count(value, when), at(when)) is None


def asked(tally: Tally, when: float) -> CounterReport:
    return tally.read(KEY, at(when))


def test_a_report_holds_what_came_since_the_counter_report_before() -> None:
    # 1,000 at 5.2 s, 1,600 at 10.3 s: 600 in 5.1 s.
    tally = young()
    take(tally, 1000, 5.2)
    assert asked(tally, 6).increments == {EXECUTED: 1000}
    take(tally, 1600, 10.3)
    report = asked(tally, 11)
    assert report.increments == {EXECUTED: 600}
    assert report.seconds == pytest.approx(5.1)
    assert report.until == pytest.approx(10.3)


def test_the_first_counter_report_of_a_worker_that_was_seen_to_start_counts_from_its_start() -> (
    None
):
    tally = young()
    take(tally, 1000, 5.2)
    report = asked(tally, 6)
    assert report.increments == {EXECUTED: 1000}
    assert report.seconds == pytest.approx(5.2)


def test_of_a_worker_in_mid_life_the_first_counter_report_is_only_the_base() -> None:
    tally = middle_aged()
    take(tally, 1_000_000, 5)
    assert asked(tally, 6) == CounterReport(6, 0.0, 1_000_000, {}, {}, {})
    take(tally, 1_000_040, 10)
    report = asked(tally, 11)
    assert (report.increments, report.seconds, report.step) == ({EXECUTED: 40}, 5.0, 20 * 2)


def test_in_mid_life_a_pause_within_the_first_counter_report_makes_no_burst_of_tuples() -> None:
    # Two counters of one counter report come 0.6 s apart, with a report between them.
    tally = middle_aged()
    take(tally, 1_000_000, 5)
    asked(tally, 5.55)
    late_half = replace(count(2_000_000, 5, task=4))
    assert tally.take(late_half, at(5.6)) is None
    take(tally, 1_000_020, 10)
    assert tally.take(count(2_000_060, 10, task=4), at(10)) is None
    assert asked(tally, 11).increments == {EXECUTED: 20, replace(EXECUTED, task=4): 60}


def test_a_counter_report_that_is_still_coming_waits_for_the_next_report() -> None:
    tally = young()
    take(tally, 100, 5)
    assert asked(tally, 5.2).seconds == 0.0
    assert asked(tally, 6).increments == {EXECUTED: 100}
    assert asked(tally, 7).seconds == 0.0


def test_two_counter_reports_between_reports_are_added_up() -> None:
    tally = young()
    take(tally, 100, 5)
    take(tally, 260, 10)
    report = asked(tally, 12)
    assert (report.increments, report.seconds) == ({EXECUTED: 260}, 10.0)


def test_a_stream_without_tuples_is_reported_with_none_and_not_left_out() -> None:
    tally = young()
    take(tally, 100, 5)
    asked(tally, 6)
    take(tally, 100, 10)
    assert asked(tally, 11).increments == {EXECUTED: 0}


def test_a_lost_counter_report_makes_the_time_longer_and_no_count_wrong() -> None:
    tally = young()
    take(tally, 100, 5)
    asked(tally, 6)
    take(tally, 300, 15)  # nothing came at 10
    report = asked(tally, 16)
    assert (report.increments, report.seconds) == ({EXECUTED: 200}, 10.0)


def test_a_restarted_worker_counts_from_zero_even_if_it_is_ahead_of_its_predecessor() -> None:
    tally = young()
    take(tally, 100, 5)
    asked(tally, 6)
    tally.register(KEY, "w2", at(7), whole_life=True)
    take(tally, 500, 12)
    report = asked(tally, 13)
    assert (report.increments, report.seconds) == ({EXECUTED: 500}, 5.0)
    assert tally.restarts == 0


def test_a_line_of_the_worker_before_the_restart_comes_too_late() -> None:
    tally = young()
    tally.register(KEY, "w2", at(7), whole_life=True)
    assert tally.take(count(900, 5), at(8)) is Rejection.LATE


def test_a_counter_that_falls_within_one_life_began_again() -> None:
    tally = young()
    take(tally, 100, 5)
    take(tally, 40, 10)
    assert asked(tally, 11).increments == {EXECUTED: 140}
    assert tally.restarts == 1


def test_a_line_twice_counts_once() -> None:
    tally = young()
    take(tally, 100, 5)
    assert tally.take(count(100, 5), at(5.1)) is Rejection.REPEATED
    assert asked(tally, 6).increments == {EXECUTED: 100}


def test_a_line_of_an_earlier_counter_report_comes_too_late() -> None:
    tally = young()
    take(tally, 100, 5)
    take(tally, 200, 10)
    assert tally.take(count(100, 5, task=9), at(10.1)) is Rejection.LATE


def test_a_line_that_was_under_way_for_more_than_a_minute_comes_too_late() -> None:
    tally = young()
    assert tally.take(count(100, 5), at(66)) is Rejection.LATE
    assert tally.take(count(100, 5), at(65)) is None


def test_a_line_ahead_of_the_clock_is_not_believed() -> None:
    tally = young()
    assert tally.take(count(100, 20), at(5)) is Rejection.AHEAD


def test_a_clock_that_is_set_back_an_hour_stops_nothing() -> None:
    tally = young()
    take(tally, 100, 5)
    asked(tally, 6)
    assert tally.take(count(160, 10 - 3600), at(10, clock_is_off=-3600)) is None
    report = tally.read(KEY, at(11, clock_is_off=-3600))
    assert (report.increments, report.seconds) == ({EXECUTED: 60}, 5.0)


def test_a_clock_that_is_set_forward_an_hour_stops_nothing() -> None:
    tally = young()
    take(tally, 100, 5)
    assert tally.take(count(160, 10 + 3600), at(10, clock_is_off=3600)) is None
    assert tally.read(KEY, at(11, clock_is_off=3600)).increments == {EXECUTED: 160}


def test_a_topology_that_does_not_run_here_is_not_believed() -> None:
    tally = young()
    forged = replace(count(100, 5), topology="forged-1-1000")
    assert tally.take(forged, at(5)) is Rejection.UNKNOWN_WORKER
    assert tally.take(replace(count(100, 5), port=6701), at(5)) is Rejection.UNKNOWN_WORKER


def test_a_worker_that_is_gone_is_not_believed_any_more() -> None:
    tally = young()
    tally.forget_all_but([])
    assert tally.take(count(100, 5), at(5)) is Rejection.UNKNOWN_WORKER


def test_names_without_end_fill_no_memory() -> None:
    tally = young()
    for task in range(20_000):
        assert tally.take(count(1, 5, task=task), at(5)) is None
    assert tally.take(count(1, 5, task=20_000), at(5)) is Rejection.TOO_MANY
    take(tally, 2, 6)  # those that are known go on


def test_the_step_is_what_all_counts_are_multiples_of() -> None:
    tally = young()
    take(tally, 60, 5)
    assert tally.take(count(100, 5, task=4), at(5)) is None
    assert asked(tally, 6).step == 20


def test_a_gauge_is_the_last_value_reported() -> None:
    tally = young()
    latency = count(1, 5, metric=Metric.EXECUTE_LATENCY)
    assert tally.take(replace(latency, value=0.25), at(5)) is None
    assert tally.take(replace(latency, value=0.5, time=EPOCH + 10), at(10)) is None
    assert list(asked(tally, 11).gauges.values()) == [0.5]


@given(
    st.lists(st.integers(0, 500), min_size=1, max_size=12),
    st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_whenever_it_is_asked_nothing_is_lost_and_nothing_counted_twice(
    growth: list[int], ask: list[bool]
) -> None:
    tally = young()
    total, seconds, value = 0, 0.0, 0
    for i, (more, now) in enumerate(zip(growth, ask, strict=False), start=1):
        value += more
        take(tally, value, i * 5)
        if now:
            report = asked(tally, i * 5 + 2)
            total += sum(report.increments.values())
            seconds += report.seconds
    report = asked(tally, len(growth) * 5 + 3)
    assert total + sum(report.increments.values()) == value
    assert seconds + report.seconds == pytest.approx(len(growth) * 5)


def test_a_counter_report_is_over_half_a_second_after_its_last_line_and_until_it_was_read() -> None:
    tally = young()
    assert tally.complete_at() is None
    take(tally, 1000, 5.2)
    assert tally.take(count(7, 5.2, task=4), at(5.4)) is None
    assert tally.complete_at() == pytest.approx(5.9)
    asked(tally, 6)
    assert tally.complete_at() is None
    # A counter report that the next one ended has been over for long.
    take(tally, 2000, 10.2)
    take(tally, 3000, 15.2)
    over = tally.complete_at()
    assert over is not None
    assert over <= 15.2
    # The first report of an old worker counts too: it has no counts, but gauges.
    old = middle_aged()
    take(old, 1000, 5.2)
    assert old.complete_at() == pytest.approx(5.7)
    asked(old, 5.8)
    assert old.complete_at() is None
