"""A thread that looks again and again, and that no failure ends."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

LOG: Final = logging.getLogger("eyewall.dashboard")
STOP_SECONDS: Final = 2.0


class RepeatingThread:
    """Calls `step` until it is closed.

    Parameters
    ----------
    name
        What is looked at, for the log.
    step
        One look; returns the seconds until the next one.
    failed
        Told in words of a surprise; the log has it whole.
    """

    def __init__(self, name: str, step: Callable[[], float], failed: Callable[[str], None]) -> None:
        self._name = name
        self._step = step
        self._failed = failed
        self._said = ""
        self._stopped = threading.Event()
        self._wake = threading.Event()
        self._looked = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def stopped(self) -> bool:
        """Whether it shall end."""
        return self._stopped.is_set()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait_for_first_look(self, seconds: float) -> None:
        """Return once there was one look, whatever it came to, or after `seconds`."""
        self._looked.wait(seconds)

    def hurry(self) -> None:
        """Look now."""
        self._wake.set()

    def close(self) -> None:
        """End; a look that takes long is not waited for."""
        self._stopped.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopped.is_set():
            pause = self._once()
            self._looked.set()
            self._wake.wait(pause)
            self._wake.clear()

    def _once(self) -> float:
        try:
            pause = self._step()
        # The edge of this thread: a surprise must not end it unnoticed.
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            if said != self._said:
                LOG.exception("%s cannot be read", self._name)
            self._said = said
            self._failed(said)
            return 1.0
        self._said = ""
        return pause
