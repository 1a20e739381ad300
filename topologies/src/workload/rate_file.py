"""A source's rate that is changed while it runs: read from a file again and again."""

from __future__ import annotations

import json
from pathlib import Path

LOOK_SECONDS = 1.0


class RateFile:
    """The rate of one source. A file that is torn or nonsense changes nothing."""

    def __init__(self, path: str, source: str, rate: float, now: float) -> None:
        self._path = Path(path) if path else None
        self._source = source
        self._rate = rate
        self._next = now

    def changed(self, now: float) -> float | None:
        """Return another rate than before, in tuples/s; None if it is the same."""
        if self._path is None or now < self._next:
            return None
        self._next = now + LOOK_SECONDS
        try:
            rate = float(json.loads(self._path.read_text(encoding="utf-8"))[self._source])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        if rate == self._rate or not 0 < rate <= 10_000:
            return None
        self._rate = rate
        return rate
