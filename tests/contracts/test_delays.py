"""The matrices of delays hold what `delay_between` says of each pair."""

from __future__ import annotations

import math

import numpy as np
import pytest
from delay_readings import delay_reading
from eyewall_contracts.latency import HostCoordinate, RttRecord, delay_between
from hypothesis import given
from hypothesis import strategies as st

NOW = 1_000.0
SECONDS = st.floats(0, 60)
TIMES = st.floats(NOW - 200, NOW + 5)
COORDINATES = st.none() | st.builds(
    HostCoordinate,
    address=st.just("10.0.0.1"),
    port=st.just(7078),
    position=st.lists(st.floats(-1, 1), min_size=1, max_size=3).map(tuple),
    at=TIMES,
    height=st.floats(0, 1),
    error=st.floats(0, 1),
)
RTTS = st.builds(RttRecord, seconds=SECONDS, spread=SECONDS, at=TIMES)


@given(
    coordinates=st.lists(COORDINATES, min_size=2, max_size=5),
    probed=st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), RTTS, max_size=12),
)
def test_every_pair_is_as_delay_between_says(
    coordinates: list[HostCoordinate | None], probed: dict[tuple[int, int], RttRecord]
) -> None:
    hosts = dict(zip("abcde", coordinates, strict=False))
    rtts: dict[str, dict[str, RttRecord]] = {}
    for (source, target), record in probed.items():
        if source != target and max(source, target) < len(hosts):
            rtts.setdefault("abcde"[target], {})["abcde"[source]] = record
    reading = delay_reading(NOW, hosts, rtts)
    found = reading.delays(NOW)
    for row, a in enumerate(reading.hosts):
        for column, b in enumerate(reading.hosts):
            if a == b:
                assert (found.seconds[row, row], found.confidence[row, row]) == (0.0, 1.0)
                continue
            ends = {a: rtts.get(b, {}).get(a), b: rtts.get(a, {}).get(b)}
            records = {it: record for it, record in ends.items() if record is not None}
            if len({it.at for it in records.values()}) < len(records):
                continue  # both ends at the same moment: either may count
            expected = delay_between(hosts[a], hosts[b], records, now=NOW)
            if expected.seconds is None:
                assert math.isnan(found.seconds[row, column])
                assert found.confidence[row, column] == 0.0
                continue
            assert found.seconds[row, column] == pytest.approx(expected.seconds)
            assert found.confidence[row, column] == pytest.approx(expected.confidence)
            assert found.age[row, column] == pytest.approx(expected.age)
            assert found.spread[row, column] == pytest.approx(expected.spread)
            assert found.measured[row, column] == (expected.kind == "measured")


def test_of_two_ends_that_measured_at_the_same_moment_both_directions_have_the_same() -> None:
    hosts = {"a": None, "b": None}
    rtts = {"b": {"a": RttRecord(0.04, 0.0, NOW)}, "a": {"b": RttRecord(0.08, 0.0, NOW)}}
    found = delay_reading(NOW, hosts, rtts).delays(NOW)
    assert np.array_equal(found.seconds, found.seconds.T)


def test_no_host_is_no_error() -> None:
    assert delay_reading(NOW, {}).delays(NOW).seconds.shape == (0, 0)
