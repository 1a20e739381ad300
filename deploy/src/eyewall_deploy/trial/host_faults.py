"""Faults of an emulated host: its CPU is taken, workers crash as they start, or all of it fails."""

from __future__ import annotations

import math
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import psutil

from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.changes import fail_host, return_host
from eyewall_deploy.measure.host_use import host_workers

if TYPE_CHECKING:
    from collections.abc import Collection

    from eyewall_deploy.deployment import Deployment


class HostFault(Protocol):
    """What is wrong with a host until `end`; `go_on` is called again and again."""

    def go_on(self) -> Failure | None:
        """Do what has to be done all the time."""

    def end(self) -> Failure | None:
        """Have the host as it was."""


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


class FailedHost:
    """A host, given its control groups, of which nothing runs until `end`."""

    def __init__(self, deployment: Deployment, host: str, folders: Collection[str]) -> None:
        self._deployment, self._host = deployment, host
        self._workers = CrashingWorkers(folders, spared=set())
        self._failure = fail_host(deployment, host)
        self._workers.go_on()

    def go_on(self) -> Failure | None:
        """End workers that a supervisor was about to start; return what failed, once."""
        self._workers.go_on()
        failure, self._failure = self._failure, None
        return failure

    def end(self) -> Failure | None:
        """Have its supervisor and its agents start again."""
        return return_host(self._deployment, self._host)


class CrashingWorkers:
    """A host, given its control groups, on which each worker that starts from now on crashes.

    Parameters
    ----------
    spared
        Workers that do not; None: those that run.
    """

    def __init__(
        self, folders: Collection[str], spared: Collection[psutil.Process] | None = None
    ) -> None:
        self._folders = folders
        self._spared = frozenset(host_workers(folders) if spared is None else spared)

    def go_on(self) -> None:
        """End by SIGKILL what has started since the last call."""
        for worker in host_workers(self._folders) - self._spared:
            with suppress(psutil.NoSuchProcess):
                worker.kill()

    def end(self) -> None:
        """Leave workers alone from now on: nothing is to be undone."""
