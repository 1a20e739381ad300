"""How often something is read that takes long: at most a part of the time goes into it."""

from __future__ import annotations

from typing import Final

SHARE: Final = 0.05
LONGEST_PAUSE: Final = 5.0
"""Seconds; as often as hosts report, however many there are."""


def pause_after(seconds: float, least: float = 0.0) -> float:
    """Return for how long to rest after a reading that took `seconds`."""
    return max(least, min(LONGEST_PAUSE, seconds / SHARE - seconds))
