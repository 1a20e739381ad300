"""The chart of a topology's response time: predicted, measured, and reassignments."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Final

from eyewall_contracts.decision import Verdict

from eyewall_monitor.dashboard.response_times import SPAN_SECONDS, mean
from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.decision_summary import EXECUTED, DecisionSummary
from eyewall_monitor.dashboard.views.signal import redis_signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_monitor.dashboard.response_times import TreeSum
    from eyewall_monitor.dashboard.snapshot import Snapshot

MOST_POINTS: Final = 300
"""Of each series: about the number of pixel columns of a phone."""
_GAP_POINTS: Final = 3
"""Points that may be missing before the line is interrupted."""


class TimePoint(View):
    """One point of a series."""

    at: float
    """Seconds since the epoch."""
    value: float | None
    """Seconds of response time; None interrupts the line."""


class ReassignmentView(View):
    """A decision that placed or moved executors."""

    at: float
    decision: str
    verdict: Verdict
    said: str
    moves: int


class ResponseTimeView(View):
    """Response time over time."""

    topology: str
    predicted: tuple[TimePoint, ...]
    measured: tuple[TimePoint, ...]
    measured_note: str = ""
    """Why nothing is measured; empty if something is."""
    reassignments: tuple[ReassignmentView, ...]


def response_time_view(
    snapshot: Snapshot, topology: str, current: float | None, seconds: float
) -> ResponseTimeView:
    """Return the last `seconds` of a topology, by Storm's id; `current` is its present R."""
    start = snapshot.now - seconds
    decisions = sorted(
        (it for it in snapshot.zookeeper.decisions if it.topology == topology and it.at >= start),
        key=lambda it: it.id,
    )
    spans = snapshot.redis.response_times.spans(topology, start, snapshot.now)
    executed = [it for it in decisions if it.verdict in EXECUTED][-MOST_POINTS:]
    return ResponseTimeView(
        topology=topology,
        predicted=_thin(predicted_points(decisions, current, snapshot.now)),
        measured=measured_points(spans, seconds),
        measured_note="" if spans else _why_nothing(snapshot),
        reassignments=tuple(
            ReassignmentView(
                at=it.at, decision=it.id, verdict=it.verdict, said=it.said, moves=it.moves
            )
            for it in executed
        ),
    )


def predicted_points(
    decisions: Sequence[DecisionSummary], current: float | None, now: float
) -> list[TimePoint]:
    """Return R at each decision, oldest first, and now.

    A decision that moved something has two points: R of the assignment until then, and since.
    """
    points = []
    for it in decisions:
        values = [it.response_time_before]
        if it.verdict in EXECUTED:
            values.append(it.response_time_after)
        points += [TimePoint(at=it.at, value=value) for value in values if value is not None]
    if current is not None:
        points.append(TimePoint(at=now, value=current))
    return points


def measured_points(spans: Sequence[TreeSum], seconds: float) -> tuple[TimePoint, ...]:
    """Return at most MOST_POINTS means over equal intervals; a gap is one point without a value."""
    width = max(1, math.ceil(seconds / MOST_POINTS / SPAN_SECONDS)) * SPAN_SECONDS
    points = []
    last: int | None = None
    for number, some in groupby(spans, key=lambda it: int(it.at // width)):
        if last is not None and number - last > _GAP_POINTS:
            points.append(TimePoint(at=(last + 1.5) * width, value=None))
        points.append(TimePoint(at=(number + 0.5) * width, value=mean(some)))
        last = number
    return tuple(points)


def _thin(points: Sequence[TimePoint]) -> tuple[TimePoint, ...]:
    """Keep at most MOST_POINTS, evenly, and always the newest."""
    if len(points) <= MOST_POINTS:
        return tuple(points)
    step = len(points) / MOST_POINTS
    return tuple(points[min(len(points) - 1, int((i + 1) * step) - 1)] for i in range(MOST_POINTS))


def _why_nothing(snapshot: Snapshot) -> str:
    store = redis_signal(snapshot)
    if store.state != "fresh":
        return store.note
    if snapshot.redis.history_age is None:
        return "the history of reports has not been read yet"
    return "no spout reported an acked tuple: without acks Storm has no complete latency"
