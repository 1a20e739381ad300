"""Takes a cluster down, and makes sure that nothing is left."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import psutil

from eyewall_deploy.failure import Failure
from eyewall_deploy.host import cgroups
from eyewall_deploy.lifecycle.lease import AT_ONCE
from eyewall_deploy.processes.control import Control, SupervisordGoneError
from eyewall_deploy.run_dir import MARK

if TYPE_CHECKING:
    from eyewall_deploy.progress import CommandProgress
    from eyewall_deploy.run_dir import RunDir

_NEEDED = ("zookeeper", "redis", "router", "forwarder")
"""Programs that Nimbus needs to end in order."""
_ORDERLY_SECONDS = 5.0
_SECONDS = 60.0
_KILL_SECONDS = 10.0
_POLL_SECONDS = 0.1


def down(run: RunDir, progress: CommandProgress) -> bool | Failure:
    """End the cluster of this run dir, whatever its state; return whether there was anything.

    On success nothing of the cluster is left.
    """
    was_running = bool(cluster_processes(run))
    if was_running:
        progress.show("the programs are ending")
        _stop_programs(run)
    end = time.monotonic() + _SECONDS
    signalled = False
    while (keeper := run.keeper()) is not None:
        if not signalled and _is_keeper(keeper):
            os.kill(keeper, AT_ONCE)
            signalled = True
        if time.monotonic() > end:
            break
        time.sleep(_POLL_SECONDS)
    left = _kill_rest(run, progress)
    if left:
        names = ", ".join(f"{process.name()} ({process.pid})" for process in left)
        return Failure(f"processes left after SIGKILL: {names}")
    groups = cgroups.remove_groups(run.group_name, cgroups.own_parents())
    if groups:
        return Failure("control groups left: " + "; ".join(groups))
    run.forget()
    return was_running


def cluster_processes(run: RunDir) -> list[psutil.Process]:
    """Return all processes of a cluster, orphans included: they are known by what they inherit."""
    processes = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == str(run.path) or _is_redis(process, run):
                processes.append(process)
        except (psutil.Error, OSError):
            continue
    return processes


def _is_redis(process: psutil.Process, run: RunDir) -> bool:
    """Recognise Redis, which writes its title over its environment, by its folder."""
    return process.name().startswith("redis") and process.cwd() == str(run.data("redis"))


def _stop_programs(run: RunDir) -> None:
    """Let programs end by themselves, all at once: supervisord's shutdown ends one by one."""
    control = Control(run.socket)
    end = time.monotonic() + _ORDERLY_SECONDS
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


def _kill_rest(run: RunDir, progress: CommandProgress) -> list[psutil.Process]:
    """Kill what no keeper ended, as after a SIGKILL of keeper and guard at once."""
    end = time.monotonic() + _KILL_SECONDS
    while left := cluster_processes(run):
        progress.show(f"killing {len(left)} processes that are left")
        for process in left:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        if time.monotonic() > end:
            return left
        time.sleep(_POLL_SECONDS)
    return []
