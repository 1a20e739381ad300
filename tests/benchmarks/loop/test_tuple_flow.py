from collections.abc import Iterable
from typing import Any

from eyewall_deploy.measure.tuple_events import TupleArrival, TupleEvents

from benchmarks.loop.tuple_flow import (
    OutputGap,
    TimeWindow,
    flows_steadily,
    longest_gap,
    never_acked,
    never_arrived,
)


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
