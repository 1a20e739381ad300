"""How far connections are behind their promise, from counters that only grow."""

from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Observed:
    """What a connection delivered in the last window.

    Parameters
    ----------
    elapsed
        Seconds that are looked back on: the window, or less for a young connection.
    delivered
        Bytes in this time.
    """

    elapsed: float
    delivered: float

    @property
    def rate(self) -> float | None:
        """Bytes/s; None while nothing was looked back on."""
        return self.delivered / self.elapsed if self.elapsed else None


class ObservedRates(Generic[Name]):
    """Counters of the last `window` seconds, by connection.

    Paper 004 watches the delivery rate in a time window that the task specifies (section 6.2);
    what was missed before it is not asked for again.

    Parameters
    ----------
    window
        Seconds.
    """

    def __init__(self, window: float) -> None:
        self._window = window
        self._seen: dict[Name, deque[tuple[float, float]]] = {}

    def update(self, totals: Mapping[Name, float], as_of: float) -> None:
        """Take in counters of this time, in seconds; connections that are not in it are forgotten.

        A counter that is lower than before has begun anew, and so does what is looked back on.
        """
        for name in self._seen.keys() - totals.keys():
            del self._seen[name]
        for name, total in totals.items():
            seen = self._seen.setdefault(name, deque())
            if seen and (total < seen[-1][1] or as_of < seen[-1][0]):
                seen.clear()
            if not seen or as_of > seen[-1][0]:
                seen.append((as_of, total))
            while len(seen) > 2 and as_of - seen[1][0] >= self._window:
                seen.popleft()

    def of(self, name: Name) -> Observed:
        """What a connection delivered; nothing for one that has been seen at most once."""
        seen = self._seen.get(name)
        if not seen:
            return Observed(0.0, 0.0)
        (first, least), (last, most) = seen[0], seen[-1]
        return Observed(last - first, most - least)
