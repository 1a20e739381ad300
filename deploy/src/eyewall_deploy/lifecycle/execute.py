"""Running a command on a host of a running cluster."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import psutil

from eyewall_deploy.choices import choices
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.programs import entry_command
from eyewall_deploy.state import Mode
from eyewall_deploy.wan.addresses import CONTROL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.lifecycle.programs import Plan


def command_on_host(plan: Plan, host: str, command: Sequence[str]) -> list[str] | Failure:
    """Make the command line that runs `command` on the host, in its network and its share."""
    names = [CONTROL, *(known.name for known in plan.cluster.hosts)]
    if host not in names:
        return Failure(f"exec: no host {host}; {choices('hosts', names, host)}")
    if plan.state.mode is Mode.LOOPBACK:
        return list(command)
    keeper = plan.run.keeper()
    room = psutil.Process(keeper).children() if keeper else []
    if not room:
        return Failure("exec: the cluster is not running")
    into = ["nsenter", "--target", str(room[0].pid), "--mount", "--pid"]
    if os.geteuid() != 0:
        into += ["--user", "--preserve-credentials"]
    return [*into, "--", *entry_command(host, plan.groups.get(host, ())), *command]


def run(line: Sequence[str]) -> int:
    """Run it to its end and return its exit code; what would end us ends it.

    A signal reaches only `nsenter`, which waits for the command and does not pass it on.
    """
    process = subprocess.Popen(line)

    def pass_on(number: int, _frame: object) -> None:
        nsenter = psutil.Process(process.pid)
        for one in nsenter.children(recursive=True) or [nsenter]:
            one.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    code = process.wait()
    return code if code >= 0 else 128 - code
