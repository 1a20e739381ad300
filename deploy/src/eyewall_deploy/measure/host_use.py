"""What an emulated host uses of this machine: CPU, memory, and how many workers it runs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_WORKER, _LOG_WRITER = "org.apache.storm.daemon.worker.Worker", "org.apache.storm.LogWriter"
"""Main classes; the command of a log writer has that of its worker, too."""


@dataclass(frozen=True, slots=True)
class HostUse:
    """What the processes of a host use.

    Parameters
    ----------
    cpu
        CPU-seconds since the last reading; None at the first.
    memory
        Resident bytes; pages that processes share count for each.
    workers
        How many of Storm's workers run, also those that are about to end.
    """

    cpu: float | None
    memory: int
    workers: int


class HostMeter:
    """Reads what hosts use, from the processes of their control groups.

    A process that ended since the last reading takes its last moments with it.
    """

    def __init__(self, folders: Mapping[str, Iterable[str]]) -> None:
        self._folders = {host: tuple(own)[:1] for host, own in folders.items() if tuple(own)}
        self._last: dict[str, dict[int, float]] = {}

    def read(self) -> dict[str, HostUse]:
        """Return what each host uses that has a control group."""
        return {host: self._read(host, folders) for host, folders in self._folders.items()}

    def _read(self, host: str, folders: Iterable[str]) -> HostUse:
        before, now = self._last.get(host), {}
        memory = workers = 0
        for process in _processes(folders):
            with suppress(psutil.NoSuchProcess), process.oneshot():
                times = process.cpu_times()
                now[process.pid] = times.user + times.system
                memory += process.memory_info().rss
                workers += is_worker(process)
        self._last[host] = now
        cpu = None
        if before is not None:
            cpu = sum(max(0.0, at - before.get(pid, 0.0)) for pid, at in now.items())
        return HostUse(cpu, memory, workers)


def host_workers(folders: Iterable[str]) -> set[psutil.Process]:
    """Return the processes of a host's workers, given its control groups."""
    found = set()
    for process in _processes(folders):
        with suppress(psutil.NoSuchProcess):
            if is_worker(process):
                found.add(process)
    return found


def is_worker(process: psutil.Process) -> bool:
    """Return whether a process is one of Storm's workers; psutil.NoSuchProcess if it has ended."""
    command = process.cmdline()
    return _WORKER in command and _LOG_WRITER not in command


def _processes(folders: Iterable[str]) -> Iterator[psutil.Process]:
    for folder in folders:
        try:
            pids = Path(folder, "cgroup.procs").read_text(encoding="ascii").split()
        except OSError:
            continue
        for pid in pids:
            with suppress(psutil.NoSuchProcess):
                yield psutil.Process(int(pid))
