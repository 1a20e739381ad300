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
    from eyewall_sidecar.service import Outcome, Question


class Unanswered:
    """A question that is looked into for ever."""

    def outcome(self, until: float) -> Outcome | None:  # noqa: ARG002
        return None

    def drop(self) -> None:
        """Nobody waits for it."""


class NoSolvers:
    """Takes questions, and answers none."""

    def __init__(self, policy: str) -> None: ...

    def warm(self) -> None:
        """Nothing has to be."""

    def close(self) -> None:
        """Nothing is open."""

    def place(self, question: Question, time_limit: float) -> Unanswered:  # noqa: ARG002
        return Unanswered()

    improve = place


def main() -> None:
    with patch.object(serve, "SolverProcesses", NoSolvers):
        serve.serve(read_config(Path(sys.argv[1])), lambda said: print(said, flush=True))


if __name__ == "__main__":
    main()
