"""How long answers of the JSON API take, and how large they are."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from statistics import quantiles
from typing import TYPE_CHECKING, Final

from benchmarks.dashboard.rig import start_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.dashboard.rig import Rig

WAYS: Final = (("gzip", "new"), ("identity", "new"), ("gzip", "known"))
"""Encoding and ETag: compressed, plain, and conditional (If-None-Match with the last ETag)."""


@dataclass(frozen=True)
class ApiAnswers:
    """Repeated answers of one address; times in milliseconds, sizes in bytes."""

    path: str
    way: str
    clients: int
    mode: str
    count: int
    p50: float
    p95: float
    p99: float
    most: float
    bytes: int
    """Size of the largest answer, headers included."""
    statuses: dict[str, int]

    @property
    def row(self) -> str:
        statuses = ", ".join(f"{code}: {times}" for code, times in sorted(self.statuses.items()))
        return (
            f"| {self.path} | {self.way} | {self.clients} | {self.mode} | {self.p50:.1f} "
            f"| {self.p95:.1f} | {self.p99:.1f} | {self.most:.1f} | {self.bytes / 1e3:,.1f} "
            f"| {statuses} |"
        )


HEADER: Final = (
    "| path | way | clients | cluster | p50, ms | p95 | p99 | max | kB | answers |\n"
    + "| --- " * 10
    + "|"
)


def paths(rig: Rig) -> dict[str, str]:
    """Return the measured addresses by name."""
    topology = rig.topology
    return {
        "cluster": "/api/v1/cluster",
        "topologies": "/api/v1/topologies",
        "topology": f"/api/v1/topologies/{topology}",
        "response-time": f"/api/v1/topologies/{topology}/response-time",
        "decisions": "/api/v1/decisions?count=30",
        "health": "/api/v1/health",
        "explain": f"/api/v1/topologies/{topology}/explain?executor={rig.executor}",
        "metrics": "/metrics",
    }


def measure_answers(
    rig: Rig, wanted: list[str], clients: list[int], count: int
) -> Iterator[ApiAnswers]:
    """Request every address, first while the cluster is steady, then while it changes."""
    for mode in ("steady", "changing"):
        rig.players.send(mode)
        for name, path in paths(rig).items():
            if name not in wanted:
                continue
            for encoding, tag in WAYS:
                for many in clients:
                    yield _measure(rig, (name, path), (encoding, tag), many, mode, count)
    rig.players.send("steady")


def _measure(
    rig: Rig, of: tuple[str, str], way: tuple[str, str], clients: int, mode: str, count: int
) -> ApiAnswers:
    name, path = of
    arguments = (rig.url, str(clients), str(count), *way, path)
    process = start_program(sys.executable, "-m", "benchmarks.dashboard.requests", *arguments)
    found = json.loads(process.line())
    process.end()
    milliseconds = [1_000 * it for it in found["seconds"]]
    at = quantiles(milliseconds, n=100, method="inclusive")
    return ApiAnswers(
        path=name,
        way="304" if way[1] == "known" else way[0],
        clients=clients,
        mode=mode,
        count=len(milliseconds),
        p50=at[49],
        p95=at[94],
        p99=at[98],
        most=max(milliseconds),
        bytes=max(found["bytes"]),
        statuses=found["statuses"],
    )
