"""A real supervisord, with programs that tests give it."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eyewall_deploy.processes.control import Control
from eyewall_deploy.processes.supervisord import Program, configuration
from eyewall_deploy.run_dir import RunDir

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@contextmanager
def running_supervisord(
    folder: Path, programs: Sequence[Program]
) -> Iterator[tuple[subprocess.Popen[bytes], Control]]:
    """Yield a supervisord that runs all of the programs, and how to command it.

    Its end, and that of what it runs, is by SIGKILL.
    """
    run = RunDir(folder)
    run.logs().mkdir(exist_ok=True)
    run.supervisord.write_text(configuration(programs, run))
    command = [sys.executable, "-m", "supervisor.supervisord", "-c", str(run.supervisord)]
    process = subprocess.Popen(command)
    control, pids = Control(run.socket), set[int]()
    try:
        while not control.answers():
            assert process.poll() is None
            time.sleep(0.05)
        for program in programs:
            assert control.start(program.name) is None
            while control.state(program.name).state != "RUNNING":
                time.sleep(0.05)
        pids |= {state.pid for state in control.states()}
        yield process, control
        if control.answers():
            pids |= {state.pid for state in control.states()}
    finally:
        process.kill()
        process.wait()
        ends = [str(it) for it in pids if it]
        subprocess.run(["kill", "-9", *ends], check=False, capture_output=True)
