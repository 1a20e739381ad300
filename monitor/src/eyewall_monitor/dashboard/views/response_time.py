"""Charts of a topology over time: response time, throughput, and reassignments."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeVar

from eyewall_contracts.decision import Verdict
from eyewall_contracts.proto import scheduler_pb2 as storm

from eyewall_monitor.dashboard.flow_history import SPAN_SECONDS, mean, rate_of_task
from eyewall_monitor.dashboard.views.base import View
from eyewall_monitor.dashboard.views.forecast import Bounded
from eyewall_monitor.dashboard.views.signal import redis_signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.flow_history import FlowSpan
    from eyewall_monitor.dashboard.forecast_history import Band
    from eyewall_monitor.dashboard.snapshot import Snapshot
    from eyewall_monitor.dashboard.views.decision_summary import DecisionSummary

MOST_POINTS: Final = 300
"""Of each series: about the number of pixel columns of a phone."""
_GAP_POINTS: Final = 3
"""Points that may be missing before the line is interrupted."""
_WITHOUT_ACKS: Final = (
    "no spout reported an acked tuple: without acks Storm has no complete latency"
)
_NOTHING_SENT: Final = "no spout reported what it sent"


_Point = TypeVar("_Point")


class TimePoint(View):
    """One point of a series."""

    at: float
    """Seconds since the epoch."""
    value: float | None
    """Seconds or tuples/s; None interrupts the line."""


class BandPoint(View):
    """One point of a forecast with its interval; what has no bound is None, as is the unknown."""

    at: float
    """Seconds since the epoch."""
    value: Bounded
    least: Bounded
    greatest: Bounded


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
    """R, the papers' model, in which hosts are idle."""
    expected: tuple[BandPoint, ...] = ()
    """By the model of load, since the dashboard started."""
    measured: tuple[TimePoint, ...]
    measured_note: str = ""
    """Why nothing is measured; empty if something is."""
    reassignments: tuple[ReassignmentView, ...]


class ThroughputView(View):
    """Tuples/s that a topology's spouts send, copies included, over time."""

    topology: str
    expected: tuple[BandPoint, ...]
    """By the model of load, since the dashboard started."""
    measured: tuple[TimePoint, ...]
    measured_note: str = ""
    """Why nothing is measured; empty if something is."""


def response_time_view(
    snapshot: Snapshot, topology: str, current: float | None, seconds: float
) -> ResponseTimeView:
    """Return the last `seconds` of a topology, by Storm's id; `current` is its present R."""
    start = snapshot.now - seconds
    decisions = sorted(
        (it for it in snapshot.zookeeper.decisions if it.topology == topology and it.at >= start),
        key=lambda it: it.id,
    )
    flow = snapshot.redis.flow.spans(topology, start, snapshot.now)
    spans = [it for it in flow if it.acked]
    forecasts = snapshot.forecasts.points(topology, start)
    executed = [it for it in decisions if it.verdict.is_executed][-MOST_POINTS:]
    return ResponseTimeView(
        topology=topology,
        predicted=_thin(predicted_points(decisions, current, snapshot.now)),
        expected=expected_points((it.at, it.response_time) for it in forecasts),
        measured=measured_points(spans, seconds, mean),
        measured_note="" if spans else _why_nothing(snapshot, _WITHOUT_ACKS),
        reassignments=tuple(
            ReassignmentView(
                at=it.at, decision=it.id, verdict=it.verdict, said=it.said, moves=it.moves
            )
            for it in executed
        ),
    )


def throughput_view(
    snapshot: Snapshot, topology: pb.TopologyStatus, seconds: float
) -> ThroughputView:
    """Return the last `seconds` of a topology."""
    id_, start = topology.topology_id, snapshot.now - seconds
    tasks = _spout_tasks(topology)
    flow = snapshot.redis.flow.spans(id_, start, snapshot.now)
    spans = [it for it in flow if it.task_seconds]

    def send_rate(some: Iterable[FlowSpan]) -> float | None:
        rate = rate_of_task(some)
        return None if rate is None else tasks * rate

    forecasts = snapshot.forecasts.points(id_, start)
    return ThroughputView(
        topology=id_,
        expected=expected_points((it.at, it.throughput) for it in forecasts),
        measured=measured_points(spans, seconds, send_rate),
        measured_note="" if spans else _why_nothing(snapshot, _NOTHING_SENT),
    )


def _spout_tasks(topology: pb.TopologyStatus) -> int:
    return sum(
        executor.last_task - executor.first_task + 1
        for component in topology.definition.components
        if component.kind == storm.Component.SPOUT
        for executor in component.executors
    )


def expected_points(bands: Iterable[tuple[float, Band | None]]) -> tuple[BandPoint, ...]:
    """Return at most MOST_POINTS forecasts, oldest first; one that is unknown has no values."""
    return _thin(
        [
            BandPoint(at=at, value=None, least=None, greatest=None)
            if it is None
            else BandPoint(at=at, value=it.value, least=it.least, greatest=it.greatest)
            for at, it in bands
        ]
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
        if it.verdict.is_executed:
            values.append(it.response_time_after)
        points += [TimePoint(at=it.at, value=value) for value in values if value is not None]
    if current is not None:
        points.append(TimePoint(at=now, value=current))
    return points


def measured_points(
    spans: Sequence[FlowSpan],
    seconds: float,
    value: Callable[[Iterable[FlowSpan]], float | None],
) -> tuple[TimePoint, ...]:
    """Return at most MOST_POINTS values of equal intervals; a gap is one point without a value."""
    width = max(1, math.ceil(seconds / MOST_POINTS / SPAN_SECONDS)) * SPAN_SECONDS
    points = []
    last: int | None = None
    for number, some in groupby(spans, key=lambda it: int(it.at // width)):
        if last is not None and number - last > _GAP_POINTS:
            points.append(TimePoint(at=(last + 1.5) * width, value=None))
        points.append(TimePoint(at=(number + 0.5) * width, value=value(some)))
        last = number
    return tuple(points)


def _thin(points: Sequence[_Point]) -> tuple[_Point, ...]:
    """Keep at most MOST_POINTS, evenly, and always the newest."""
    if len(points) <= MOST_POINTS:
        return tuple(points)
    step = len(points) / MOST_POINTS
    return tuple(points[min(len(points) - 1, int((i + 1) * step) - 1)] for i in range(MOST_POINTS))


def _why_nothing(snapshot: Snapshot, otherwise: str) -> str:
    store = redis_signal(snapshot)
    if store.state != "fresh":
        return store.note
    if snapshot.redis.history_age is None:
        return "the history of reports has not been read yet"
    return otherwise
