"""`eyewall serve` without solvers: they would compete with what is measured for the cores.

python -m benchmarks.dashboard.sidecar sidecar.toml
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from eyewall_sidecar import serve
from eyewall_sidecar.config import read_config

if TYPE_CHECKING:
    from eyewall_sidecar.service.solver_pool import SolverTask


class EndlessJob:
    """A task that never ends."""

    def result(self, until: float) -> None:
        del until

    def cancel(self) -> None:
        """Do nothing."""


class IdleSolvers:
    """Accepts tasks and solves none."""

    def __init__(self, policy: str) -> None: ...

    def warm(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def run(self, task: SolverTask[Any], time_limit: float) -> EndlessJob:
        del task, time_limit
        return EndlessJob()


def main() -> None:
    with patch.object(serve, "SolverPool", IdleSolvers):
        serve.serve(read_config(Path(sys.argv[1])), lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
