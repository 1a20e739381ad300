"""Asks the sidecar again and again what it forecasts of each topology at its present rate."""

from __future__ import annotations

import time as _time
from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.errors import RequestError
from eyewall_monitor.dashboard.forecast_history import Band, ForecastHistory, ForecastPoint
from eyewall_monitor.dashboard.readers.reader import SHARE, RepeatingThread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_monitor.dashboard.sidecar_client import SidecarClient

EVERY_SECONDS: Final = 30.0
"""Between two forecasts of one topology."""
IDLE_SECONDS: Final = 2.0
"""Between two looks for a topology while there is none."""
MOST_TOPOLOGIES: Final = 50
"""Whose forecasts are kept: the first by Storm's id."""


class ForecastReader:
    """Asks for one topology at a time until it is closed.

    Parameters
    ----------
    running
        Storm's ids of the topologies that run.
    clock, steady
        Seconds since the epoch, and a clock that does not jump.
    """

    def __init__(
        self,
        client: SidecarClient,
        running: Callable[[], Sequence[str]],
        clock: Callable[[], float] = _time.time,
        steady: Callable[[], float] = _time.monotonic,
    ) -> None:
        self._client = client
        self._running = running
        self._clock = clock
        self._steady = steady
        self._asked: dict[str, float] = {}
        """Topology → when it was last asked for, by the steady clock."""
        self.history = ForecastHistory()
        self._thread = RepeatingThread("forecasts", self.poll, lambda _: None)
        self.start = self._thread.start
        self.close = self._thread.close

    def poll(self) -> float:
        """Ask for the topology that was asked for least lately; return the pause."""
        running = sorted(self._running())[:MOST_TOPOLOGIES]
        self._asked = {it: at for it, at in self._asked.items() if it in running}
        self.history.retain(running)
        if not running:
            return IDLE_SECONDS
        topology = min(running, key=lambda it: self._asked.get(it, float("-inf")))
        began = self._steady()
        waited = began - self._asked.get(topology, float("-inf"))
        if waited < EVERY_SECONDS:
            return min(IDLE_SECONDS, EVERY_SECONDS - waited)
        self._asked[topology] = began
        self.history.add(topology, self._ask(topology))
        took = self._steady() - began
        return took / SHARE - took

    def _ask(self, topology: str) -> ForecastPoint:
        try:
            found = self._client.forecast(topology, 1.0)
        except RequestError:
            return ForecastPoint(self._clock(), None, None)
        if found.unsettled:  # its rates were measured while workers started
            return ForecastPoint(self._clock(), None, None)
        now = found.now
        return ForecastPoint(self._clock(), _band(now.response_time), _band(now.throughput))


def _band(it: pb.Interval) -> Band:
    return Band(it.value, it.least, it.greatest)
