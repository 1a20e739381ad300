"""Which delays a table hands out, pair by pair, and when it differs from the last one."""

import numpy as np
import pytest
from delay_readings import delay_reading
from eyewall_contracts.latency import HostCoordinate, RttRecord
from eyewall_contracts.stores.delay_reader import DelayReading
from eyewall_sidecar.stores.held_delays import HeldDelays
from eyewall_sidecar.storm import DelayTable

NOW = 1_000.0


def host(x: float, *, error: float = 0.0, at: float = NOW) -> HostCoordinate:
    return HostCoordinate("10.0.0.1", 7078, (x,), at, error=error)


def rtt(milliseconds: float, *, spread: float = 0.0, at: float = NOW) -> RttRecord:
    return RttRecord(milliseconds / 1000, spread / 1000, at)


def pair(a_to_b: RttRecord | None, b_to_a: RttRecord | None = None) -> DelayReading:
    """Hosts a and b at one point, and what the probes of either to the other came to."""
    return delay_reading(
        NOW,
        {"a": host(0.0), "b": host(0.0)},
        {
            "b": {"a": a_to_b} if a_to_b else {},
            "a": {"b": b_to_a} if b_to_a else {},
        },
    )


def milliseconds(table: DelayTable, source: str = "a", target: str = "b") -> float | None:
    seconds = table.seconds_between(source, target)
    return None if seconds is None else round(1000 * seconds, 6)


def handed_out(held: HeldDelays, *rtts: float, spread: float = 0.0) -> list[float | None]:
    """The delay handed out after each RTT, both in milliseconds."""
    return [milliseconds(held.table(pair(rtt(it, spread=spread)), NOW)) for it in rtts]


def test_a_pair_probed_by_either_end_is_measured_in_both_directions() -> None:
    # a's probes to b: 40 ms there and back, 20 ms one way. Both hosts are at one point: 0 ms.
    table = HeldDelays(0.3).table(pair(rtt(40)), NOW)
    assert milliseconds(table, "a", "b") == milliseconds(table, "b", "a") == 20
    table = HeldDelays(0.3).table(pair(None, rtt(40)), NOW)
    assert milliseconds(table, "a", "b") == milliseconds(table, "b", "a") == 20


def test_a_pair_that_nobody_probed_lately_has_its_coordinates_distance() -> None:
    # 30 ms apart: 15 ms one way. Errors of 10 % at each end: 0.8.
    records = delay_reading(NOW, {"a": host(0.0, error=0.1), "b": host(0.030, error=0.1)})
    table = HeldDelays(0.3).table(records, NOW)
    assert milliseconds(table) == 15
    assert table.confidence_between("a", "b") == pytest.approx(0.8)


def test_a_pair_of_which_nothing_is_known_is_unknown_never_zero() -> None:
    table = HeldDelays(0.3).table(delay_reading(NOW, {"a": host(0.0), "b": None}), NOW)
    assert table.seconds_between("a", "b") is None
    assert table.confidence_between("a", "b") == 0
    assert table.seconds_between("a", "a") == 0


def test_a_tables_age_is_that_of_its_oldest_delay() -> None:
    hosts = {it: host(0.0, at=NOW - 50) for it in "abc"}
    # c → a 30 s ago, c → b 10 s ago, a and b by their coordinates of 50 s ago.
    rtts = {"a": {"c": rtt(10, at=NOW - 30)}, "b": {"c": rtt(10, at=NOW - 10)}}
    table = HeldDelays(0.3).table(delay_reading(NOW, hosts, rtts), NOW)
    assert table.age == 50
    assert [table.age_between(*it) for it in ("ab", "ac", "cb")] == [50, 30, 10]


def test_jitter_within_a_tenth_changes_nothing() -> None:
    # 20 ms one way, handed out until it is off by more than 2 ms: RTTs of 36 to 44 ms.
    assert handed_out(HeldDelays(0.3), 40, 43.9, 36.1, 44, 38) == [20] * 5


def test_a_change_by_more_than_a_tenth_is_handed_out_at_once() -> None:
    assert handed_out(HeldDelays(0.3), 40, 44.2, 36, 160) == [20, 22.1, 18, 80]


