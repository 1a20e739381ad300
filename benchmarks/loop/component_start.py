"""What the start of a Python component costs: an interpreter of its own, or a fork of a loaded one.

From its launch to its answer to Storm's handshake; CPU of the process until then. What a
worker's own start costs is in docs/results/measurements.md.

    python -m benchmarks component-start [--starts 20] [--at-once 1]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES = Path(__file__).parents[2] / "topologies" / "src"
COMPONENT = "bolts.tag_and_count.Tag"
LAUNCHER = "import sys; from streamparse.run import main; sys.exit(main())"


def handshake(folder: str) -> bytes:
    """Return what Storm writes first."""
    context = {"taskid": 1, "task->component": {"1": "tag"}, "componentid": "tag"}
    return f"{json.dumps({'conf': {}, 'pidDir': folder, 'context': context})}\nend\n".encode()


def start_interpreter(stdin: int, stdout: int) -> int:
    """Start as Storm does; return the process."""
    command = [sys.executable, "-c", LAUNCHER, COMPONENT]
    return subprocess.Popen(command, stdin=stdin, stdout=stdout, cwd=SOURCES).pid


def start_fork(stdin: int, stdout: int) -> int:
    """Fork this process, which has loaded what a component needs; return the child."""
    child = os.fork()
    if child:
        return child
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    os.closerange(3, 256)
    sys.argv = ["streamparse_run", COMPONENT]
    from streamparse.run import main as run_component

    try:
        run_component()
    finally:
        os._exit(0)


def measure(start: Callable[[int, int], int], count: int, folder: str) -> list[float]:
    """Return the seconds to the answer of each of `count` components that start at once."""
    ends, began = [], time.monotonic()
    for _ in range(count):
        (stdin, to), (answers, stdout) = os.pipe(), os.pipe()
        pid = start(stdin, stdout)
        os.close(stdin)
        os.close(stdout)
        os.write(to, handshake(folder))
        ends.append((pid, to, answers))
    seconds = []
    for _, _, answers in ends:
        answer = b""
        while b"\nend\n" not in answer:
            piece = os.read(answers, 4096)
            if not piece:
                raise SystemExit("a component ended without an answer")
            answer += piece
        seconds.append(time.monotonic() - began)
    for pid, to, answers in ends:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(to)
        os.close(answers)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=20, help="in turn, of each way")
    parser.add_argument("--at-once", type=int, default=1, help="components that start together")
    given = parser.parse_args()
    os.chdir(SOURCES)
    sys.path.append(str(SOURCES))
    import bolts.tag_and_count
    import streamparse.run

    print(f"loaded: {streamparse.run.__name__}, {bolts.tag_and_count.__name__}", flush=True)
    ways = {"interpreter": start_interpreter, "fork": start_fork}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    cpu = dict.fromkeys(ways, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given.starts):
            for name, start in ways.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                seconds[name].append(max(measure(start, given.at_once, folder)))
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cpu[name] += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{'way':12} {'median s':>9} {'least':>7} {'most':>7} {'CPU-s each':>11}")
    for name, took in seconds.items():
        each = cpu[name] / given.starts / given.at_once
        print(f"{name:12} {median(took):9.3f} {min(took):7.3f} {max(took):7.3f} {each:11.3f}")


if __name__ == "__main__":
    main()
