"""How long the loop took from a change in the world to each of its steps, for people to read."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

LINES: list[str] = []
"""What is printed at the end of the run."""


@dataclass
class Change:
    """One change in the world, and what followed it."""

    what: str
    at: float = field(default_factory=time.time)
    steps: list[str] = field(default_factory=list)

    def followed_by(self, step: str) -> None:
        self.steps.append(f"{step} after {time.time() - self.at:.1f} s")

    def record(self) -> None:
        LINES.append(f"{self.what}: {', '.join(self.steps)}")
