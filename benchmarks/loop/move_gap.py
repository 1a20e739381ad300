"""The gap in output when workers move: Storm's stock settings against the recommended ones.

A streamparse topology (Tag-and-Count, 20 tuples/s) on `three-sites` is moved back and forth by
changing one link's delay; each move's gap is the longest time without a tuple at the consumer. The
lab measured 7.0 s [5.2–9.0] and 3.8 s [3.5–4.1] for a Java topology.

    python -m benchmarks move-gap [--moves 4] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eyewall_deploy.measure.tuple_events import read_events

from benchmarks.loop.cluster import RunningCluster, start_cluster, wait_for
from benchmarks.loop.tuple_flow import TimeWindow, flows_steadily, longest_gap, never_acked

OPTIONS: dict[str, object] = {
    "eyewall.pin": {"source": ["edge-1"], "consumer": ["edge-2"]},
    "tag_and_count.rate": 20,
    "topology.message.timeout.secs": 10,
}
COOL_DOWN = 32.0
PATIENCE = 180.0


@dataclass(frozen=True, slots=True)
class Move:
    """One move: executors moved, seconds without output, first attempts that timed out."""

    settings: str
    executors: int
    gap: float
    failed: int


def read_hosts(cluster: RunningCluster) -> dict[str, str]:
    """Return the host of each executor."""
    status: dict[str, Any] = json.loads(cluster.run("status", "--json"))
    (topology,) = status["topologies"]
    return {f"{e['component']}{e['tasks']}": e["host"] for e in topology["executors"]}


def wait_for_flow(events: Path, since: float) -> None:
    """Wait until tuples flow steadily, more than 8 s after `since`."""

    def flow() -> bool | None:
        now = time.time()
        return (now - since > 8 and flows_steadily(read_events(events), now)) or None

    wait_for(flow, PATIENCE, "tuples to flow steadily")


def measure_move(cluster: RunningCluster, events: Path, settings: str, delay: str) -> Move:
    """Change the delay, wait for the move that follows, and measure its gap."""
    before = read_hosts(cluster)
    start = time.time()
    cluster.run("delay", "edge-1", "edge-2", delay)

    def moved() -> dict[str, str] | None:
        now = read_hosts(cluster)
        return now if now != before and len(now) == len(before) else None

    after = wait_for(moved, PATIENCE, f"a move after the delay became {delay}")
    wait_for_flow(events, time.time())
    window = TimeWindow(start, time.time())
    happened = read_events(events)
    return Move(
        settings,
        sum(after[it] != before[it] for it in after),
        longest_gap(happened, window).seconds,
        sum(at in window for _, at in happened.failed),
    )


def measure_moves(settings: str, flags: tuple[str, ...], count: int) -> list[Move]:
    """Start a cluster with these flags and move its topology back and forth."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events"
        events.mkdir()
        with start_cluster("three-sites", Path(folder) / "run", *flags) as cluster:
            cluster.submit("tag_and_count", OPTIONS | {"measure.dir": str(events)})
            wait_for_flow(events, time.time() + 20)
            for number in range(count):
                time.sleep(COOL_DOWN)
                found.append(measure_move(cluster, events, settings, ("80ms", "2ms")[number % 2]))
                print(found[-1], flush=True)
            time.sleep(30)
            happened = read_events(events)
            late = time.time() - 25
            lost = sum(happened.emitted[it] < late for it in never_acked(happened))
            print(f"{settings}: {len(happened.emitted)} emitted, {lost} never acked", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=4, help="with each of the settings")
    parser.add_argument("--json", type=Path, help="write every move to this file")
    arguments = parser.parse_args()
    found = [
        *measure_moves("stock", ("--stock-timing",), arguments.moves),
        *measure_moves("recommended", (), arguments.moves),
    ]
    for settings in ("stock", "recommended"):
        gaps = [it.gap for it in found if it.settings == settings]
        print(
            f"{settings:12} gap {statistics.median(gaps):.1f} s "
            f"[{min(gaps):.1f}–{max(gaps):.1f}], {len(gaps)} moves"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(it) for it in found], indent=1))


if __name__ == "__main__":
    main()
