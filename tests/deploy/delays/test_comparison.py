"""Estimated delays held against true ones."""

from __future__ import annotations

import pytest
from eyewall_contracts.latency import HostCoordinate, RttRecord
from eyewall_deploy.delays.comparison import DelayComparison, compare, summarise
from eyewall_deploy.delays.registry import LatencyRecords
from eyewall_deploy.wan.delay_file import EmulatedDelays

NOW = 1_000.0


def table(*rows: tuple[float, ...]) -> EmulatedDelays:
    """One-way delays in seconds between a, b, c …; all else is of no matter here."""
    hosts = tuple("abcd"[: len(rows)])
    none = tuple((0.0,) * len(rows) for _ in rows)
    return EmulatedDelays(hosts, rows, none, ((None,) * len(rows),) * len(rows), "test", 0.0)


def host(place: float) -> HostCoordinate:
    """A host on a line, at so many seconds of round trip from its origin."""
    return HostCoordinate("10.83.1.1", 7078, (place,), NOW, error=0.1)


def only(table: EmulatedDelays, registry: LatencyRecords) -> DelayComparison:
    (pair,) = compare(table, registry)
    return pair


def test_a_pair_that_was_probed_has_half_of_its_round_trip_as_its_delay() -> None:
    # There and back takes 22 ms where 10 ms each way are true: one way 11 ms, a tenth too much.
    probes = {"b": {"a": RttRecord(0.022, 0.0, NOW - 3)}}
    pair = only(table((0.0, 0.010), (0.010, 0.0)), LatencyRecords(NOW, {}, probes, 0))
    assert (pair.found, pair.kind, pair.age) == (0.011, "measured", 3.0)
    assert pair.error == pytest.approx(0.1)
    assert pair.confidence > 0.9
    assert pair.coordinates is None


def test_the_probes_of_either_end_count() -> None:
    delays = table((0.0, 0.010), (0.010, 0.0))
    for target, source in (("a", "b"), ("b", "a")):
        probes = {target: {source: RttRecord(0.020, 0.0, NOW)}}
        assert only(delays, LatencyRecords(NOW, {}, probes, 0)).found == 0.010


def test_a_pair_that_was_not_probed_has_the_distance_of_its_coordinates() -> None:
    pair = only(
        table((0.0, 0.010), (0.010, 0.0)),
        LatencyRecords(NOW, {"a": host(0.0), "b": host(0.030)}, {}, 0),
    )
    assert (pair.kind, pair.found, pair.coordinates) == ("estimated", 0.015, 0.015)
    assert pair.error == pair.coordinates_error == pytest.approx(0.5)


def test_where_both_directions_differ_the_true_delay_is_their_mean() -> None:
    # All that can be measured is the way there and back: 10 + 30 ms.
    pair = only(table((0.0, 0.010), (0.030, 0.0)), LatencyRecords(NOW, {}, {}, 0))
    assert pair.true == pytest.approx(0.020)


def test_what_is_unknown_has_no_error_and_no_age() -> None:
    pair = only(table((0.0, 0.010), (0.010, 0.0)), LatencyRecords(NOW, {"a": host(0.0)}, {}, 0))
    assert (pair.found, pair.kind, pair.age, pair.error) == (None, "unknown", None, None)
    summary = summarise([pair])
    assert (summary.pairs, summary.unknown, summary.median_error) == (1, 1, None)
    assert summary.least_confidence == 0.0


def test_the_summary_counts_each_pair_once_by_how_it_is_known() -> None:
    # a–b: 10 % off by probes, a–c: 50 % by coordinates, b–c: true 20 ms, coordinates 45 ms / 2.
    delays = table((0.0, 0.010, 0.010), (0.010, 0.0, 0.020), (0.010, 0.020, 0.0))
    hosts = {"a": host(0.0), "b": host(-0.015), "c": host(0.030)}
    probes = {"b": {"a": RttRecord(0.022, 0.0, NOW - 5)}}
    pairs = compare(delays, LatencyRecords(NOW, hosts, probes, 0))
    assert [(pair.a, pair.b) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    summary = summarise(pairs)
    assert (summary.pairs, summary.measured, summary.estimated) == (3, 1, 2)
    # errors 0.1, 0.5 and 0.125; in milliseconds 1, 5 and 2.5
    assert summary.median_error == pytest.approx(0.125)
    assert summary.median_error_ms == pytest.approx(2.5)
    assert summary.largest_error == pytest.approx(0.5)
    # The coordinates alone: a–b 7.5 for 10 ms is 0.25.
    assert summary.coordinates_median_error == pytest.approx(0.25)
    assert summary.oldest == 5.0
