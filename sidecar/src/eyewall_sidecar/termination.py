"""Signals that end a program which runs until it is stopped."""

import logging
import signal
import threading
from types import FrameType

_log = logging.getLogger("eyewall.sidecar")


def stop_signals() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set from now on."""
    stopped = threading.Event()

    def stop(number: int, _frame: FrameType | None) -> None:
        _log.info("stopping on %s", signal.Signals(number).name)
        stopped.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    return stopped
