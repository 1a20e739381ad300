"""Response time over time: by the model, as Storm measured it, and what moved when."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from eyewall_contracts.decision import Verdict

from eyewall_monitor.dashboard import signals
from eyewall_monitor.dashboard.measured import SPAN_SECONDS, mean
from eyewall_monitor.dashboard.views.response_time import Reassignment, ResponseTimeView, TimePoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_monitor.dashboard.known import DecisionEvent, Known, Span

MOST_POINTS: Final = 300
"""Of each series: about as many as a phone has columns."""
DONE: Final = (Verdict.PLACED, Verdict.MOVED)
_GAP_POINTS: Final = 3
"""Points that may be missing before the line is broken."""


def response_time_view(
    known: Known, topology: str, current: float | None, seconds: float
) -> ResponseTimeView:
    """Show the last `seconds` of a topology, named by Storm's id; `current` is its R now."""
    start = known.now - seconds
    events = sorted(
        (it for it in known.zookeeper.decisions if it.topology == topology and it.time >= start),
        key=lambda it: it.id,
    )
    points = predicted(events, current, known.now)
    spans = known.redis.response_times.spans(topology, start, known.now)
    return ResponseTimeView(
        topology=topology,
        predicted=_thinned(points),
        measured=measured_points(spans, seconds),
        measured_note="" if spans else _why_nothing(known),
        reassignments=tuple(
            Reassignment(
                at=it.time,
                decision=it.id,
                verdict=it.verdict.value,
                said=it.said,
                moves=it.moves,
            )
            for it in events
            if it.verdict in DONE
        )[-MOST_POINTS:],
    )


def predicted(
    events: Sequence[DecisionEvent], current: float | None, now: float
) -> list[TimePoint]:
    """Return R at each decision, oldest first, and now.

    A decision that moved something has two points: what ran until then, and what ran from then on.
    """
    found: list[TimePoint] = []
    for it in events:
        values = [it.before, it.after] if it.verdict in DONE else [it.before]
        found += [TimePoint(at=it.time, value=value) for value in values if value is not None]
    if current is not None:
        found.append(TimePoint(at=now, value=current))
    return found


def measured_points(spans: Sequence[Span], seconds: float) -> tuple[TimePoint, ...]:
    """Return at most MOST_POINTS means over equal spans; a gap is one point without a value."""
    width = max(1, math.ceil(seconds / MOST_POINTS / SPAN_SECONDS)) * SPAN_SECONDS
    together: dict[int, list[Span]] = {}
    for it in spans:
        together.setdefault(int(it.at // width), []).append(it)
    found: list[TimePoint] = []
    last: int | None = None
    for number, some in sorted(together.items()):
        if last is not None and number - last > _GAP_POINTS:
            found.append(TimePoint(at=(last + 1.5) * width, value=None))
        found.append(TimePoint(at=(number + 0.5) * width, value=mean(some)))
        last = number
    return tuple(found)


def _thinned(points: Sequence[TimePoint]) -> tuple[TimePoint, ...]:
    """Keep the newest point, and of the others as many as fit, evenly."""
    if len(points) <= MOST_POINTS:
        return tuple(points)
    step = len(points) / MOST_POINTS
    return tuple(points[min(len(points) - 1, int((i + 1) * step) - 1)] for i in range(MOST_POINTS))


def _why_nothing(known: Known) -> str:
    store = signals.of_redis(known)
    if store.state != "fresh":
        return store.note
    if known.redis.history_age is None:
        return "the history of reports has not been read yet"
    return "no spout told of an acknowledged tuple: without acks Storm has no complete latency"
