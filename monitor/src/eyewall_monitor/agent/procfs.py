"""Processes and threads as Linux shows them in /proc; what ends meanwhile is simply not there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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
        In ticks after boot: with the number it tells apart those who had the same number.
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
        """Processes that a thread started; empty also where the kernel does not tell."""
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
