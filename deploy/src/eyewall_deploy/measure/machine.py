"""What this machine's CPU did: for all of it, and for other guests (steal)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_IDLE = (3, 4)
_STEAL = 7
_TIMES = 8
"""Fields of /proc/stat that add up to all time; those of guests are in the user's, too."""


MOST_STOLEN = 0.1
"""Share of the machine that other guests may have while something is measured; beyond it that is
measured again."""


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
