r"""Where a quantity is now, from a window of its samples: robust Holt smoothing with change points.

Holt's level and trend follow what is within the tolerance of the forecast. A sample outside of it
is either a spike or the first of a step, which the next sample decides: alone it moves the level by
no more than the tolerance, and by less than a third of itself; a second one on the same side takes
the level there at once. The tolerance comes from the window itself: the median of the successive
differences, which neither a spike nor a step moves, and the step of Storm's sampled counters.
"""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from eyewall_contracts.rates import Estimate
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

TOLERANCE: Final = 3.0
"""Standard deviations."""
LEAST_GAIN: Final = 0.15
"""Holt's α once there are many samples; before that the level is the mean of those there are."""
MOST_GAIN: Final = 0.3
"""Of one sample, less than a third; but for the second sample of all."""
TREND_GAIN: Final = 0.2
"""Holt's β."""
ALIKE: Final = 0.15
"""Part of a step that its first sample must show at least: it may have begun in its midst."""
NORMAL: Final = 1.4826
"""Median absolute deviation to standard deviation."""
QUARTILE: Final = 1.1503
"""Upper quartile of absolute deviations, in standard deviations."""
MANY: Final = 8
"""Differences of which a quarter is more than the two that a spike makes, or the one of a step."""
SAMPLING: Final = math.sqrt(1 / 6)
"""Standard deviation of a count, in steps of Storm's counters: the difference of two totals, each
of which lags behind by anything from 0 to 1 step."""
ENOUGH: Final = 3
"""Samples below which confidence is reduced in proportion."""
SMALL: Final = 1.0
"""An error of this size, in the quantity's unit, halves the confidence in a value of zero."""


class NoisyReading(NamedTuple):
    """One sample: a value that held over some seconds."""

    until: float
    seconds: float
    value: float
    noise: float
    """Standard deviation that comes from counting in steps."""


def estimate(readings: Sequence[NoisyReading], small: float = SMALL) -> Estimate | None:
    """Estimate from the samples of a window in any order; None: there is none."""
    ordered = sorted(readings)
    if not ordered:
        return None
    values = [it.value for it in ordered]
    seconds = sum(it.seconds for it in ordered)
    mean = sum(it.value * it.seconds for it in ordered) / seconds
    variance = sum((it.value - mean) ** 2 * it.seconds for it in ordered) / seconds
    scale = _scale(values)
    found = _follow(ordered, scale)
    error = _error(ordered[-found.calm :], scale)
    value = max(0.0, found.level)
    return Estimate(
        value=value,
        error=error,
        mean=mean,
        spread=math.sqrt(variance),
        p95=percentile(values, 0.95),
        trend=found.trend,
        samples=len(ordered),
        until=ordered[-1].until,
        confidence=_confidence(value, error, len(ordered), small),
    )


def is_settled(readings: Sequence[NoisyReading]) -> bool:
    """Whether neither a step nor a spike was in the last few samples."""
    ordered = sorted(readings)
    found = _follow(ordered, _scale([it.value for it in ordered]))
    return found.surprise is None and found.calm >= min(ENOUGH, len(ordered))


def sum_estimates(whole: Estimate, parts: Sequence[Estimate], small: float = SMALL) -> Estimate:
    """Return a sum's estimate with the value that its parts' own estimates add up to.

    Each part knows a step with its own second sample; the sum, made over times that are nobody's
    own, has it smeared over two or three.
    """
    value = sum(it.value for it in parts)
    error = max(whole.error, math.hypot(*(it.error for it in parts)))
    return replace(
        whole,
        value=value,
        error=error,
        trend=sum(it.trend for it in parts),
        confidence=_confidence(value, error, whole.samples, small),
    )


def percentile(values: Sequence[float], part: float) -> float:
    """Return the quantile, interpolated between the two nearest values."""
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _confidence(value: float, error: float, samples: int, small: float) -> float:
    return (value + small) / (value + small + error) * min(1.0, samples / ENOUGH)


class _Followed(NamedTuple):
    """Where the last sample leaves the quantity."""

    level: float
    trend: float
    calm: int
    """Samples that the level rests on."""
    surprise: float | None
    """By how much the last sample is off the forecast, if it is a spike or the first of a step."""


def _follow(ordered: Sequence[NoisyReading], scale: float) -> _Followed:
    level, trend, calm = ordered[0].value, 0.0, 1
    surprise: float | None = None
    for before, it in pairwise(ordered):
        passed = max(it.until - before.until, it.seconds)
        forecast = level + trend * passed
        error = it.value - forecast
        tolerance = TOLERANCE * math.hypot(scale, it.noise)
        if abs(error) <= tolerance:
            calm += 1
            surprise = None
        elif surprise is not None and surprise * error > 0 and abs(surprise) >= ALIKE * abs(error):
            level, trend, calm, surprise = it.value, 0.0, 1, None
            continue
        else:
            surprise, error = error, math.copysign(tolerance, error)
        gain = min(MOST_GAIN, max(LEAST_GAIN, 1 / (calm + 1)))
        level = forecast + gain * error
        trend += gain * TREND_GAIN * error / passed
    return _Followed(level, trend, calm, surprise)


def _scale(values: Sequence[float]) -> float:
    """Standard deviation of the noise, whatever steps and spikes are in it."""
    if len(values) < 3:
        return 0.0
    changes = [abs(after - before) for before, after in pairwise(values)]
    middle = median(changes)
    if middle == 0 and len(changes) >= MANY:
        # Slow streams are counted in a few steps, and most of their samples are alike.
        return percentile(changes, 0.75) / (QUARTILE * math.sqrt(2))
    return NORMAL * middle / math.sqrt(2)


def _error(calm: Sequence[NoisyReading], scale: float) -> float:
    """Half of the 95 % interval of a level that rests on these samples.

    The steps of successive counts cancel but for the first and the last: their part falls with the
    number of samples, the noise's with its root.
    """
    several = min(len(calm), round(2 / LEAST_GAIN - 1))
    counting = max(it.noise for it in calm[-several:]) / several
    return 1.96 * math.hypot(scale / math.sqrt(several), counting)
