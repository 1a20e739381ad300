"""`eyewall serve` without its solvers, which would take the cores of what is measured.

python -m benchmarks.dashboard.sidecar sidecar.toml
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from eyewall_sidecar import serve
from eyewall_sidecar.config import read_config

if TYPE_CHECKING:
    from eyewall_sidecar.service.solver_pool import PlacementTask


class Unsolved:
    """A task that is worked on for ever."""

    def result(self, until: float) -> None:
        del until

    def cancel(self) -> None:
        """Nobody waits for it."""


class NoSolvers:
    """Takes tasks, and solves none."""

    def __init__(self, policy: str) -> None: ...

    def warm(self) -> None:
        """Nothing has to be."""

    def close(self) -> None:
        """Nothing is open."""

    def run(self, task: PlacementTask, time_limit: float) -> Unsolved:
        del task, time_limit
        return Unsolved()


def main() -> None:
    with patch.object(serve, "SolverPool", NoSolvers):
        serve.serve(read_config(Path(sys.argv[1])), lambda said: print(said, flush=True))


if __name__ == "__main__":
    main()
