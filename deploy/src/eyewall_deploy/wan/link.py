"""What a link does to packets: when each arrives, and which are dropped. No clock, no devices."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_Item = TypeVar("_Item")

QUEUE_SECONDS: Final = 0.2
"""A link with a bandwidth queues what it sends in this time, …"""
SMALLEST_QUEUE: Final = 256 * 1024
"""… but no fewer bytes than this: a few of the 64 KB segments that packets come in."""


@dataclass(frozen=True, slots=True)
class Link:
    """One direction between two hosts."""

    delay: float = 0.0
    """Seconds."""
    deviation: float = 0.0
    """Standard deviation of the delay, seconds."""
    bandwidth: float | None = None
    """Bytes/s; None is unlimited."""

    @property
    def queue(self) -> float:
        """Bytes that may wait to be sent; a packet that finds more waiting is dropped."""
        return max(SMALLEST_QUEUE, QUEUE_SECONDS * (self.bandwidth or 0.0))


class Wire:
    """A link at work. Packets leave in the order in which they came, whatever the deviation.

    The delay of each packet is drawn from a normal distribution cut off at 0. A bandwidth is
    kept by a clock of its own, which says when the last byte accepted so far will be sent.
    """

    __slots__ = ("_last_due", "_rng", "_sent_at", "link")

    def __init__(self, link: Link, rng: Random) -> None:
        self.link = link
        self._rng = rng
        self._last_due = 0.0
        self._sent_at = 0.0

    def accept(self, size: int, now: float) -> float | None:
        """Say when a packet of this many bytes arrives at the other end; None if it is dropped."""
        link = self.link
        sent = now
        if link.bandwidth is not None:
            begins = max(now, self._sent_at)
            if (begins - now) * link.bandwidth > link.queue:
                return None
            sent = self._sent_at = begins + size / link.bandwidth
        delay = link.delay
        if link.deviation:
            delay = max(0.0, self._rng.gauss(delay, link.deviation))
        self._last_due = due = max(self._last_due, sent + delay)
        return due


class DueQueue(Generic[_Item]):
    """What is under way, by the time it is due; what is due at the same time, in its order."""

    __slots__ = ("_heap", "_order")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, _Item]] = []
        self._order = count()

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, due: float, item: _Item) -> None:
        """Add an item that leaves at this time."""
        heappush(self._heap, (due, next(self._order), item))

    def next_due(self) -> float | None:
        """Time at which the first item is due; None if there is none."""
        return self._heap[0][0] if self._heap else None

    def take_due(self, now: float) -> Iterator[_Item]:
        """Take out what is due at this time or before it, in order."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            yield heappop(heap)[2]
