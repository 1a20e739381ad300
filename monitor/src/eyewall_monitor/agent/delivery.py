"""Reports on their way to a store that may be away: a bounded backlog, a thread that empties it."""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.sample import Sample

LOG: Final = logging.getLogger("eyewall.monitor")


class StoreAwayError(Exception):
    """A store that did not take a report; says why."""


class Backlog:
    """Reports that wait, the oldest first; when there are too many, the oldest goes."""

    def __init__(self, most: int) -> None:
        self._waiting: deque[Sample] = deque()
        self._most = most
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, report: Sample) -> None:
        """Add a report."""
        if len(self._waiting) >= self._most:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(report)

    def first(self) -> Sample | None:
        """Return the oldest report, which stays."""
        return self._waiting[0] if self._waiting else None

    def done(self, report: Sample) -> None:
        """Take a report away, unless it was dropped meanwhile."""
        if self._waiting and self._waiting[0] is report:
            self._waiting.popleft()


class Delivery:
    """Brings reports to one store, in order, each until it is taken or dropped.

    Parameters
    ----------
    send
        Raises StoreAwayError.
    most
        Reports that may wait.
    pause
        Seconds between two attempts while the store is away.
    """

    def __init__(self, store: str, send: Callable[[Sample], None], most: int, pause: float) -> None:
        self._store = store
        self._send = send
        self._backlog = Backlog(most)
        self._most = most
        self._pause = pause
        self._changed = threading.Condition()
        self._stopping = False
        self._away = False
        self._thread = threading.Thread(target=self._run, name=f"to {store}", daemon=True)

    @property
    def dropped(self) -> int:
        """Reports that the store will never see."""
        return self._backlog.dropped

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def put(self, report: Sample) -> None:
        """Hand a report over; never waits for the store."""
        with self._changed:
            self._backlog.put(report)
            self._changed.notify()

    def stop(self, seconds: float) -> None:
        """End, after one more attempt for each report that waits, within `seconds`."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._thread.join(seconds)

    def _run(self) -> None:
        while (report := self._next()) is not None:
            try:
                self._send(report)
            except StoreAwayError as error:
                self._failed(error)
                with self._changed:
                    if self._stopping:
                        return
                    self._changed.wait_for(lambda: self._stopping, self._pause)
            else:
                with self._changed:
                    self._backlog.done(report)
                self._succeeded()

    def _next(self) -> Sample | None:
        """Wait for a report; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or len(self._backlog))
            return self._backlog.first()

    def _failed(self, error: StoreAwayError) -> None:
        if not self._away:
            LOG.warning(
                "%s does not take reports: %s; the last %d are kept", self._store, error, self._most
            )
        self._away = True

    def _succeeded(self) -> None:
        if self._away:
            LOG.info(
                "%s takes reports again; %d wait, %d were dropped since the start",
                *(self._store, len(self._backlog), self._backlog.dropped),
            )
        self._away = False
