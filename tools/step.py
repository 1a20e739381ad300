"""Runs one step of a set-up or of the tests, and shows that it goes on.

    python3.11 tools/step.py [--count TEXT] [--folder FOLDER] NAME COMMAND …

Every few seconds a line says what the command last wrote, or how many of its lines have TEXT in
them. All that it wrote is shown if it fails. FOLDER gets it as NAME.log, and the exit code as
NAME.exit.
"""

import argparse
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FIRST_SECONDS = 2.0
PAUSE_SECONDS = 10.0
LONGEST = 70


@dataclass
class Output:
    """What a command has written so far; lines with `counted` in them are counted."""

    counted: str = ""
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, line: str) -> None:
        """Take one line."""
        self.lines.append(line)
        self.count += bool(self.counted) and self.counted in line

    @property
    def progress(self) -> str:
        """How far the command is, in a few words."""
        if self.count:
            return f"{self.count} files fetched"
        last = next((line.strip() for line in reversed(self.lines) if line.strip()), "…")
        return last if len(last) <= LONGEST else f"… {last[-LONGEST:]}"


def main() -> None:
    """Run the command that follows the step's name; exit with its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", default="")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    output = Output(given.count)
    code = run(given.name, given.command, output, lambda text: print(text, flush=True))
    if given.folder is not None:
        given.folder.mkdir(parents=True, exist_ok=True)
        (given.folder / f"{given.name}.log").write_text("".join(output.lines), encoding="utf-8")
        (given.folder / f"{given.name}.exit").write_text(f"{code}\n", encoding="utf-8")
    sys.exit(code)


def run(name: str, command: Sequence[str], output: Output, show: Callable[[str], None]) -> int:
    """Run the command and show its progress; returns its exit code, as a shell counts it."""
    start = time.monotonic()
    done = threading.Event()

    def show_step(text: str) -> None:
        show(f"{time.monotonic() - start:7.1f} s  {name}: {text}")

    def watch() -> None:
        pause = FIRST_SECONDS
        while not done.wait(pause):
            show_step(output.progress)
            pause = PAUSE_SECONDS

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        code = _run(command, output)
    finally:
        done.set()
        watcher.join()
    if code:
        show("".join(output.lines))
        show_step(f"failed with exit code {code}")
    elif time.monotonic() - start > FIRST_SECONDS:
        show_step("ready")
    return code


def _run(command: Sequence[str], output: Output) -> int:
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
    except OSError as error:
        output.add(f"{command[0]}: {error.strerror}\n")
        return 127
    with process:
        try:
            for line in process.stdout or ():
                output.add(line)
        except KeyboardInterrupt:  # the command has it too, and ends in its own way
            process.wait()
            return 128 + signal.SIGINT
        code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    main()
