"""Takes a cluster down, and looks whether anything is left."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from eyewall_deploy.failure import Failure
from eyewall_deploy.host import cgroups
from eyewall_deploy.lifecycle.lease import AT_ONCE
from eyewall_deploy.lifecycle.shares import group_name
from eyewall_deploy.processes.control import Control, SupervisordGoneError
from eyewall_deploy.run_dir import MARK

if TYPE_CHECKING:
    from eyewall_deploy.lifecycle.steps import Steps
    from eyewall_deploy.run_dir import RunDir

_NEEDED = ("zookeeper", "redis", "router", "forwarder")
"""Programs without which Nimbus cannot end calmly."""
_CALM_SECONDS = 5.0
_SECONDS = 60.0
_KILL_SECONDS = 10.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Down:
    """Nothing of the cluster is left.

    Parameters
    ----------
    ran
        Whether there was anything to end.
    """

    ran: bool


def down(run: RunDir, steps: Steps) -> Down | Failure:
    """End the cluster of this run dir, whatever state it is in; twice does no harm."""
    ran = bool(processes_of(run))
    if ran:
        steps.doing("the programs are ending")
        _stop_programs(run)
    end = time.monotonic() + _SECONDS
    asked = False
    while (keeper := run.keeper()) is not None:
        if not asked and _is_keeper(keeper):
            os.kill(keeper, AT_ONCE)
            asked = True
        if time.monotonic() > end:
            break
        time.sleep(_POLL_SECONDS)
    left = _kill_rest(run, steps)
    if left:
        names = ", ".join(f"{process.name()} ({process.pid})" for process in left)
        return Failure(f"still there after SIGKILL: {names}")
    stuck = cgroups.remove(group_name(run))
    if stuck:
        return Failure("control groups left: " + "; ".join(stuck))
    run.forget()
    return Down(ran)


def processes_of(run: RunDir) -> list[psutil.Process]:
    """All processes of a cluster, found by what they inherited: orphans cannot hide."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == str(run.path) or _is_redis(process, run):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def _is_redis(process: psutil.Process, run: RunDir) -> bool:
    """Redis writes its title over its environment; it works in a folder of its own."""
    return process.name().startswith("redis") and process.cwd() == str(run.data("redis"))


def _stop_programs(run: RunDir) -> None:
    """Let programs end by themselves, all at a time: supervisord's own shutdown takes turns."""
    control = Control(run.socket)
    end = time.monotonic() + _CALM_SECONDS
    try:
        control.stop_all_but(_NEEDED)
        while time.monotonic() < end and any(
            program.pid for program in control.states() if program.name not in _NEEDED
        ):
            time.sleep(_POLL_SECONDS)
    except SupervisordGoneError:
        return


def _is_keeper(pid: int) -> bool:
    try:
        return "eyewall_deploy.keeper" in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def _kill_rest(run: RunDir, steps: Steps) -> list[psutil.Process]:
    """Kill what no keeper ended, as after a SIGKILL of keeper and guard at once."""
    end = time.monotonic() + _KILL_SECONDS
    while left := processes_of(run):
        steps.doing(f"killing {len(left)} processes that were left")
        for process in left:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        if time.monotonic() > end:
            return left
        time.sleep(_POLL_SECONDS)
    return []
