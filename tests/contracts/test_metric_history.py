from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from eyewall_contracts.errors import ContractError, IncompatibleVersionError
from eyewall_contracts.metric_history import (
    EntryId,
    HistoryKeys,
    decode_entry,
    encode_entry,
    next_id,
    oldest_id,
    read_id,
)
from eyewall_contracts.sample import encode_sample
from hypothesis import given
from hypothesis import strategies as st
from reports import FULL


def test_an_entry_gives_back_the_report() -> None:
    assert decode_entry(encode_entry(FULL)) == FULL


def test_an_entry_of_the_first_version_is_read_whole() -> None:
    packed = Path(__file__).with_name("history_entry.z").read_bytes()
    assert decode_entry({b"v": b"1", b"z": packed}) == FULL


def test_an_entry_is_the_report_compressed() -> None:
    # zlib's own bytes may differ from one release of it to the next; what they hold may not.
    entry = encode_entry(FULL)
    assert set(entry) == {b"v", b"z"}
    assert entry[b"v"] == b"1"
    assert zlib.decompress(entry[b"z"]) == encode_sample(FULL)


def test_keys_are_where_they_always_were() -> None:
    assert HistoryKeys().hosts == "eyewall:v1:history"
    assert HistoryKeys().stream("edge-1") == "eyewall:v1:history:edge-1"


def test_ids_are_of_the_clock_and_grow_even_when_it_jumps_back() -> None:
    first = next_id(1_700_000_000.5, None)
    assert first == EntryId(1_700_000_000_500, 0)
    assert next_id(1_700_000_001.0, first) == EntryId(1_700_000_001_000, 0)
    assert next_id(1_600_000_000.0, first) == EntryId(1_700_000_000_500, 1)


@given(st.lists(st.floats(-1e6, 1e11), max_size=20))
def test_whatever_the_clock_does_no_id_comes_twice(clock: list[float]) -> None:
    last = None
    for now in clock:
        made = next_id(now, last)
        assert last is None or made > last
        assert read_id(str(made)) == made
        last = made


def test_entries_older_than_what_is_kept_are_below_the_oldest_id() -> None:
    # Kept for 60 s: at 1,000 s all before 940 s goes.
    assert oldest_id(1000.0, 60.0) == EntryId(940_000, 0)
    assert oldest_id(1.0, 60.0) == EntryId(0, 0)


@pytest.mark.parametrize("text", [b"", b"-", b"1", b"1-x", b"1-2-3", b"\xff-1", b"9" * 40 + b"-1"])
def test_what_is_no_id_is_refused(text: bytes) -> None:
    with pytest.raises(ContractError, match="it must be like 1700000000000-0"):
        read_id(text)


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({}, "v is b''; it must be"),
        ({b"v": b"one"}, "v is b'one'; it must be"),
        ({b"v": b"1", b"z": b"text"}, "history entry: "),
        ({b"v": b"1"}, "history entry: z is cut off"),
        ({b"v": b"1", b"z": encode_entry(FULL)[b"z"][:-9]}, "history entry: z is cut off"),
    ],
)
def test_what_is_no_entry_is_refused(entry: dict[bytes, bytes], complaint: str) -> None:
    with pytest.raises(ContractError) as refused:
        decode_entry(entry)
    assert complaint in str(refused.value)


def test_an_entry_of_a_later_version_and_a_wrong_one_raise_different_errors() -> None:
    with pytest.raises(IncompatibleVersionError, match="history entry: version 2 is incompatible"):
        decode_entry({b"v": b"2", b"z": b"whatever"})


def test_an_entry_that_unpacks_to_very_much_is_refused_before_it_fills_the_memory() -> None:
    bomb = zlib.compress(b" " * 200_000_000)
    with pytest.raises(ContractError, match="at most 524288"):
        decode_entry({b"v": b"1", b"z": bomb})


@pytest.mark.parametrize("host", ["", "a b", "a:b", "a/b", "-a", "é", "a" * 300, "a\n"])
def test_a_host_that_would_break_a_key_has_none(host: str) -> None:
    with pytest.raises(ValueError, match="it must be a host's name"):
        HistoryKeys().stream(host)


def test_two_clusters_in_one_redis_have_keys_of_their_own() -> None:
    assert HistoryKeys("storm-1:eyewall").stream("a") == "storm-1:eyewall:v1:history:a"
    with pytest.raises(ValueError, match="Redis prefix ' ': it must be like"):
        HistoryKeys(" ")
