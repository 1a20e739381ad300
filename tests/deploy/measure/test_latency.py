from collections.abc import Iterable
from typing import Any

import pytest
from eyewall_deploy.measure.latency import (
    LatencySummary,
    OutputGap,
    TimeWindow,
    flows_steadily,
    longest_gap,
    never_acked,
    never_arrived,
    over_time,
    percentile,
    summarise,
)
from eyewall_deploy.measure.tuple_events import TupleArrival, TupleEvents


def events(
    emitted: dict[str, float] | None = None,
    seen: Iterable[tuple[str, float]] = (),
    acked: Iterable[str] = (),
    dropped: Iterable[str] = (),
    failed: Iterable[tuple[str, float]] = (),
) -> TupleEvents:
    """`seen` as (id, at); emission times come from `emitted`."""
    emitted = emitted or {}
    return TupleEvents(
        emitted=emitted,
        acked=dict.fromkeys(acked, 0.0),
        dropped=dict.fromkeys(dropped, 0.0),
        failed=tuple(failed),
        arrivals=tuple(
            TupleArrival(i, emitted[i], at) for i, at in sorted(seen, key=lambda s: s[1])
        ),
    )


def test_a_percentile_is_a_value_that_was_measured() -> None:
    # Nearest rank of 4 values: 50 % is rank 2, 51 % is rank ⌈2.04⌉ = 3, 99 % is rank 4.
    values = [40.0, 10.0, 30.0, 20.0]
    assert [percentile(values, p) for p in (1, 50, 51, 99, 100)] == [10, 20, 30, 40, 40]


def test_p99_of_a_hundred_values_is_the_last_but_one() -> None:
    assert percentile([float(n) for n in range(1, 101)], 99) == 99.0


def test_a_percentile_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)


def test_latency_is_over_the_tuples_emitted_within_the_window() -> None:
    # Latencies: a 0.5, b 0.1, c 0.3; d is emitted when the window is over, e hasn't arrived.
    found = events(
        emitted={"early": 9.9, "a": 10.0, "b": 10.5, "c": 11.0, "e": 11.5, "d": 12.0},
        seen=[("early", 10.1), ("a", 10.5), ("b", 10.6), ("c", 11.3), ("d", 12.1)],
    )
    summary = summarise(found, TimeWindow(10.0, 12.0))
    assert summary is not None
    assert (summary.tuples, summary.missing) == (3, 1)
    assert summary.p50 == pytest.approx(0.3)
    assert summary.p99 == pytest.approx(0.5)


def test_a_replayed_tuple_counts_once_by_its_first_arrival() -> None:
    found = events(emitted={"a": 1.0}, seen=[("a", 1.25), ("a", 11.25)])
    assert summarise(found, TimeWindow(0.0, 2.0)) == LatencySummary(1, 0.25, 0.25, missing=0)


def test_what_a_filter_dropped_is_not_missing() -> None:
    found = events(emitted={"a": 1.0, "b": 1.0}, seen=[("a", 1.2)], dropped=["b"])
    summary = summarise(found, TimeWindow(0.0, 2.0))
    assert summary is not None
    assert summary.missing == 0


def test_no_tuple_no_summary() -> None:
    assert summarise(events(emitted={"a": 1.0}), TimeWindow(0.0, 2.0)) is None


def test_what_was_emitted_and_not_acked_or_never_arrived_is_returned() -> None:
    found = events(
        emitted=dict.fromkeys("abcd", 0.0), acked="ac", dropped="c", seen=[("a", 1.0), ("b", 1.0)]
    )
    assert never_acked(found) == {"b", "d"}
    assert never_arrived(found) == {"d"}


def test_the_longest_gap_lies_between_arrivals_or_at_the_windows_ends() -> None:
    arrivals = [("a", 12.0), ("b", 13.0), ("c", 17.5)]
    found = events(emitted=dict.fromkeys("abc", 0.0), seen=arrivals)
    assert longest_gap(found, TimeWindow(11.0, 18.0)) == OutputGap(13.0, 4.5)
    assert longest_gap(found, TimeWindow(5.0, 18.0)) == OutputGap(5.0, 7.0)  # before the first
    assert longest_gap(found, TimeWindow(11.0, 30.0)) == OutputGap(17.5, 12.5)  # after the last
    assert longest_gap(found, TimeWindow(13.5, 17.0)) == OutputGap(13.5, 3.5)  # nothing within


def test_latency_over_time_moves_a_window_by_its_step() -> None:
    # One tuple a second with latencies 0.1, 0.2, 0.3, 0.4; windows of 2 s end at 2, 3 and 4.
    emitted = {str(n): float(n) for n in range(4)}
    found = events(emitted, seen=[(str(n), n + 0.1 * (n + 1)) for n in range(4)])
    moments = list(over_time(found, TimeWindow(0.0, 4.0), step=1.0, width=2.0))
    assert [end for end, _ in moments] == [2.0, 3.0, 4.0]
    assert [round(s.p99, 9) for _, s in moments if s] == [0.2, 0.3, 0.4]


class TestFlowsSteadily:
    """At 100 s: what was emitted from 94 to 99 has to be there, within a second."""

    def flows(self, emitted: dict[str, float], seen: list[tuple[str, float]], **more: Any) -> bool:
        return flows_steadily(events(emitted, seen, **more), now=100.0)

    def test_when_all_arrived(self) -> None:
        assert self.flows({"0": 90.0, "a": 95.0, "b": 98.0}, [("a", 95.2), ("b", 98.2)])

    def test_not_before_it_ran_for_the_whole_time(self) -> None:
        assert not self.flows({"a": 95.0}, [("a", 95.2)])

    def test_not_when_one_is_missing(self) -> None:
        assert not self.flows({"0": 90.0, "a": 95.0, "b": 98.0}, [("a", 95.2)])

    def test_unless_a_filter_dropped_it(self) -> None:
        assert self.flows({"0": 90.0, "a": 95.0, "b": 98.0}, [("a", 95.2)], dropped="b")

    def test_what_is_under_way_does_not_count(self) -> None:
        assert self.flows({"0": 90.0, "a": 95.0, "late": 99.5}, [("a", 95.2)])

    def test_not_when_one_was_slow(self) -> None:
        assert not self.flows({"0": 90.0, "a": 95.0}, [("a", 96.5)])

    def test_not_when_one_failed(self) -> None:
        found = {"0": 90.0, "a": 95.0}
        assert not self.flows(found, [("a", 95.2)], failed=[("0", 97.0)])
        assert self.flows(found, [("a", 95.2)], failed=[("0", 91.0)])

    def test_not_when_nothing_was_emitted(self) -> None:
        assert not self.flows({"0": 90.0}, [("0", 90.1)])