def test_a_change_is_held_against_what_was_handed_out_so_that_a_slow_drift_is_seen_too() -> None:
    # 20 ms, then 1 ms more each time: 23 is the first that is off by more than 2 (20 + 2 < 22.5).
    assert handed_out(HeldDelays(0.3), 40, 42, 44, 45, 47, 49, 50) == [
        *(20, 20, 20),
        *(22.5, 22.5, 22.5),
        25,  # off by 2.5, a tenth of 22.5 is 2.25
    ]


def test_below_five_milliseconds_half_a_millisecond_is_the_band() -> None:
    # 0.2 ms one way; 0.65 is off by 0.45, 0.75 by 0.55.
    assert handed_out(HeldDelays(0.3), 0.4, 1.3, 1.5) == [0.2, 0.2, 0.75]


def test_a_pair_whose_samples_scatter_is_held_within_their_spread() -> None:
    # The RTT's spread of 20 ms is 10 one way: 20 ms one way stays up to 30.
    assert handed_out(HeldDelays(0.3), 40, 59, spread=20) == [20, 20]
    assert handed_out(HeldDelays(0.3), 40, 61, spread=20) == [20, 30.5]


def test_an_estimate_is_held_within_its_coordinates_own_error() -> None:
    held = HeldDelays(0.0)
    apart = [0.040, 0.056, 0.060, 0.070]  # 20 ms, 28, 30 and 35 one way
    given = []
    for x in apart:
        hosts = {"a": host(0.0, error=0.2), "b": host(x, error=0.1)}
        given.append(milliseconds(held.table(delay_reading(NOW, hosts), NOW)))
    # 30 % of 28 is 8.4 and of 30 is 9, at least what they are off; 30 % of 35 is 10.5.
    assert given == [20, 20, 30, 30]


def test_where_both_ends_measure_a_change_is_believed_once_both_do() -> None:
    held = HeldDelays(0.3)
    old, new = rtt(40, at=NOW - 1), rtt(160)
    assert milliseconds(held.table(pair(old, old), NOW)) == 20
    assert milliseconds(held.table(pair(new, old), NOW)) == 20
    assert milliseconds(held.table(pair(new, new), NOW)) == 80


def test_an_end_that_no_longer_measures_does_not_contradict_the_other_for_long() -> None:
    held = HeldDelays(0.3)
    held.table(pair(rtt(40, at=NOW - 59), rtt(40)), NOW)
    assert milliseconds(held.table(pair(rtt(40, at=NOW - 60), rtt(160)), NOW)) == 20
    assert milliseconds(held.table(pair(rtt(40, at=NOW - 61), rtt(160)), NOW)) == 80


def test_tables_between_which_nothing_changed_are_equal_whatever_jittered() -> None:
    held = HeldDelays(0.3)
    before = held.table(pair(rtt(40), rtt(41)), NOW)
    after = held.table(pair(rtt(42, at=NOW + 1), rtt(39, at=NOW + 3)), NOW + 5)
    assert after == before
    assert after.seconds is before.seconds  # so that comparing them costs next to nothing
    assert not np.array_equal(after.confidence, before.confidence)


def test_a_host_that_appears_or_vanishes_changes_the_table_at_once_and_no_other_pair() -> None:
    held = HeldDelays(0.3)
    two = pair(rtt(40))
    hosts = {"0": host(0.0), "a": host(0.0), "b": host(0.0)}
    three = delay_reading(NOW, hosts, {"b": {"a": rtt(43)}})
    tables = [held.table(it, NOW) for it in (two, three, two)]
    assert [list(it.hosts) for it in tables] == [["a", "b"], ["0", "a", "b"], ["a", "b"]]
    assert [milliseconds(it) for it in tables] == [20, 20, 20]


def test_a_delay_that_became_unknown_or_known_is_so_at_once() -> None:
    held = HeldDelays(0.3)
    nothing = delay_reading(NOW, {"a": None, "b": None})
    tables = [held.table(it, NOW) for it in (pair(rtt(40)), nothing, pair(rtt(43)))]
    assert [milliseconds(it) for it in tables] == [20, None, 21.5]


