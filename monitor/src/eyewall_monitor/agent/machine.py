"""The host's load, and what it has to offer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from eyewall_contracts.sample import MachineSample

from eyewall_monitor.agent.procfs import TICK, CpuMeter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eyewall_monitor.agent.cgroup import ControlGroup
    from eyewall_monitor.agent.procfs import Proc, Stat

_KIB = 1024


class MachineMeter:
    """Reads the machine; counters are given as their increase since the reading before."""

    def __init__(self, proc: Proc, group: ControlGroup) -> None:
        self._proc = proc
        self._group = group
        self._cpu = CpuMeter()
        self._before: tuple[float, float, float | None, float] | None = None
        self._granting: Path | None = None

    def read(self, processes: Mapping[int, Stat], ticks: int) -> MachineSample:
        """Read at `ticks` after boot; increases are 0 at the first reading."""
        use = self._group.use()
        busy, stolen = _machine_cpu(self._proc.text("stat"))
        members = [processes[n] for n in self._group.processes() if n in processes]
        of_members = self._cpu.total(members)
        self._cpu.finish(ticks)
        now = (busy, stolen, use.cpu, use.throttled)
        before = self._before or now
        if use.granting != self._granting:  # another group's counters
            before = (*before[:2], *now[2:])
        self._before, self._granting = now, use.granting
        increase = busy - before[0]
        if use.quota is not None:
            counted = use.cpu is not None and before[2] is not None
            increase = (use.cpu or 0.0) - (before[2] or 0.0) if counted else of_members
        total, free = _memory(self._proc.text("meminfo"))
        if use.memory_limit is not None and use.memory_limit < total:
            total, free = use.memory_limit, max(0, use.memory_limit - (use.memory or 0))
        return MachineSample(
            cpus=len(os.sched_getaffinity(0)),
            quota=use.quota,
            busy=round(max(0.0, increase), 4),
            stolen=round(max(0.0, stolen - before[1]), 4),
            throttled=round(max(0.0, use.throttled - before[3]), 4),
            load=float((self._proc.text("loadavg").split() or ["0"])[0]),
            memory=total,
            memory_free=free,
        )


def _machine_cpu(stat: str) -> tuple[float, float]:
    """CPU-seconds used and stolen since boot, of all CPUs together."""
    for line in stat.splitlines():
        if line.startswith("cpu "):
            user, nice, system, _idle, _waiting, irq, soft_irq, stolen = map(int, line.split()[1:9])
            return (user + nice + system + irq + soft_irq) * TICK, stolen * TICK
    return 0.0, 0.0


def _memory(meminfo: str) -> tuple[int, int]:
    """Bytes there are, and bytes that programs can have."""
    values = dict(line.split(":", 1) for line in meminfo.splitlines() if ":" in line)
    total, free = (int(values.get(k, "0").split()[0]) for k in ("MemTotal", "MemAvailable"))
    return total * _KIB, free * _KIB
