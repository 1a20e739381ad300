"""Which tuples of a load topology reached its sink, by their numbers.

Totals cannot distinguish a loss from a duplicate; numbers can. A sink's file has a line for each
second: when it was written, in seconds since the epoch, and ranges of numbers, as
`1795872642 3-7 9 9`. A sink that moves begins another file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyewall_deploy.measure.tuple_events import TupleEvents

MARGIN = 10.0
"""Seconds after the begin, in which what was left out before it may leave gaps, and before the end,
in which tuples may still be under way."""


@dataclass(frozen=True, slots=True)
class SeenNumbers:
    """What became of tuples with consecutive numbers.

    Parameters
    ----------
    tuples
        How many there are: from those that came 10 s after its begin to those that came 10 s before
        its end. Sources leave numbers out until it begins.
    lost
        That no sink had written by the end; one that is killed writes nothing of its last second.
    twice
        That sinks have seen more than once.
    """

    tuples: int
    lost: int
    twice: int


def count_seen(folder: Path, began: float, end: float) -> SeenNumbers | None:
    """Count what the sinks in a folder saw from `began` to `end`, seconds since the epoch.

    None where no sink has kept numbers, or none came. ValueError names a file, and its line that is
    none.
    """
    times: Counter[int] = Counter()
    before, last = -1, -1
    for path in sorted(folder.glob("*.numbers")):
        for at, numbers in _read(path):
            if at > end:
                continue
            times.update(numbers)
            if at < began + MARGIN:
                before = max(before, numbers[-1])
            elif at <= end - MARGIN:
                last = max(last, numbers[-1])
    if last <= before:
        return None
    wanted = range(before + 1, last + 1)
    lost = sum(number not in times for number in wanted)
    twice = sum(times[number] > 1 for number in wanted if number in times)
    return SeenNumbers(len(wanted), lost, twice)


def count_seen_events(events: TupleEvents, began: float, end: float) -> SeenNumbers | None:
    """Count the same of a topology that writes an event for each tuple, by their ids.

    What a filter dropped is not looked for. None where nothing was emitted.
    """
    wanted = [
        message
        for message, at in events.emitted.items()
        if began + MARGIN <= at <= end - MARGIN and message not in events.dropped
    ]
    times = Counter(arrival.id for arrival in events.arrivals if arrival.at <= end)
    if not wanted:
        return None
    lost = sum(message not in times for message in wanted)
    return SeenNumbers(len(wanted), lost, sum(times[message] > 1 for message in wanted))


def _read(path: Path) -> Iterator[tuple[int, range]]:
    """Yield when it was written, and each range; half a line at the end is none."""
    for line in path.read_text(encoding="ascii").split("\n")[:-1]:
        try:
            at, *ranges = line.split(" ")
            for it in ranges:
                first, _, last = it.partition("-")
                yield int(at), range(int(first), int(last or first) + 1)
        except ValueError:
            raise ValueError(f"{path}: {line[:80]!r} is no line of numbers") from None
