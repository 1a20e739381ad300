"""CPU and memory of a dashboard, by the number of open pages and by what the cluster does."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import httpx
import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.dashboard.rig import Rig

SETTLING_SECONDS: Final = 40.0
"""Longer than a view is refreshed after its last reader has left."""


@dataclass(frozen=True)
class DashboardCost:
    """CPU and memory over some seconds."""

    mode: str
    pages: int
    core: float
    """Share of a core that the dashboard's process takes."""
    sidecar_core: float
    megabytes: float
    """Resident memory at the end."""

    @property
    def row(self) -> str:
        return (
            f"| {self.mode} | {self.pages} | {self.core:.1%} | {self.sidecar_core:.1%} "
            f"| {self.megabytes:.0f} |"
        )


HEADER: Final = (
    "| cluster | pages open | core, dashboard | core, sidecar | MB |\n" + "| --- " * 5 + "|"
)


def measure_costs(rig: Rig, seconds: float) -> Iterator[DashboardCost]:
    """Measure with no page open and with one cluster page, in each mode of the players."""
    for pages in (0, 1):
        for mode in ("silent", "steady", "changing"):
            rig.players.send(mode)
            with _open_pages(rig.url, pages):
                time.sleep(SETTLING_SECONDS if not pages else 5)
                before = [_cpu_seconds(it) for it in (rig.dashboard.pid, rig.sidecar_process.pid)]
                began = time.monotonic()
                time.sleep(seconds)
                took = time.monotonic() - began
                after = [_cpu_seconds(it) for it in (rig.dashboard.pid, rig.sidecar_process.pid)]
            own, sidecar = ((end - start) / took for start, end in zip(before, after, strict=True))
            resident = psutil.Process(rig.dashboard.pid).memory_info().rss / 1e6
            yield DashboardCost(mode, pages, own, sidecar, resident)
    rig.players.send("steady")


def _cpu_seconds(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


@contextmanager
def _open_pages(url: str, pages: int) -> Iterator[None]:
    """Listen for changes and fetch the cluster again after each, as its page does."""
    ended = threading.Event()

    def look() -> None:
        tag = ""
        with (
            httpx.Client(base_url=url, timeout=60) as http,
            http.stream("GET", "/api/v1/events") as events,
        ):
            for line in events.iter_lines():
                if ended.is_set():
                    return
                if line.startswith("data:") and ("cluster" in line or "topology/" in line):
                    answer = http.get("/api/v1/cluster", headers={"If-None-Match": tag})
                    tag = answer.headers.get("etag", "")

    threads = [threading.Thread(target=look, daemon=True) for _ in range(pages)]
    for it in threads:
        it.start()
    try:
        yield
    finally:
        ended.set()
        for it in threads:
            it.join(10)  # the next heartbeat wakes it
