"""The files of the load topologies: a JSON line for each second of a source or a sink.

`topologies/README.md` has the format. A worker that is started again writes a file of its own, and
two that overlap count both; files grow while they are read, and may end in half a line.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from eyewall_deploy.measure.tuple_events import TupleEvents

START_FILE = "start"
SLOTS = 20
"""Parts of a second of which it is known whether a tuple arrived in them."""
_BITS = 6
_PER_POWER = 1 << _BITS
_MICRO = 1e-6


@dataclass(slots=True)
class LoadSecond:
    """What all sources and sinks did in one second.

    Parameters
    ----------
    emitted, acked, failed, replayed
        Of the sources; a tuple that is emitted again counts as replayed only.
    out
        Tuples at the sinks.
    out_slots
        Bit n is set if one arrived in the n-th part of the second; None where nobody wrote that.
    pending
        Emitted and not acked, at the end of the second.
    behind
        Seconds by which the next tuple is late already; of several sources the largest.
    latency
        Acks by bucket of their latency, from when the tuple was due.
    """

    emitted: int = 0
    acked: int = 0
    failed: int = 0
    replayed: int = 0
    out: int = 0
    out_slots: int | None = None
    pending: int = 0
    behind: float = 0.0
    latency: Counter[int] = field(default_factory=Counter)


def bucket_of(micros: int) -> int:
    """Return the bucket of a latency in microseconds: at most 1.6 % wide."""
    power = max(0, (micros | 1).bit_length() - 1 - _BITS)
    return power * _PER_POWER + (micros >> power)


def bucket_middle(bucket: int) -> float:
    """Return the middle of a bucket, in seconds."""
    power = max(0, bucket // _PER_POWER - 1)
    return (bucket - power * _PER_POWER + 0.5) * (1 << power) * _MICRO


def latency_percentile(counts: Mapping[int, int], percent: float) -> float | None:
    """Return the nearest rank among the latencies of a histogram, in seconds; None if empty."""
    total = sum(counts.values())
    rank = max(1, -(-total * percent // 100))
    below = 0
    for bucket in sorted(counts):
        below += counts[bucket]
        if below >= rank:
            return bucket_middle(bucket)
    return None


def read_start(folder: Path) -> float | None:
    """Return when the sources' schedule began, seconds since the epoch; None if not yet."""
    try:
        return int((folder / START_FILE).read_text(encoding="ascii")) / 1000
    except FileNotFoundError:
        return None


def read_seconds(folder: Path) -> dict[int, LoadSecond]:
    """Return what was done in each second since the epoch; seconds without a line are absent."""
    seconds: dict[int, LoadSecond] = {}
    for path in sorted(folder.glob("*.jsonl")):
        add_lines(seconds, path.read_text(encoding="utf-8").split("\n")[:-1], str(path))
    return seconds


def add_lines(seconds: dict[int, LoadSecond], lines: Iterable[str], origin: str) -> None:
    """Add the lines of one file; ValueError names the file and the line that is none."""
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            second = seconds.setdefault(record["at"], LoadSecond())
            second.emitted += record["emitted"]
            second.acked += record["acked"]
            second.failed += record["failed"]
            second.replayed += record["replayed"]
            second.out += record["out"]
            if "out_slots" in record:
                second.out_slots = (second.out_slots or 0) | record["out_slots"]
            second.pending += record.get("pending", 0)
            second.behind = max(second.behind, record.get("behind_ms", 0) / 1000)
            second.latency.update({int(key): n for key, n in record["latency"].items()})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{origin}: line {number}: {line[:80]!r} is no second ({error!r})"
            ) from None


def seconds_of_events(events: TupleEvents) -> dict[int, LoadSecond]:
    """Return the same of a topology that writes an event for each tuple; see `tuple_events.py`.

    Latency is from the first emission to the ack, and every failed tuple is emitted again.
    """
    seconds: dict[int, LoadSecond] = {}

    def second(at: float) -> LoadSecond:
        return seconds.setdefault(math.floor(at), LoadSecond())

    for at in events.emitted.values():
        second(at).emitted += 1
    for message, at in events.acked.items():
        second(at).acked += 1
        if message in events.emitted:
            waited = max(0.0, at - events.emitted[message])
            second(at).latency[bucket_of(int(waited / _MICRO))] += 1
    for _, at in events.failed:
        second(at).failed += 1
        second(at).replayed += 1
    for arrival in events.arrivals:
        seen = second(arrival.at)
        seen.out += 1
        seen.out_slots = (seen.out_slots or 0) | 1 << int(arrival.at % 1 * SLOTS)
    return seconds
