"""Commands of ours, run in this process: a new one takes a second of CPU to load what it needs."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from typer.testing import CliRunner

if TYPE_CHECKING:
    from typer import Typer


def run_here(app: Typer, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a shell would; what goes wrong in our code fails the test."""
    done = CliRunner().invoke(app, arguments)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)
