"""What a dashboard takes of a core and of memory, by who looks at it and by what goes on."""

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
"""Longer than a view is made anew that nobody looks at any more."""


@dataclass(frozen=True)
class Cost:
    """Over some seconds."""

    mode: str
    pages: int
    core: float
    """Part of a core, of the dashboard's process."""
    sidecar_core: float
    megabytes: float
    """Resident, at the end."""

    @property
    def row(self) -> str:
        return (
            f"| {self.mode} | {self.pages} | {self.core:.1%} | {self.sidecar_core:.1%} "
            f"| {self.megabytes:.0f} |"
        )


HEADER: Final = (
    "| cluster | pages open | core, dashboard | core, sidecar | MB |\n" + "| --- " * 5 + "|"
)


def costs(rig: Rig, seconds: float) -> Iterator[Cost]:
    """Nobody looks, then one does, as a cluster page; in each way of going on."""
    for pages in (0, 1):
        for mode in ("silent", "steady", "changing"):
            rig.players.tell(mode)
            with _page(rig.url, pages):
                time.sleep(SETTLING_SECONDS if not pages else 5)
                before = [_spent(it) for it in (rig.dashboard.pid, rig.sidecar_process.pid)]
                began = time.monotonic()
                time.sleep(seconds)
                took = time.monotonic() - began
                after = [_spent(it) for it in (rig.dashboard.pid, rig.sidecar_process.pid)]
            own, sidecar = ((end - start) / took for start, end in zip(before, after, strict=True))
            resident = psutil.Process(rig.dashboard.pid).memory_info().rss / 1e6
            yield Cost(mode, pages, own, sidecar, resident)
    rig.players.tell("steady")


def _spent(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


@contextmanager
def _page(url: str, pages: int) -> Iterator[None]:
    """Be told of changes and fetch the cluster again, as its page does."""
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

    lookers = [threading.Thread(target=look, daemon=True) for _ in range(pages)]
    for it in lookers:
        it.start()
    try:
        yield
    finally:
        ended.set()
        for it in lookers:
            it.join(10)  # the next heartbeat wakes it
