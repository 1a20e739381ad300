"""The delays between all hosts as matrices: `latency.delay_between` for every pair at once.

Needs numpy, which an agent does not install. In every matrix [i][j] is about host i and host j, and
NaN is unknown, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eyewall_contracts.latency import EXPIRY_SECONDS, FRESH_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_contracts.latency import HostCoordinate

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class RttMatrices:
    """What each host's probes to each other one measured: [i][j] is what host i measured to j.

    Parameters
    ----------
    seconds
        Smoothed round-trip times.
    spread
        Median distance of the last samples from their median, in seconds.
    at
        Redis's time at the last sample.
    """

    seconds: Matrix
    spread: Matrix
    at: Matrix

    @classmethod
    def empty(cls, count: int) -> RttMatrices:
        """Return matrices in which nothing was measured."""
        return cls(*(np.full((count, count), np.nan) for _ in range(3)))


@dataclass(frozen=True, slots=True, eq=False)
class DelayMatrices:
    """The delays between hosts, one way and the same in both directions.

    Parameters
    ----------
    seconds
        Half a round-trip time; 0 on the diagonal.
    confidence
        0 (unknown) to 1; 1 on the diagonal.
    age
        Seconds since the source of a delay was measured or written; 0 on the diagonal.
    spread
        Seconds that a delay may be off without any change.
    measured
        Where the pair was probed lately; elsewhere coordinates estimate the delay.
    """

    seconds: Matrix
    confidence: Matrix
    age: Matrix
    spread: Matrix
    measured: Mask


def estimate_delays(
    coordinates: Sequence[HostCoordinate | None], rtts: RttMatrices, now: float
) -> DelayMatrices:
    """Return the delays between hosts: measured where that is fresh, else estimated.

    Parameters
    ----------
    coordinates
        Of each host; None where it has none.
    rtts
        What the hosts measured, in the same order.
    now
        Redis's time.
    """
    latest = _latest(rtts)
    age = np.maximum(0.0, now - latest.at)
    measured = age <= FRESH_SECONDS  # false for NaN
    scatter = np.where(latest.spread > 0, latest.spread, 0.0)
    with np.errstate(invalid="ignore"):
        steady = np.where(scatter > 0, latest.seconds / (latest.seconds + scatter), 1.0)
    confidence = steady * (1.0 - 0.5 * age / FRESH_SECONDS)
    estimated = _estimate(coordinates, now)
    matrices = DelayMatrices(
        seconds=np.where(measured, latest.seconds / 2, estimated.seconds),
        confidence=np.where(measured, confidence, estimated.confidence),
        age=np.where(measured, age, estimated.age),
        spread=np.where(measured, latest.spread / 2, estimated.spread),
        measured=measured,
    )
    for matrix, itself in (
        (matrices.seconds, 0.0),
        (matrices.confidence, 1.0),
        (matrices.age, 0.0),
        (matrices.spread, 0.0),
    ):
        np.fill_diagonal(matrix, itself)
    return matrices


def _latest(rtts: RttMatrices) -> RttMatrices:
    """Of both ends' probes to each other return the later ones, the same in both directions."""
    own, other = rtts.at, rtts.at.T
    upper = np.triu(np.ones(own.shape, dtype=bool))
    # Of two equally late ones either would do, but it must be the same for both directions.
    take = np.where(upper, own >= other, own > other) | np.isnan(other)
    return RttMatrices(*(np.where(take, it, it.T) for it in (rtts.seconds, rtts.spread, rtts.at)))


def _estimate(coordinates: Sequence[HostCoordinate | None], now: float) -> DelayMatrices:
    """Return the delays as coordinates say."""
    count = len(coordinates)
    dimensions = np.array([0 if it is None else len(it.position) for it in coordinates], dtype=int)
    positions = np.zeros((count, dimensions.max(initial=0)))
    height, error, at = np.full((3, count), np.nan)
    for row, it in enumerate(coordinates):
        if it is not None:
            positions[row, : len(it.position)] = it.position
            height[row], error[row], at[row] = it.height, it.error, it.at
    age = np.maximum(0.0, now - np.minimum(at[:, None], at[None, :]))
    known = (age <= EXPIRY_SECONDS) & (dimensions[:, None] == dimensions[None, :])
    squares = np.zeros((count, count))
    for axis in positions.T:
        squares += (axis[:, None] - axis[None, :]) ** 2
    seconds = (np.sqrt(squares) + height[:, None] + height[None, :]) / 2
    doubt = np.minimum(1.0, error[:, None] + error[None, :])
    confidence = (1.0 - doubt) * (1.0 - 0.5 * age / EXPIRY_SECONDS)
    return DelayMatrices(
        seconds=np.where(known, seconds, np.nan),
        confidence=np.where(known, confidence, 0.0),
        age=np.where(known, age, np.nan),
        spread=np.where(known, seconds * doubt, np.nan),
        measured=np.zeros((count, count), dtype=bool),
    )
