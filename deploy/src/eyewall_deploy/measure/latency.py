"""Latency and loss, as pure functions of the events."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyewall_deploy.measure.events import Events, Sighting


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time, seconds since the epoch; its end is not part of it."""

    start: float
    end: float

    def __contains__(self, at: float) -> bool:
        """Whether `at` lies within."""
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True)
class Summary:
    """End-to-end latency of the tuples emitted in a window, in seconds.

    Parameters
    ----------
    tuples
        How many arrived; p50 and p99 are over all of them, by nearest rank.
    missing
        How many were emitted, not dropped, and have not arrived.
    """

    tuples: int
    p50: float
    p99: float
    missing: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A span without any tuple at the consumer."""

    start: float
    seconds: float


def percentile(values: Sequence[float], percent: float) -> float:
    """Nearest rank: the smallest value that at least `percent` of all values don't exceed."""
    if not values:
        raise ValueError("a percentile of no values")
    rank = max(1, math.ceil(percent / 100 * len(values)))
    return sorted(values)[rank - 1]


def summarise(events: Events, window: Window) -> Summary | None:
    """Latency of the tuples emitted within `window`; None if none of them arrived."""
    arrived = first_sightings(events)
    latencies = [s.latency for s in arrived.values() if s.emitted_at in window]
    if not latencies:
        return None
    missing = sum(
        at in window and message not in arrived and message not in events.dropped
        for message, at in events.emitted.items()
    )
    return Summary(len(latencies), percentile(latencies, 50), percentile(latencies, 99), missing)


def first_sightings(events: Events) -> dict[str, Sighting]:
    """When each message arrived first; what replays bring again is left out."""
    first: dict[str, Sighting] = {}
    for sighting in events.seen:
        first.setdefault(sighting.id, sighting)
    return first


def never_acked(events: Events) -> set[str]:
    """Messages that were emitted and have no ack."""
    return events.emitted.keys() - events.acked.keys()


def never_seen(events: Events) -> set[str]:
    """Messages that were emitted, that no filter dropped, and that the consumer never met."""
    seen = {sighting.id for sighting in events.seen}
    return events.emitted.keys() - seen - events.dropped.keys()


def longest_gap(events: Events, window: Window) -> Gap:
    """The longest time within `window` in which no tuple reached the consumer."""
    arrivals = [sighting.at for sighting in events.seen if sighting.at in window]
    spans = pairwise([window.start, *arrivals, window.end])
    start, end = max(spans, key=lambda span: span[1] - span[0])
    return Gap(start, end - start)


def over_time(
    events: Events, window: Window, step: float, width: float
) -> Iterator[tuple[float, Summary | None]]:
    """Latency of the last `width` seconds, every `step` seconds of the window: (time, summary)."""
    steps = math.floor((window.end - window.start - width) / step + 1e-9)
    for index in range(steps + 1):
        end = window.start + width + index * step
        yield end, summarise(events, Window(end - width, end))


def flows_steadily(events: Events, now: float, over: float = 5.0, settle: float = 1.0) -> bool:
    """Whether all that was emitted in the last `over` seconds arrived within `settle` seconds.

    Tuples younger than `settle` may still be on their way and are not asked for.
    """
    window = Window(now - settle - over, now - settle)
    recent = [message for message, at in events.emitted.items() if at in window]
    arrived = first_sightings(events)
    started = any(at < window.start for at in events.emitted.values())
    return (
        started
        and bool(recent)
        and not any(at >= window.start for _, at in events.failed)
        and all(
            message in events.dropped or (message in arrived and arrived[message].latency <= settle)
            for message in recent
        )
    )
