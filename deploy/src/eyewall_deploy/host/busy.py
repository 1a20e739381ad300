"""Keep an emulated host busy: use so many cores of it, until the caller is gone.

    python -m eyewall_deploy.host.busy --cores 0.9 [--cgroup FOLDER]…

What other processes take meanwhile is made up for within a second, as far as the host has it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SLICE = 0.01
_MOST_BEHIND = 1.0


def use(cores: float, goes_on: Callable[[], bool]) -> None:
    """Use that share of a core, up to 1, in slices of 10 ms."""
    began, used = time.monotonic(), time.process_time()
    while goes_on():
        behind = (time.monotonic() - began) * cores - (time.process_time() - used)
        if behind > _MOST_BEHIND:
            began += (behind - _MOST_BEHIND) / cores
        end = time.monotonic() + _SLICE
        while behind > 0 and time.monotonic() < end:
            behind = (time.monotonic() - began) * cores - (time.process_time() - used)
        time.sleep(max(0.0, end - time.monotonic()))


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="busy", description=__doc__)
    parser.add_argument("--cores", type=float, required=True)
    parser.add_argument("--cgroup", action="append", default=[], metavar="FOLDER")
    arguments = parser.parse_args()
    for group in arguments.cgroup:
        (Path(group) / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
    caller = os.getppid()
    use(arguments.cores, lambda: os.getppid() == caller)
    return 0


if __name__ == "__main__":
    sys.exit(main())
