from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from eyewall_contracts import sample
from eyewall_contracts.sample import NewerVersionError, SampleError
from hypothesis import given
from hypothesis import strategies as st
from reports import FULL, MACHINE


def changed(**changes: Any) -> bytes:
    return json.dumps(json.loads(sample.encode(FULL)) | changes).encode()


def test_a_report_is_as_old_as_it_is_and_never_younger_than_nothing() -> None:
    assert FULL.age(FULL.time + 2.5) == 2.5
    assert FULL.age(FULL.time - 3600) == 0.0


def test_a_host_has_the_cores_that_its_quota_grants_and_never_more_than_there_are() -> None:
    assert MACHINE.cores == 0.5
    assert replace(MACHINE, quota=None).cores == 4
    assert replace(MACHINE, quota=9.0).cores == 4


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"host": "a/b"}, "report: host is 'a/b'; it must be a host's name"),
        ({"host": ".."}, "report: host is '..'; it must be a host's name"),
        ({"time": "now"}, "report: time is 'now'; it must be a finite number ≥ 0"),
        ({"time": 10**400}, "it must be a finite number ≥ 0"),
        ({"sequence": -1}, "report: sequence is -1; it must be a whole number ≥ 0"),
        ({"sequence": True}, "report: sequence is True; it must be a whole number"),
        ({"workers": {}}, "report: workers is {}; it must be a list of at most 10000"),
        ({"workers": [[]]}, "report: workers[0]: 0 values; it must be 12"),
        ({"machine": [1]}, "report: machine: 1 values; it must be 8"),
        ({"counters": {"x": 1.5}}, "report: counters: x is 1.5; it must be a whole number"),
        ({"run": "a\nb"}, "report: run is 'a\\nb'; it must be text of 1 to 512 characters"),
        ({"version": 0}, "report: version 0; this reader knows 1"),
        ({"version": True}, "report: version True; this reader knows 1"),
    ],
)
def test_what_is_wrong_with_a_report_is_named(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SampleError) as refused:
        sample.decode(changed(**changes))
    assert complaint in str(refused.value)


def test_a_later_version_is_told_from_a_wrong_one() -> None:
    with pytest.raises(NewerVersionError, match="version 2; this reader knows 1"):
        sample.decode(changed(version=2))


def test_keys_that_a_later_writer_added_are_harmless() -> None:
    assert sample.decode(changed(colour="blue")) == FULL


@pytest.mark.parametrize(
    "data", [b"", b"\xff\x00", b"[]", b"[" * 100_000, b" " * 600_000, b'{"version":1}', b"NaN"]
)
def test_what_is_no_report_is_refused(data: bytes) -> None:
    with pytest.raises(SampleError):
        sample.decode(data)


def test_a_report_too_large_for_a_znode_is_not_written() -> None:
    # 10,000 names of 60 characters are more than 512 KiB.
    counters = {f"{i:060}": i for i in range(10_000)}
    with pytest.raises(SampleError, match=r"report of edge-1: .* bytes; at most 524288"):
        sample.encode(replace(FULL, counters=counters))


def test_a_report_with_what_json_has_no_word_for_is_not_written() -> None:
    with pytest.raises(SampleError, match="report of edge-1: "):
        sample.encode(replace(FULL, seconds=float("nan")))


@given(st.binary(max_size=200))
def test_no_bytes_at_all_make_the_reader_fail_otherwise(data: bytes) -> None:
    with contextlib.suppress(SampleError):
        sample.decode(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.sampled_from(sorted(json.loads(sample.encode(FULL)))), JSON)
def test_no_value_in_any_place_makes_the_reader_fail_otherwise(key: str, value: object) -> None:
    with contextlib.suppress(SampleError):
        sample.decode(changed(**{key: value}))
