"""Processes that look like others by their arguments, and wait."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKER = ("java", "org.apache.storm.daemon.worker.Worker", "wc-1-1790000000")
"""Arguments of one of Storm's workers."""
_CODE = """
import sys, time
while time.process_time() < 0.2: pass
print(flush=True)
sys.stdin.read()
"""


@contextmanager
def waiting_process(*arguments: str) -> Iterator[psutil.Process]:
    """A process with these arguments that has used a fifth of a second of CPU, and waits."""
    command = [sys.executable, "-c", _CODE, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield psutil.Process(process.pid)
        finally:
            process.kill()
