"""When a source emits its next tuple."""


class Pace:
    """Even spacing at `rate` per second.

    After a stall, the tuples that were due during it are skipped, not emitted in a burst: the
    load stays what the setting says.
    """

    def __init__(self, rate: float, start: float) -> None:
        self._interval = 1.0 / rate
        self._next = start

    def due(self, now: float) -> bool:
        """Whether a tuple is to be emitted at `now`; if so, the next one is planned."""
        if now < self._next:
            return False
        self._next += self._interval
        if self._next < now:
            self._next = now + self._interval
        return True
