"""What a host's up- or downlink does to packets of the public network. No clock, no devices."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

from eyewall_deploy.wan.link import QUEUE_SECONDS, SMALLEST_QUEUE

if TYPE_CHECKING:
    from random import Random


@dataclass(frozen=True, slots=True)
class VaryingRate:
    """A rate whose log₂-ratio to its mean is normal (paper 004, section 6.1).

    Parameters
    ----------
    mean
        Bytes/s that the deviation goes around.
    log2_deviation
        σ of log₂(transient rate / mean); 0 is steady. The paper has 1.
    redrawn_every
        Seconds for which a drawn rate holds. The paper has 0.010.
    """

    mean: float
    log2_deviation: float
    redrawn_every: float

    @property
    def longest_wait(self) -> float:
        """Seconds that a packet may wait at most; one that would have to wait longer is dropped."""
        return max(QUEUE_SECONDS, SMALLEST_QUEUE / self.mean)


class Shaper:
    """An up- or downlink at work: one packet after the other, each at the rates of its moments.

    A rate is drawn for each stretch of `redrawn_every` in which something is sent, and not before:
    an idle link costs nothing.
    """

    __slots__ = ("_drawn", "_rng", "_sent_at", "_stretch", "rate")

    def __init__(self, rate: VaryingRate, rng: Random) -> None:
        self.rate = rate
        self._rng = rng
        self._sent_at = 0.0
        self._stretch = -1
        self._drawn = rate.mean

    def accept(self, size: int, now: float) -> float | None:
        """Say when the last byte of a packet is through; None if the packet is dropped."""
        rate = self.rate
        at = max(now, self._sent_at)
        if at - now > rate.longest_wait:
            return None
        if not rate.log2_deviation:
            self._sent_at = at + size / rate.mean
            return self._sent_at
        left = float(size)
        stretch = floor(at / rate.redrawn_every)
        while True:
            if stretch != self._stretch:
                self._stretch = stretch
                self._drawn = rate.mean * 2.0 ** self._rng.gauss(0.0, rate.log2_deviation)
            end = (stretch + 1) * rate.redrawn_every
            passes = max(0.0, end - at) * self._drawn
            if left <= passes:
                self._sent_at = at + left / self._drawn
                return self._sent_at
            left -= passes
            at = max(at, end)
            stretch += 1
