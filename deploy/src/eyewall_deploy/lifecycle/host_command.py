"""Runs a command on a host of a running cluster."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import psutil

from eyewall_deploy.failure import Failure, name_choices
from eyewall_deploy.lifecycle.programs import entry_command
from eyewall_deploy.wan.addresses import CONTROL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.deployment import Deployment


def host_command(deployment: Deployment, host: str, command: Sequence[str]) -> list[str] | Failure:
    """Return the command line that runs `command` in the host's network, with its share."""
    names = (CONTROL, *deployment.cluster.host_names)
    if host not in names:
        return Failure(f"exec: no host {host}; {name_choices('hosts', names, host)}")
    if deployment.on_loopback:
        return list(command)
    keeper = deployment.run.keeper()
    room = psutil.Process(keeper).children() if keeper else []
    if not room:
        return Failure("exec: the cluster is not running")
    enter = ["nsenter", "--target", str(room[0].pid), "--mount", "--pid"]
    if os.geteuid() != 0:
        enter += ["--user", "--preserve-credentials"]
    return [*enter, "--", *entry_command(deployment, host), *command]


def run(line: Sequence[str]) -> int:
    """Run a command line to its end and return its exit code; pass signals on to it.

    A signal reaches only `nsenter`, which waits for the command and does not pass it on.
    """
    process = subprocess.Popen(line)

    def pass_on(number: int, _frame: object) -> None:
        nsenter = psutil.Process(process.pid)
        for child in nsenter.children(recursive=True) or [nsenter]:
            child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    code = process.wait()
    return code if code >= 0 else 128 - code
