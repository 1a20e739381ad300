"""The time of a scheduling round in Nimbus, with and without Eyewall, on one cluster.

Storm's own timer, `nimbus:topology-scheduling-duration-ms`, as its CSV reporter writes it, after
the same time under each scheduler with the same topology running.

    python -m benchmarks round-time [--seconds 60]
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from pathlib import Path

from benchmarks.loop.cluster import start_cluster

TIMER = "nimbus:topology-scheduling-duration-ms.csv"
PINS = {"source": ["edge-1"], "consumer": ["edge-2"]}


def last_row(run_dir: Path) -> dict[str, str]:
    with (run_dir / "metrics" / "nimbus" / TIMER).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="under each scheduler")
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        run_dir = Path(folder) / "run"
        with start_cluster("three-sites", run_dir, "--scheduler", "ras") as cluster:
            cluster.submit("tag_and_count", {"eyewall.pin": PINS})
            print(f"{'scheduler':10} {'rounds':>6} {'median':>8} {'p95':>8} {'max':>8}  ms")
            for scheduler in ("eyewall", "ras", "eyewall", "ras"):
                cluster.run("scheduler", scheduler)  # restarts Nimbus, and with it the timer
                time.sleep(seconds)
                row = last_row(run_dir)
                print(
                    f"{scheduler:10} {row['count']:>6} {float(row['p50']):8.1f} "
                    f"{float(row['p95']):8.1f} {float(row['max']):8.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
