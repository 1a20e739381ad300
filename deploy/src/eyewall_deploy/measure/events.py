"""The event files of a measured topology: one JSON line for each thing that happened to a tuple.

`{"event": "emitted", "id": …, "at": …}` and likewise `acked`, `failed` and `dropped` (a filter let
it go); `{"event": "seen", "id": …, "emitted_at": …, "at": …}` at the consumer. Times are seconds
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
class Sighting:
    """A tuple at the consumer. Replays keep the time of the first emission."""

    id: str
    emitted_at: float
    at: float

    @property
    def latency(self) -> float:
        """Seconds from the source to the consumer."""
        return self.at - self.emitted_at


@dataclass(frozen=True, slots=True)
class Events:
    """Everything that happened, by kind.

    Parameters
    ----------
    emitted, acked, dropped
        Time by message id; an id that was emitted again counts by its first time.
    failed
        (id, time) of each failure, in order of time.
    seen
        Every sighting, in order of time; a replayed tuple may be among them twice.
    """

    emitted: Mapping[str, float]
    acked: Mapping[str, float]
    dropped: Mapping[str, float]
    failed: tuple[tuple[str, float], ...]
    seen: tuple[Sighting, ...]


def read_events(folder: Path, topology_id: str = "*") -> Events:
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
    """The events in `text`. A last line without its end is not there yet, or never will be."""
    *whole, _torn = text.split("\n")
    records = []
    for number, line in enumerate(whole, start=1):
        try:
            record = json.loads(line)
            known = record["event"] in _KINDS and "id" in record
        except (ValueError, KeyError, TypeError):
            known = False
        if not known:
            raise ValueError(f"line {number}: {line[:80]!r} is no event")
        records.append(record)
    return records


def collect(records: Iterable[Mapping[str, Any]]) -> Events:
    """Sort records of several processes by kind and time."""
    times: dict[str, dict[str, float]] = {kind: {} for kind in ("emitted", "acked", "dropped")}
    failed: list[tuple[str, float]] = []
    seen: list[Sighting] = []
    for record in records:
        kind, message, at = record["event"], record["id"], record["at"]
        if kind == "seen":
            seen.append(Sighting(message, record["emitted_at"], at))
        elif kind == "failed":
            failed.append((message, at))
        else:
            times[kind][message] = min(at, times[kind].get(message, at))
    return Events(
        emitted=times["emitted"],
        acked=times["acked"],
        dropped=times["dropped"],
        failed=tuple(sorted(failed, key=lambda failure: failure[1])),
        seen=tuple(sorted(seen, key=lambda sighting: sighting.at)),
    )
