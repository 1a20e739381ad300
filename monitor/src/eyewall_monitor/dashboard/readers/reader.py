"""A thread that reads a source again and again."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

LOG: Final = logging.getLogger("eyewall.dashboard")
STOP_SECONDS: Final = 2.0
SHARE: Final = 0.05
"""Of the time that reading may take."""
LONGEST_PAUSE: Final = 5.0
"""Between two readings, however long they take: as often as hosts report."""


def pause_after(seconds: float, minimum: float = 0.0) -> float:
    """Return the pause after a reading that took `seconds`."""
    return max(minimum, min(LONGEST_PAUSE, seconds / SHARE - seconds))


class RepeatingThread:
    """Calls `step` until it is closed; no exception ends it.

    Parameters
    ----------
    source
        What is read, for the log.
    step
        Reads once; returns the seconds until the next time.
    failed
        Called with the description of an exception, which is also logged.
    """

    def __init__(
        self, source: str, step: Callable[[], float], failed: Callable[[str], None]
    ) -> None:
        self._source = source
        self._step = step
        self._failed = failed
        self._last_failure = ""
        self._stopped = threading.Event()
        self._wake = threading.Event()
        self._read_once = threading.Event()
        self._thread = threading.Thread(target=self._run, name=source, daemon=True)

    @property
    def stopped(self) -> bool:
        """Whether it has been closed."""
        return self._stopped.is_set()

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def wait_for_first(self, seconds: float) -> None:
        """Return after the first reading, successful or not, or after `seconds`."""
        self._read_once.wait(seconds)

    def hurry(self) -> None:
        """Read now."""
        self._wake.set()

    def close(self) -> None:
        """End, without waiting long for a reading."""
        self._stopped.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopped.is_set():
            pause = self._step_safely()
            self._read_once.set()
            self._wake.wait(pause)
            self._wake.clear()

    def _step_safely(self) -> float:
        try:
            pause = self._step()
        # The edge of this thread: an unexpected exception must not end it unnoticed.
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
            if failure != self._last_failure:
                LOG.exception("%s cannot be read", self._source)
            self._last_failure = failure
            self._failed(failure)
            return 1.0
        self._last_failure = ""
        return pause
