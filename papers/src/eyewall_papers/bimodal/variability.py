"""The share of its target that a task delivers over the public network (paper 004, §6.1).

Every 10 ms each stream on the public network gets its allocation times 2^N, with N normal, mean 0
and σ = 1; it lasts for one step and is independent of all others. There are no buffers on the way:
in each step a task delivers what the slowest of its public hops lets through, and never more than
its source sends. So the part of the target that is delivered in a step is

    X = min(1, r_1·2^N_1, …, r_h·2^N_h)

where r_i is what hop i was allocated over its target. With r = 1 the mean of X is 0.81 for one hop
and 0.33 for ten. The paper does not say what becomes of what a slow step held up. With buffers and
catching up nothing would be late in the long run, as the mean of 2^N is 1.27; the paper's tasks run
three times as long over the public network alone, which is what this reading gives.
"""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from math import erf, log, sqrt

import numpy as np
from numpy.random import Generator

STEP = 0.01
"""Seconds for which a draw lasts."""
SIGMA = 1.0
"""Standard deviation of log₂(transient rate / mean rate)."""

_LEAST = -40.0
"""log₂ of a negligible share of the target."""
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(400)

Ratios = tuple[float, ...]
"""What each public hop of a task was allocated, over its target."""
WindowMean = Callable[[Ratios, int, Generator], float]
"""Draws the mean of X over a window of so many steps."""


@lru_cache(maxsize=65_536)
def step_moments(ratios: Ratios) -> tuple[float, float]:
    """Mean and standard deviation of X.

    E X = ∫ P(X > x) dx and E X² = ∫ 2x·P(X > x) dx over [0, 1], where P(X > x) is the product of
    Φ(log₂(r_i / x) / σ) over all hops, by Gauss and Legendre's rule in y = log₂ x.
    """
    if not ratios:
        return 1.0, 0.0
    y = 0.5 * _LEAST * (1.0 - _POINTS)
    above = np.ones_like(y)
    for ratio, hops in Counter(ratios).items():
        deviates = (log(ratio, 2.0) - y) / SIGMA if ratio > 0.0 else np.full_like(y, -np.inf)
        above *= np.array([0.5 * (1.0 + erf(it / sqrt(2.0))) for it in deviates]) ** hops
    measure = -0.5 * _LEAST * _WEIGHTS * log(2.0) * np.exp2(y) * above
    mean = float(measure.sum())
    return mean, sqrt(max(0.0, 2.0 * float((measure * np.exp2(y)).sum()) - mean * mean))


def draw_each_step(ratios: Ratios, steps: int, rng: Generator) -> float:
    """Mean of X over a window, each step drawn by itself."""
    if not ratios or steps == 0:
        return 1.0
    drawn = SIGMA * rng.standard_normal((steps, len(ratios)))
    with np.errstate(divide="ignore"):
        drawn += np.log2(ratios)
    return float(np.exp2(np.minimum(drawn.min(axis=1), 0.0)).mean())


def draw_by_window(ratios: Ratios, steps: int, rng: Generator) -> float:
    """Mean of X over a window in one draw.

    Steps are independent and X lies in [0, 1], so that the mean of a thousand of them is normal
    with the mean of X and its standard deviation over √steps.
    """
    if not ratios or steps == 0:
        return 1.0
    mean, deviation = step_moments(ratios)
    drawn = mean + deviation / sqrt(steps) * rng.standard_normal()
    return min(1.0, max(0.0, drawn))
