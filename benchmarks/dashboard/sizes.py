"""How large a recorded cluster is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Its hosts, executors and topologies; `seed` draws the rest."""

    hosts: int
    executors: int
    topologies: int
    seed: int = 1

    def __str__(self) -> str:
        return f"{self.hosts:,} hosts"


SMALL = Size(6, 24, 2)
LARGE = Size(1_000, 10_000, 40)
