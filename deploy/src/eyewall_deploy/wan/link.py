"""What links do to packets: when each arrives, and which are dropped. No clock, no devices."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import floor
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_Item = TypeVar("_Item")

QUEUE_SECONDS: Final = 0.2
"""A rate queues what it sends in this time, …"""
SMALLEST_QUEUE: Final = 256 * 1024
"""… but no fewer bytes than this: a few of the 64 KB segments that packets come in."""


@dataclass(frozen=True, slots=True)
class VaryingRate:
    """A rate whose log₂-ratio to its mean is normal (paper 004, section 6.1).

    Parameters
    ----------
    mean
        Bytes/s.
    log2_deviation
        σ of log₂(transient rate / mean); 0 is steady. The paper has 1.
    redrawn_every
        Seconds for which a drawn rate holds. The paper has 0.010.
    """

    mean: float
    log2_deviation: float = 0.0
    redrawn_every: float = 0.010

    @property
    def longest_wait(self) -> float:
        """Seconds that a packet may wait; a packet that would wait longer is dropped."""
        return max(QUEUE_SECONDS, SMALLEST_QUEUE / self.mean)


class Shaper:
    """Sends one packet after the other, each at the rates of the moments that it takes.

    A rate is drawn for each stretch of `redrawn_every` in which something is sent, and not before:
    an idle link costs nothing.
    """

    __slots__ = ("_drawn", "_free_at", "_rng", "_stretch", "rate")

    def __init__(self, rate: VaryingRate, rng: Random) -> None:
        self.rate = rate
        self._rng = rng
        self._free_at = 0.0
        self._stretch = -1
        self._drawn = rate.mean

    def accept(self, size: int, now: float) -> float | None:
        """Return when the last byte of a packet is sent; None if the packet is dropped."""
        rate = self.rate
        at = max(now, self._free_at)
        if at - now > rate.longest_wait:
            return None
        if not rate.log2_deviation:
            self._free_at = at + size / rate.mean
            return self._free_at
        left = float(size)
        stretch = floor(at / rate.redrawn_every)
        while True:
            if stretch != self._stretch:
                self._stretch = stretch
                self._drawn = rate.mean * 2.0 ** self._rng.gauss(0.0, rate.log2_deviation)
            end = (stretch + 1) * rate.redrawn_every
            passes = max(0.0, end - at) * self._drawn
            if left <= passes:
                self._free_at = at + left / self._drawn
                return self._free_at
            left -= passes
            at = max(at, end)
            stretch += 1


class Wire:
    """One direction of a link: a bandwidth, then a delay. Packets keep their order.

    The delay of each packet is drawn from a normal distribution that is cut off at 0.
    """

    __slots__ = ("_delay", "_deviation", "_last_due", "_rng", "_shaper")

    def __init__(
        self,
        rng: Random,
        delay: float = 0.0,
        deviation: float = 0.0,
        bandwidth: float | None = None,
    ) -> None:
        self._rng = rng
        self._last_due = 0.0
        self._shaper: Shaper | None = None
        self.change(delay, deviation, bandwidth)

    def change(self, delay: float, deviation: float = 0.0, bandwidth: float | None = None) -> None:
        """Set delay and its deviation in seconds, bandwidth in bytes/s; None is unlimited."""
        self._delay = delay
        self._deviation = deviation
        if bandwidth is None:
            self._shaper = None
        elif self._shaper is None:
            self._shaper = Shaper(VaryingRate(bandwidth), self._rng)
        else:
            self._shaper.rate = VaryingRate(bandwidth)

    def accept(self, size: int, now: float) -> float | None:
        """Return when a packet of this many bytes arrives; None if it is dropped."""
        sent = now if self._shaper is None else self._shaper.accept(size, now)
        if sent is None:
            return None
        delay = self._delay
        if self._deviation:
            delay = max(0.0, self._rng.gauss(delay, self._deviation))
        self._last_due = due = max(self._last_due, sent + delay)
        return due


class DueQueue(Generic[_Item]):
    """Items by the time at which they are due; items due at the same time in their order."""

    __slots__ = ("_heap", "_order")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, _Item]] = []
        self._order = count()

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, due: float, item: _Item) -> None:
        """Add an item that is due at this time."""
        heappush(self._heap, (due, next(self._order), item))

    def next_due(self) -> float | None:
        """Return the time at which the first item is due; None if there is none."""
        return self._heap[0][0] if self._heap else None

    def take_due(self, now: float) -> Iterator[_Item]:
        """Remove and yield what is due at this time or before it, in order."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            yield heappop(heap)[2]
