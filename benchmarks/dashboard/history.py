"""A ZooKeeper full of old decisions: the time to prune them and to read pages of them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final

import httpx
from eyewall_contracts.decision import (
    DecisionRecord,
    ExecutorMove,
    MetricChange,
    RejectedMoves,
    Verdict,
    day_of,
    encode_decision,
    record_id,
)
from eyewall_contracts.stores.decision_history import MOST_READ
from eyewall_contracts.znodes import Znodes
from eyewall_sidecar.stores.records import KEEP_DAYS, MOST_OF_A_DAY
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from msgspec.structs import replace

from benchmarks.dashboard.recording import SMALL
from benchmarks.dashboard.rig import Rig

HEAP_MEGABYTES: Final = 900
DAYS: Final = 40
BUSY: Final = 5
"""One day in so many has more decisions than are kept of a day."""
DAY: Final = 86_400.0
TOPOLOGIES: Final = 40
AT_ONCE: Final = 500
EYEWALL: Final = Path(sys.executable).with_name("eyewall")
PATIENCE: Final = 900.0
LATER_SECONDS: Final = 15.0
MOST_PAGES: Final = 500


def measure(count: int) -> dict[str, Any]:
    """Write so many old decisions, start every program, and measure pruning and reading."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(SMALL, Path(folder), HEAP_MEGABYTES, mode="hurried")
        with rig.stores():
            client = KazooClient(rig.zookeeper.address, timeout=60)
            client.start()
            began = time.monotonic()
            bytes_ = _write(client, count, time.time())
            found["written"] = _count_by_day(client)
            print(
                f"{count:,} records over {DAYS} days, {bytes_ / count:.0f} bytes each, "
                f"written in {time.monotonic() - began:.0f} s",
                flush=True,
            )
            watch = _PruningWatch(client)
            watch.start()
            with rig.programs():
                found |= _measure_pruning(rig, watch)
                found |= _measure_pages(rig)
            watch.join()
            client.stop()
    return found


def _write(client: KazooClient, count: int, now: float) -> int:
    """Spread records over days; a busy day has five times as many as any other."""
    paths, rng = Znodes(), Random(1)
    weights = [5 if day % BUSY == 0 else 1 for day in range(DAYS)]
    written = number = 0
    for back, weight in enumerate(weights):
        many = round(count * weight / sum(weights))
        midnight = now - now % DAY - back * DAY
        length = now % DAY if back == 0 else DAY
        client.ensure_path(paths.decisions_of(day_of(midnight)))
        for first in range(0, many, AT_ONCE):
            pending = []
            for place in range(first, min(many, first + AT_ONCE)):
                number += 1
                at = midnight + length * place / many
                data = encode_decision(_record(record_id(at, "5f1c1a0e", number), rng))
                path = f"{paths.decisions_of(day_of(at))}/{record_id(at, '5f1c1a0e', number)}"
                pending.append(client.create_async(path, data))
                written += len(data)
            for it in pending:
                it.get(timeout=60)
    return written


def _record(id_: str, rng: Random) -> DecisionRecord:
    number = rng.randrange(TOPOLOGIES)
    verdict = rng.choice(list(Verdict))
    moves = tuple(
        ExecutorMove(f"count[{task}-{task}]", f"edge-{task % 40}", f"core-{task % 30}")
        for task in rng.sample(range(1, 200), rng.randrange(4, 24))
    )
    decision = DecisionRecord(
        id=id_,
        topology=f"wordflow-{number:02}-{number + 1}-1700000000",
        verdict=verdict,
        said="placed by eyewall: odp, optimal, R 41 ms (was 61), 12 executors moved",
        base="00ff00ff00ff00ff" * 4,
        policy="odp",
        objective="R=1",
        seed=7,
        status="optimal",
        decided_by="branch and bound",
        seconds=0.25,
        evaluated=6_400,
        bound=0.041,
        gap=0.0,
        metrics=(MetricChange("R", 0.061, 0.041), MetricChange("T", 2_000.0, 1_200.0)),
        moves=moves,
        workers_started=2,
        possible=5,
        rejected=(RejectedMoves("slots", 3), RejectedMoves("cpu", 40)),
        assumptions=("execution times are CPU times",),
        delays_age=1.5,
        delays_confidence=0.875,
        rates_age=2.5,
    )
    return decision if verdict is not Verdict.DECLINED else replace(decision, moves=(), metrics=())


