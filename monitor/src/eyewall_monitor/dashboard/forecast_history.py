"""What the sidecar has forecast of topologies as they ran, over a day."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

KEEP_SECONDS: Final = 24 * 3600.0


class Band(NamedTuple):
    """A forecast and its interval; infinite values have no bound."""

    value: float
    least: float
    greatest: float


class ForecastPoint(NamedTuple):
    """The forecast of one topology at its present rate."""

    at: float
    """Seconds since the epoch."""
    response_time: Band | None
    """None: the sidecar cannot forecast."""
    throughput: Band | None
    """tuples/s that its sources send, copies included."""


class ForecastHistory:
    """One day of forecasts; one thread adds to it, any thread reads it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._points: dict[str, deque[ForecastPoint]] = {}

    def add(self, topology: str, point: ForecastPoint) -> None:
        """Add a forecast by Storm's id of its topology, and drop those that are too old."""
        with self._lock:
            points = self._points.setdefault(topology, deque())
            points.append(point)
            while points[0].at < point.at - KEEP_SECONDS:
                points.popleft()

    def retain(self, topologies: Iterable[str]) -> None:
        """Forget every other topology."""
        kept = set(topologies)
        with self._lock:
            self._points = {it: points for it, points in self._points.items() if it in kept}

    def points(self, topology: str, start: float) -> list[ForecastPoint]:
        """Return the forecasts since `start`, oldest first."""
        with self._lock:
            points = list(self._points.get(topology, ()))
        return [it for it in points if it.at >= start]
