"""Faults of an emulated host: something else takes its CPU, or workers crash as they start."""

from __future__ import annotations

import math
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil

from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.host_use import host_workers

if TYPE_CHECKING:
    from collections.abc import Collection


class BusyHost:
    """Processes that use so many cores of a host, given its control groups, until `end`."""

    def __init__(self, folders: Collection[str], cores: float) -> None:
        count = math.ceil(cores)
        groups = [part for folder in folders for part in ("--cgroup", folder)]
        command = [sys.executable, "-m", "eyewall_deploy.host.busy", "--cores", str(cores / count)]
        self._processes = [subprocess.Popen([*command, *groups]) for _ in range(count)]

    def go_on(self) -> Failure | None:
        """Return that one has ended by itself, once."""
        gone = [it for it in self._processes if it.poll() is not None]
        self._processes = [it for it in self._processes if it not in gone]
        return Failure("what kept a host busy has ended by itself") if gone else None

    def end(self) -> None:
        """Give the host its CPU back."""
        for process in self._processes:
            process.kill()
            process.wait()


class CrashingWorkers:
    """A host, given its control groups, on which each worker that starts from now on crashes."""

    def __init__(self, folders: Collection[str]) -> None:
        self._folders = folders
        self._spared = host_workers(folders)

    def go_on(self) -> None:
        """End by SIGKILL what has started since the last call."""
        for worker in host_workers(self._folders) - self._spared:
            with suppress(psutil.NoSuchProcess):
                worker.kill()

    def end(self) -> None:
        """Leave workers alone from now on: nothing is to be undone."""
