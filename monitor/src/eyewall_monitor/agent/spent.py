"""CPU-seconds since the look before, of processes and threads that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_monitor.agent.procfs import Stat


class Spent:
    """Remembers what each had used; a look ends with `turn`."""

    def __init__(self) -> None:
        self._before: dict[tuple[int, int], float] = {}
        self._now: dict[tuple[int, int], float] = {}
        self._since: int | None = None

    def of(self, stat: Stat) -> float | None:
        """CPU-seconds of one since the look before; None if nothing is known from then."""
        key = (stat.number, stat.started)
        self._now[key] = stat.cpu
        before = self._before.get(key)
        if before is not None:
            return max(0.0, stat.cpu - before)
        young = self._since is not None and stat.started >= self._since
        return stat.cpu if young else None

    def of_all(self, stats: Iterable[Stat]) -> float:
        """CPU-seconds of several together; those of whom nothing is known add nothing."""
        return sum(self.of(stat) or 0.0 for stat in stats)

    def turn(self, ticks: int) -> None:
        """End a look that was made `ticks` after boot; who is gone is forgotten."""
        self._before, self._now, self._since = self._now, {}, ticks
