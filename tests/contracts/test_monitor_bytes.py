"""A report, its history entry and the switches, byte for byte as all sides know them.

The same bytes are read and written here: who changes one side sees it, and raises the version.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from eyewall_contracts import metric_history as history
from eyewall_contracts import sample, znodes
from eyewall_contracts.switches import Switches, decode_switches, encode_switches
from reports import FULL

HERE = Path(__file__).parent
REPORT = (HERE / "sample.json").read_bytes()


def test_a_report_is_written_as_it_always_was() -> None:
    assert sample.encode(FULL) == REPORT


def test_a_report_of_old_is_read_whole() -> None:
    assert sample.decode(REPORT) == FULL


def test_a_history_entry_of_old_is_read_whole() -> None:
    entry = {b"v": b"1", b"z": (HERE / "history_entry.z").read_bytes()}
    assert history.decode_entry(entry) == FULL


def test_a_history_entry_is_written_as_the_report_compressed() -> None:
    # zlib's own bytes may differ from one release of it to the next; what they hold may not.
    entry = history.encode_entry(FULL)
    assert set(entry) == {b"v", b"z"}
    assert entry[b"v"] == b"1"
    assert zlib.decompress(entry[b"z"]) == REPORT


def test_the_switches_are_written_and_read_as_they_always_were() -> None:
    written = b'{"version":1,"frozen":true,"frozen_topologies":["a-1-2","b-3-4"]}'
    switches = Switches(frozen=True, frozen_topologies=frozenset(["b-3-4", "a-1-2"]))
    assert encode_switches(switches) == written
    assert decode_switches(written) == switches


def test_paths_and_keys_are_where_they_always_were() -> None:
    paths = znodes.Znodes()
    assert paths.sample("edge-1") == "/eyewall/v1/samples/edge-1"
    assert paths.rates("wc-1-1700000000") == "/eyewall/v1/rates/wc-1-1700000000"
    assert paths.switches == "/eyewall/v1/switches"
    keys = history.Keys()
    assert keys.hosts == "eyewall:v1:history"
    assert keys.stream("edge-1") == "eyewall:v1:history:edge-1"
