"""What this machine's CPU did: for each emulated host, for all, and for other guests (steal)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TICKS = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 11, 12
"""Places in /proc/PID/stat, counted from the field after the command's name."""
_IDLE = (3, 4)
_STEAL = 7
_TIMES = 8
"""Fields of /proc/stat that add up to all time; those of guests are in the user's, too."""


@dataclass(frozen=True, slots=True)
class MachineTime:
    """CPU time of all cores since boot, in seconds."""

    total: float
    idle: float
    stolen: float


def parse_machine_time(stat: str) -> MachineTime:
    """Read the first line of /proc/stat."""
    times = [int(field) / _TICKS for field in stat.split("\n", 1)[0].split()[1 : 1 + _TIMES]]
    return MachineTime(sum(times), sum(times[place] for place in _IDLE), times[_STEAL])


def read_machine_time() -> MachineTime:
    """Return the machine's CPU time until now."""
    return parse_machine_time(Path("/proc/stat").read_text(encoding="ascii"))


def stolen_share(before: MachineTime, after: MachineTime) -> float:
    """Return the share of the machine's time that other guests had, 0 to 1."""
    total = after.total - before.total
    return (after.stolen - before.stolen) / total if total > 0 else 0.0


def busy_cores(before: MachineTime, after: MachineTime, cores: int) -> float:
    """Return how many of the machine's cores were busy with anything of this machine."""
    total = after.total - before.total
    idle = after.idle - before.idle + after.stolen - before.stolen
    return cores * (1 - idle / total) if total > 0 else 0.0


class HostCpu:
    """CPU that hosts use, from the processes of their control groups.

    A process that ended since the last reading takes its last moments with it.
    """

    def __init__(self, folders: Mapping[str, Iterable[str]]) -> None:
        self._folders = {host: next(iter(own), None) for host, own in folders.items()}
        self._last: dict[str, dict[str, float]] = {}

    def read(self) -> dict[str, float]:
        """Return CPU-seconds of each host since the last reading; empty at the first."""
        used = {}
        for host, folder in self._folders.items():
            if folder is None:
                continue
            now = _process_times(Path(folder, "cgroup.procs"))
            before = self._last.get(host)
            if before is not None:
                used[host] = sum(max(0.0, at - before.get(pid, 0.0)) for pid, at in now.items())
            self._last[host] = now
        return used


def _process_times(file: Path) -> dict[str, float]:
    try:
        pids = file.read_text(encoding="ascii").split()
    except OSError:
        return {}
    times = {}
    for pid in pids:
        try:
            stat = Path("/proc", pid, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:  # it has ended
            continue
        fields = stat.rpartition(")")[2].split()
        times[pid] = (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS
    return times
