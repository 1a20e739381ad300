"""The rate of a trial's sources over time, as its file has it and as the sources read it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

KINDS = ("constant", "steps", "ramp", "trace", "max")
MAXIMUM = "max"
_MOST = 1e6


class RateProfileError(ValueError):
    """A profile that cannot be used: key, value and what is allowed."""


@dataclass(frozen=True, slots=True)
class RateProfile:
    """Points (seconds, tuples/s) with straight lines between them; the last rate goes on.

    Without points the sources emit as much as goes.
    """

    points: tuple[tuple[float, float], ...]

    @property
    def is_unlimited(self) -> bool:
        """Whether the sources emit as much as goes."""
        return not self.points

    @property
    def is_constant(self) -> bool:
        """Whether the rate never changes."""
        return len({rate for _, rate in self.points}) == 1

    @property
    def first(self) -> float | None:
        """The rate at first; None if the sources emit as much as goes."""
        return None if self.is_unlimited else self.rate_at(0.0)

    def scale(self, load: float) -> RateProfile:
        """Return the profile with all rates multiplied."""
        return RateProfile(tuple((at, rate * load) for at, rate in self.points))

    def hold_in_turn(self, loads: Sequence[float], seconds: float, pause: float) -> RateProfile:
        """Return its first rate times each of the loads, for so many seconds each.

        The rate changes at the beginning of the pauses between them.
        """
        rates = [self.rate_at(0.0) * load for load in loads]
        points = [(0.0, rates[0])]
        for place, (before, after) in enumerate(pairwise(rates)):
            at = place * (seconds + pause) + seconds
            points += [(at, before), (at, after)]
        return RateProfile(tuple(points))

    def rate_at(self, seconds: float) -> float:
        """Return the rate at a time, in tuples/s; at a step the one after it."""
        before = [point for point in self.points if point[0] <= seconds]
        after = [point for point in self.points if point[0] > seconds]
        if not before or not after:
            return (before or after)[-1 if before else 0][1]
        (t0, r0), (t1, r1) = before[-1], after[0]
        return r0 + (r1 - r0) * (seconds - t0) / (t1 - t0)

    def tuples_until(self, seconds: float) -> float:
        """Return how many tuples are due in the first `seconds`."""
        times = sorted({0.0, seconds, *(at for at, _ in self.points if 0 < at < seconds)})
        return sum(
            (end - start) * (self.rate_at(start) + self._rate_before(end)) / 2
            for start, end in pairwise(times)
        )

    def text(self, warm_up: float = 0.0) -> str:
        """Return it as the sources' argument, after a time at its first rate."""
        if self.is_unlimited:
            return MAXIMUM
        first = (0.0, self.rate_at(0.0))
        points = [first, *((at + warm_up, rate) for at, rate in self.points)]
        return ",".join(f"{at:.12g}:{rate:.12g}" for at, rate in points)

    def _rate_before(self, seconds: float) -> float:
        """Return the rate just before a time: at a step the one before it."""
        at = [rate for time, rate in self.points if time == seconds]
        return at[0] if at else self.rate_at(seconds)


def read_profile(table: Any, folder: Path) -> RateProfile:
    """Return the profile of a `[rate]` table.

    Parameters
    ----------
    table
        One of `constant = 25`, `steps = [[0, 25], [60, 75]]`, `ramp = [[0, 10], [60, 100]]`,
        `trace = "FILE"` (lines of seconds and tuples/s) and `max = true`.
    folder
        Where a trace file is looked for.

    Raises
    ------
    RateProfileError
        Names the key, its value and what is allowed.
    """
    if not isinstance(table, dict) or len(table) != 1 or next(iter(table)) not in KINDS:
        raise RateProfileError(f"rate = {table!r}: allowed is one of {', '.join(KINDS)}")
    ((kind, value),) = table.items()
    match kind:
        case "constant":
            return RateProfile(((0.0, _rate(kind, value)),))
        case "max":
            if value is not True:
                raise RateProfileError(f"rate.max = {value!r}: allowed is true")
            return RateProfile(())
        case "steps":
            points = _points(kind, value)
            # The rate holds until the next point: two points at one time are a step.
            held = [(after[0], before[1]) for before, after in pairwise(points)]
            merged = [points[0]]
            for end, point in zip(held, points[1:], strict=True):
                merged += [end, point]
            return RateProfile(tuple(merged))
        case "ramp":
            return RateProfile(_points(kind, value))
        case _:
            return RateProfile(_points(kind, _trace(value, folder)))


def _trace(value: Any, folder: Path) -> list[list[float]]:
    if not isinstance(value, str):
        raise RateProfileError(f"rate.trace = {value!r}: allowed is the name of a file")
    file = folder / value
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:  # a path may be no path, a text no UTF-8
        raise RateProfileError(f"rate.trace = {value!r}: {file} cannot be read: {error}") from None
    points = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].replace(",", " ").split()
        if not text:
            continue
        try:
            points.append([float(word) for word in text])
        except ValueError:
            raise RateProfileError(
                f"{file}: line {number}: {line!r}; allowed are SECONDS TUPLES_PER_SECOND"
            ) from None
    return points


def _points(kind: str, value: Any) -> tuple[tuple[float, float], ...]:
    allowed = "allowed are points [seconds, tuples/s] in the order of time"
    if not isinstance(value, list) or not value:
        raise RateProfileError(f"rate.{kind} = {value!r}: {allowed}")
    points: list[tuple[float, float]] = []
    for place, point in enumerate(value):
        key = f"rate.{kind}[{place}] = {point!r}"
        if not isinstance(point, list) or len(point) != 2 or not _is_number(point[0]):
            raise RateProfileError(f"{key}: {allowed}")
        at, last = float(point[0]), points[-1][0] if points else 0.0
        if at < last:
            raise RateProfileError(f"{key}: goes back in time; allowed is {last:g} s or later")
        points.append((at, _rate(f"{kind}[{place}]", point[1])))
    return tuple(points)


def _rate(key: str, value: Any) -> float:
    if not _is_number(value) or not 0 <= value <= _MOST:
        raise RateProfileError(f"rate.{key} = {value!r}: allowed are 0 to {_MOST:g} tuples/s")
    return float(value)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value)
