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
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eyewall_deploy.measure.latency import TimeWindow, flows_steadily, longest_gap, never_acked
from eyewall_deploy.measure.tuple_events import read_events

DEPLOY = Path(sys.executable).with_name("eyewall-deploy")
OPTIONS = {
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


def deploy(run_dir: Path, command: str, *arguments: str) -> str:
    done = subprocess.run(
        [DEPLOY, command, "--run-dir", run_dir, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{command} {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def hosts(run_dir: Path) -> dict[str, str]:
    status: dict[str, Any] = json.loads(deploy(run_dir, "status", "--json"))
    (topology,) = status["topologies"]
    return {f"{e['component']}{e['tasks']}": e["host"] for e in topology["executors"]}


def wait_for_flow(events: Path, since: float) -> None:
    end = time.time() + PATIENCE
    while time.time() < end:
        now = time.time()
        seen = read_events(events)
        if now - since > 8 and flows_steadily(seen, now):
            return
        time.sleep(1)
    sys.exit(f"tuples did not flow steadily within {PATIENCE:g} s")


def move(run_dir: Path, events: Path, settings: str, delay: str) -> Move:
    before = hosts(run_dir)
    start = time.time()
    deploy(run_dir, "delay", "edge-1", "edge-2", delay)
    end = time.time() + PATIENCE
    while (after := hosts(run_dir)) == before or len(after) != len(before):
        if time.time() > end:
            sys.exit(f"nothing moved within {PATIENCE:g} s of the delay becoming {delay}")
        time.sleep(0.5)
    wait_for_flow(events, time.time())
    window = TimeWindow(start, time.time())
    seen = read_events(events)
    return Move(
        settings,
        sum(after[it] != before[it] for it in after),
        longest_gap(seen, window).seconds,
        sum(at in window for _, at in seen.failed),
    )


def moves(settings: str, flags: tuple[str, ...], count: int) -> list[Move]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        run_dir, events = Path(folder) / "run", Path(folder) / "events"
        events.mkdir()
        deploy(run_dir, "up", "three-sites", "--without-dashboard", *flags)
        try:
            options = OPTIONS | {"measure.dir": str(events)}
            settings_given = [f"{key}={json.dumps(value)}" for key, value in options.items()]
            flat = [word for one in settings_given for word in ("-o", one)]
            deploy(run_dir, "submit", "tag_and_count", *flat)
            wait_for_flow(events, time.time() + 20)
            for number in range(count):
                time.sleep(COOL_DOWN)
                found.append(move(run_dir, events, settings, ("80ms", "2ms")[number % 2]))
                print(found[-1], flush=True)
            time.sleep(30)
            seen = read_events(events)
            lost = {m for m in never_acked(seen) if seen.emitted[m] < time.time() - 25}
            print(f"{settings}: {len(seen.emitted)} emitted, {len(lost)} never acked", flush=True)
        finally:
            deploy(run_dir, "down")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=4, help="with each of the settings")
    parser.add_argument("--json", type=Path, help="write every move to this file")
    arguments = parser.parse_args()
    found = [
        *moves("stock", ("--stock-timing",), arguments.moves),
        *moves("recommended", (), arguments.moves),
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