def test_what_is_known_with_less_confidence_than_the_minimum_is_not_trusted() -> None:
    # An RTT of 40 ms with a spread of 120: 40 / 160 = 0.25.
    table = HeldDelays(0.3).table(pair(rtt(40, spread=120)), NOW)
    assert milliseconds(table) == 20
    assert not table.trusts("a", "b")
    assert not table.trusts("b", "a")
    assert HeldDelays(0.2).table(pair(rtt(40, spread=120)), NOW).trusts("a", "b")


def test_confidence_alone_changes_no_table_unless_it_crosses_the_minimum() -> None:
    held = HeldDelays(0.3)

    def after(spread: float) -> DelayTable:
        return held.table(pair(rtt(30, spread=spread)), NOW)

    sure = after(0)  # 30 / 30
    assert after(60) == sure  # 30 / 90 = 0.33
    doubted = after(90)  # 30 / 120 = 0.25
    assert doubted != sure
    # What was doubted is trusted again only with 0.05 more than the minimum: 30 / 90 is not.
    assert after(60) == doubted
    assert after(50) == sure  # 30 / 80 = 0.375


def test_with_age_confidence_falls_and_what_nobody_measured_again_becomes_unknown() -> None:
    # 1 - 0.5 · age / 120, measured; after 120 s the hosts' own records are older than 60 s, too.
    held = HeldDelays(0.3)
    tables = [held.table(pair(rtt(40)), NOW + age) for age in (0, 60, 119, 121)]
    assert [round(it.confidence_between("a", "b"), 3) for it in tables] == [1, 0.75, 0.504, 0]
    assert [milliseconds(it) for it in tables] == [20, 20, 20, None]


def places(*hosts: HostCoordinate | None) -> dict[str, tuple[float, ...]]:
    """Where a table puts hosts a, b and so on, whose coordinates are these."""
    names = "abcdef"[: len(hosts)]
    table = HeldDelays(0.3).table(delay_reading(NOW, dict(zip(names, hosts, strict=True))), NOW)
    return dict(table.coordinates)


def test_hosts_are_half_as_far_apart_as_their_round_trips_take() -> None:
    # Coordinates tell RTTs, delays are one way: 30 ms there and back are 15 ms.
    assert places(host(0.0), host(0.030)) == {"a": (0.0,), "b": (0.015,)}


def test_a_host_without_a_coordinate_or_with_one_of_long_ago_has_no_place() -> None:
    # A coordinate is used for 60 s.
    silent = host(0.030, at=NOW - 61)
    assert places(host(0.010), None, silent) == {"a": (0.005,)}


def test_where_hosts_have_heights_or_different_dimensions_none_has_a_place() -> None:
    high = HostCoordinate("10.0.0.1", 7078, (0.0,), NOW, height=0.001)
    wide = HostCoordinate("10.0.0.1", 7078, (0.0, 0.0), NOW)
    assert places(host(0.0), high) == {}
    assert places(host(0.0), wide) == {}


def test_coordinates_stay_as_long_as_the_table_does() -> None:
    # 20 ms one way; a tenth is within the band, and so are coordinates that moved as far.
    held = HeldDelays(0.3)
    kept = held.table(delay_reading(NOW, {"a": host(0.0), "b": host(0.040)}), NOW)
    nearly = held.table(delay_reading(NOW, {"a": host(0.0), "b": host(0.042)}), NOW)
    assert nearly == kept
    assert nearly.coordinates is kept.coordinates
    farther = held.table(delay_reading(NOW, {"a": host(0.0), "b": host(0.060)}), NOW)
    assert farther.coordinates == {"a": (0.0,), "b": (0.030,)}


def test_coordinates_that_become_known_change_no_delay_and_are_there_at_once() -> None:
    # The pair was probed lately, so that its delay does not depend on coordinates.
    held, rtts = HeldDelays(0.3), {"b": {"a": rtt(40)}}
    unplaced = held.table(delay_reading(NOW, {"a": host(0.0), "b": None}, rtts), NOW)
    placed = held.table(delay_reading(NOW, {"a": host(0.0), "b": host(0.040)}, rtts), NOW)
    assert placed == unplaced
    assert placed.coordinates.keys() == {"a", "b"}