def _count_by_day(client: KazooClient) -> dict[str, int]:
    paths, found = Znodes(), {}
    for day in sorted(client.get_children(paths.decisions)):
        with suppress(NoNodeError):  # pruned since
            found[day] = len(client.get_children(paths.decisions_of(day)))
    return found


class _PruningWatch(threading.Thread):
    """Records when only as many decisions are left as are kept."""

    def __init__(self, client: KazooClient) -> None:
        super().__init__(daemon=True)
        self._client = client
        self.days: dict[str, int] = {}
        self.done_at = time.monotonic()

    def run(self) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.days = _count_by_day(self._client)
            if len(self.days) <= KEEP_DAYS and max(self.days.values()) <= MOST_OF_A_DAY:
                break
            time.sleep(0.2)
        self.done_at = time.monotonic()


def _measure_pruning(rig: Rig, watch: _PruningWatch) -> dict[str, Any]:
    """Wait for the pruning that the sidecar begins at its start, while Nimbus runs rounds."""
    watch.join()
    took = watch.done_at - rig.sidecar_ready_at
    during = _rounds(rig)
    time.sleep(LATER_SECONDS)
    after = _rounds(rig)
    rig.players.send("steady")
    left = sum(watch.days.values())
    print(f"pruned to {left:,} records of {len(watch.days)} days {took:.1f} s after its start")
    print(
        f"rounds during pruning: {_spread(during)} ms; afterwards: {_spread(after)} ms", flush=True
    )
    return {"pruned": watch.days, "pruning_seconds": took, "during": during, "after": after}


def _rounds(rig: Rig) -> list[float]:
    """Return the milliseconds of each of Nimbus's rounds since the last call."""
    rig.players.send("rounds")
    return [1_000 * it for it in json.loads(rig.players.line())]


def _measure_pages(rig: Rig) -> dict[str, Any]:
    """Read everything that is left page by page, by the dashboard and by the command."""
    found: dict[str, Any] = {}
    with httpx.Client(base_url=rig.url, timeout=60) as http:
        for count in (30, 200):
            times, seen = _read_pages(http, count)
            found[f"pages of {count}"] = times
            print(
                f"dashboard, {len(times)} pages of {count}, {seen:,} records: {_spread(times)} ms"
            )
        began = time.monotonic()
        rare = http.get("/api/v1/decisions", params={"topology": "wordflow-07", "count": 100})
        took = 1_000 * (time.monotonic() - began)
        many = len(rare.json()["decisions"])
        print(
            f"dashboard, {many} decisions of one topology of {TOPOLOGIES} "
            f"({MOST_READ:,} records are read at most): {took:.0f} ms"
        )
    times = []
    for _ in range(3):
        began = time.monotonic()
        subprocess.run(
            [EYEWALL, "history", "--zookeeper", rig.zookeeper.address, "--count", "50"],
            check=True,
            capture_output=True,
        )
        times.append(time.monotonic() - began)
    print(f"eyewall history --count 50: {median(times):.2f} s, the start of Python included")
    return found


def _read_pages(http: httpx.Client, count: int) -> tuple[list[float], int]:
    times, seen, before = [], 0, None
    for _ in range(MOST_PAGES):
        query: dict[str, Any] = {"count": count} | ({"before": before} if before else {})
        began = time.monotonic()
        page = http.get("/api/v1/decisions", params=query).json()
        times.append(1_000 * (time.monotonic() - began))
        seen += len(page["decisions"])
        before = page["older"]
        if before is None:
            break
    return times, seen


def _spread(milliseconds: list[float]) -> str:
    if len(milliseconds) < 2:
        return "too few"
    at = quantiles(milliseconds, n=100, method="inclusive")
    return f"p50 {at[49]:.0f}, p99 {at[98]:.0f}, max {max(milliseconds):.0f}"
