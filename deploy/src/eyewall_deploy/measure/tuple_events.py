"""The event files of a measured topology: one JSON line for each event of a tuple.

`{"event": "emitted", "id": …, "at": …}` and likewise `acked`, `failed` and `dropped` (by a
filter); `{"event": "seen", "id": …, "emitted_at": …, "at": …}` at the consumer. Times are seconds
since the epoch. Files grow while they are read, and a killed process may leave half a line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_KINDS = ("emitted", "acked", "failed", "dropped", "seen")


@dataclass(frozen=True, slots=True)
class TupleArrival:
    """A tuple at the consumer. Replays keep the time of the first emission."""

    id: str
    emitted_at: float
    at: float

    @property
    def latency(self) -> float:
        """Seconds from the source to the consumer."""
        return self.at - self.emitted_at


@dataclass(frozen=True, slots=True)
class TupleEvents:
    """All events, by kind.

    Parameters
    ----------
    emitted, acked, dropped
        Time by message id; of an id that was emitted several times, the first time.
    failed
        (id, time) of each failure, in order of time.
    arrivals
        In order of time; a replayed tuple may be among them twice.
    """

    emitted: Mapping[str, float]
    acked: Mapping[str, float]
    dropped: Mapping[str, float]
    failed: tuple[tuple[str, float], ...]
    arrivals: tuple[TupleArrival, ...]


def read_events(folder: Path, topology_id: str = "*") -> TupleEvents:
    """Read the event files in `folder`, those of one topology id or all."""
    # All texts first: parsing takes long enough for a tuple to arrive between two files.
    texts = {
        path: path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.glob(f"{topology_id}.*.jsonl"))
    }
    records: list[dict[str, Any]] = []
    for path, text in texts.items():
        try:
            records += parse_lines(text)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    return collect(records)


def parse_lines(text: str) -> list[dict[str, Any]]:
    """Return the events in `text`. A last line without an end is incomplete and left out."""
    *whole, _torn = text.split("\n")
    records = []
    for number, line in enumerate(whole, start=1):
        try:
            record = json.loads(line)
            known = record["event"] in _KINDS and "id" in record
        except (ValueError, KeyError, TypeError):
            known = False
        if not known:
            raise ValueError(f"line {number}: {line[:80]!r} is not an event")
        records.append(record)
    return records


def collect(records: Iterable[Mapping[str, Any]]) -> TupleEvents:
    """Sort records of several processes by kind and time."""
    times: dict[str, dict[str, float]] = {kind: {} for kind in ("emitted", "acked", "dropped")}
    failed: list[tuple[str, float]] = []
    arrivals: list[TupleArrival] = []
    for record in records:
        kind, message, at = record["event"], record["id"], record["at"]
        if kind == "seen":
            arrivals.append(TupleArrival(message, record["emitted_at"], at))
        elif kind == "failed":
            failed.append((message, at))
        else:
            times[kind][message] = min(at, times[kind].get(message, at))
    return TupleEvents(
        emitted=times["emitted"],
        acked=times["acked"],
        dropped=times["dropped"],
        failed=tuple(sorted(failed, key=lambda failure: failure[1])),
        arrivals=tuple(sorted(arrivals, key=lambda arrival: arrival.at)),
    )
