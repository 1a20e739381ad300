"""Processes and threads as Linux shows them in /proc; what ends meanwhile is simply not there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

TICK: Final = 1.0 / os.sysconf("SC_CLK_TCK")
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Stat:
    """A process or a thread.

    Parameters
    ----------
    name
        Its first 15 bytes.
    cpu
        CPU-seconds since its start.
    started
        In ticks after boot. Numbers are reused; number and start together are unique.
    """

    number: int
    name: str
    parent: int
    cpu: float
    started: int
    memory: int


class Proc:
    """One /proc."""

    def __init__(self, root: Path = Path("/proc")) -> None:
        self._root = root

    def processes(self) -> dict[int, Stat]:
        """All processes by number."""
        found = (self.process(int(name)) for name in _names(self._root) if name.isdigit())
        return {stat.number: stat for stat in found if stat is not None}

    def process(self, number: int) -> Stat | None:
        """One process."""
        return _stat(self._root / str(number))

    def threads(self, number: int) -> list[Stat]:
        """Threads of a process, in the order of their start."""
        folder = self._root / str(number) / "task"
        found = [_stat(folder / name) for name in _names(folder)]
        return sorted((stat for stat in found if stat is not None), key=lambda s: s.number)

    def children(self, process: int, thread: int) -> list[int]:
        """Processes that a thread started; empty also if the kernel does not report them."""
        text = self.text(f"{process}/task/{thread}/children")
        return [int(number) for number in text.split()]

    def command(self, number: int) -> list[str]:
        """Command line of a process."""
        return self.text(f"{number}/cmdline").split("\0")[:-1]

    def network(self, number: int) -> str | None:
        """Name of the network a process is in; None if that may not be known."""
        try:
            return str((self._root / str(number) / "ns" / "net").readlink())
        except OSError:
            return None

    def uptime(self) -> float:
        """Seconds since boot."""
        return float(self.text("uptime").split()[0])

    def text(self, name: str) -> str:
        """Text of a file; empty if there is none, or it may not be read."""
        try:
            return (self._root / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


class CpuMeter:
    """CPU-seconds of processes or threads since the reading before; `finish` ends a reading."""

    def __init__(self) -> None:
        self._before: dict[tuple[int, int], float] = {}
        self._now: dict[tuple[int, int], float] = {}
        self._since: int | None = None

    def usage(self, stat: Stat) -> float | None:
        """Return the CPU-seconds of one since the reading before; None if it is unknown."""
        key = (stat.number, stat.started)
        self._now[key] = stat.cpu
        before = self._before.get(key)
        if before is not None:
            return max(0.0, stat.cpu - before)
        young = self._since is not None and stat.started >= self._since
        return stat.cpu if young else None

    def total(self, stats: Iterable[Stat]) -> float:
        """Return the CPU-seconds of several together, the unknown left out."""
        return sum(self.usage(stat) or 0.0 for stat in stats)

    def finish(self, ticks: int) -> None:
        """End a reading made `ticks` after boot; forget what has ended."""
        self._before, self._now, self._since = self._now, {}, ticks


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are all that is needed
    except OSError:
        return []


def _stat(folder: Path) -> Stat | None:
    try:
        text = (folder / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name is in parentheses and may hold any character, parentheses and blanks included.
    start, _, rest = text.rpartition(")")
    number, _, name = start.partition(" (")
    fields = rest.split()
    return Stat(
        number=int(number),
        name=name,
        parent=int(fields[1]),
        cpu=(int(fields[11]) + int(fields[12])) * TICK,
        started=int(fields[19]),
        memory=int(fields[21]) * PAGE,
    )
