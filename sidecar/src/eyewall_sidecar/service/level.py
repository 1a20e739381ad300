"""Measurements of a quantity: the level that it is at, and whether it changes beyond noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, inf, sqrt
from statistics import fmean

DEVIATIONS = 2.0
"""Of the difference between two means, within which they are the same."""
ALIKE = 0.05
"""Part of a mean by which two may differ however little noise there is."""


@dataclass(frozen=True, slots=True)
class Level:
    """A quantity at rest: its mean, and the standard deviation of that mean."""

    mean: float
    deviation: float

    def is_below(self, other: "Level") -> bool:
        """Whether this is less than the other beyond noise."""
        return other.mean - self.mean > _tolerance(self, other)


def level_of(values: Sequence[float], noise: float = 0.0) -> Level | None:
    """Return a mean and its deviation, by the differences of neighbours, which no trend is in.

    `noise` is the standard deviation of a single value at least. None without values.
    """
    if not values:
        return None
    steps = [(after - before) ** 2 / 2 for before, after in pairwise(values)]
    deviation = max(noise, sqrt(fmean(steps)) if steps else 0.0)
    return Level(fmean(values), deviation / sqrt(len(values)))


def relative_change(values: Sequence[float], noise: float = 0.0) -> float:
    """Return by which part the second half's mean exceeds the first's; 0 if noise explains it."""
    half = len(values) // 2
    one, other = level_of(values[:half], noise), level_of(values[half:], noise)
    if one is None or other is None or abs(one.mean - other.mean) <= _tolerance(one, other):
        return 0.0
    return other.mean / one.mean - 1.0 if one.mean > 0 else inf


def _tolerance(one: Level, other: Level) -> float:
    noise = DEVIATIONS * hypot(one.deviation, other.deviation)
    return max(noise, ALIKE * max(one.mean, other.mean))
