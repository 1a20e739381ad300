"""The starter's hold on the keeper: unless it lets go, the cluster ends when the starter does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.readiness import last_lines
from eyewall_deploy.processes.control import Control
from eyewall_deploy.run_dir import MARK

if TYPE_CHECKING:
    from eyewall_deploy.run_dir import RunDir

DETACH = b"detach\n"
"""Signals the keeper that the cluster may outlive its starter."""

AT_ONCE = signal.SIGUSR1
"""Signal by which the keeper ends everything without letting programs end by themselves."""

_END_SECONDS = 60.0
_POLL_SECONDS = 0.1
_LOG_LINES = 12


class Lease:
    """A keeper that has just been started."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        with run.keeper_log.open("wb") as log:
            self._keeper = subprocess.Popen(
                [sys.executable, "-m", "eyewall_deploy.keeper", str(run.path)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {MARK: str(run.path)},
            )

    def wait_for_supervisord(self) -> Control | Failure:
        """Return when programs can be started."""
        control = Control(self._run.socket)
        while self._keeper.poll() is None:
            if control.answers():
                return control
            time.sleep(_POLL_SECONDS)
        lines = last_lines(self._run.keeper_log, _LOG_LINES)
        lines += last_lines(self._run.logs() / "supervisord.log", _LOG_LINES)
        return Failure("\n  ".join(["the keeper could not start:", *lines]))

    def detach(self) -> None:
        """Let the cluster live on without this process."""
        stdin = self._keeper.stdin
        if stdin is not None:
            stdin.write(DETACH)
            stdin.close()
        self._keeper.returncode = 0  # on purpose, nothing waits for it any more

    def wait(self) -> int:
        """Wait for the cluster's end."""
        return self._keeper.wait()

    def end(self) -> None:
        """Break the lease and wait until everything is gone."""
        if self._keeper.stdin is not None:
            self._keeper.stdin.close()
        self._keeper.wait(_END_SECONDS)
