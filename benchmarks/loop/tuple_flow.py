"""Loss and gaps of a flow of tuples, as pure functions of the events."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eyewall_deploy.measure.tuple_events import TupleArrival, TupleEvents


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A span of time, seconds since the epoch; its end is not part of it."""

    start: float
    end: float

    def __contains__(self, at: float) -> bool:
        """Whether `at` lies within."""
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True)
class OutputGap:
    """A span without any tuple at the consumer."""

    start: float
    seconds: float


def first_arrivals(events: TupleEvents) -> dict[str, TupleArrival]:
    """Return the first arrival of each message, without those of replays."""
    first: dict[str, TupleArrival] = {}
    for arrival in events.arrivals:
        first.setdefault(arrival.id, arrival)
    return first


def never_acked(events: TupleEvents) -> set[str]:
    """Return messages that were emitted and not acked."""
    return events.emitted.keys() - events.acked.keys()


def never_arrived(events: TupleEvents) -> set[str]:
    """Return messages that were emitted, not dropped by a filter, and never arrived."""
    return events.emitted.keys() - first_arrivals(events).keys() - events.dropped.keys()


def longest_gap(events: TupleEvents, window: TimeWindow) -> OutputGap:
    """Return the longest span within `window` in which no tuple arrived."""
    arrivals = [arrival.at for arrival in events.arrivals if arrival.at in window]
    spans = pairwise([window.start, *arrivals, window.end])
    start, end = max(spans, key=lambda span: span[1] - span[0])
    return OutputGap(start, end - start)


def flows_steadily(events: TupleEvents, now: float, over: float = 5.0, settle: float = 1.0) -> bool:
    """Return whether all tuples of the last `over` seconds arrived within `settle` seconds.

    Tuples younger than `settle` may still be under way and do not count.
    """
    window = TimeWindow(now - settle - over, now - settle)
    recent = [message for message, at in events.emitted.items() if at in window]
    arrived = first_arrivals(events)
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
