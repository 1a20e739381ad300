"""A process that looks like a worker of Storm's from outside."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAIN = "org.apache.storm.daemon.worker.Worker"


def start_worker(folder: Path, topology: str, port: int, worker_id: str) -> subprocess.Popen[bytes]:
    """Start a Python under the name of java, which uses the CPU a little."""
    java = folder / "java"
    if not java.exists():
        java.symlink_to(sys.executable)
    busy = "import time\nwhile True: sum(range(10_000)); time.sleep(0.001)"
    properties = [f"-Dstorm.local.dir={folder}", f"-Dworkers.artifacts={folder}/artifacts"]
    command = [str(java), "-c", busy, *properties, MAIN, topology, "supervisor", "6628", str(port)]
    return subprocess.Popen([*command, worker_id])
