"""What the monitor agent costs a topology that runs: its throughput while the agent comes and goes.

`metrics_cost.py` starts a worker for each block, and workers that are started alike differ by some
percent. Here one worker runs on, and the agent alone is started and stopped: on, off, off, on …, so
that what drifts evenly falls out. While the agent is away, Storm's reporter finds nobody to tell
and gathers nothing: what is compared is its telling and the agent's work together. The CPU that
these two take is told as well: it is what they cost where nothing else is disturbed.

    python -m benchmarks metrics-cost-in-place [--cycles 30] [--narrower-than 0.01] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from bisect import bisect_left
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.monitor.metrics_cost import SHAPES, Host, Interval, interval

SETTLE = 5.0
"""Seconds after the agent came or went: a reporter's period, until it has connected again."""
ORDER = (True, False, False, True)


def counted(counts: Path, at: float) -> float:
    """Tuples until `at`, in seconds since the epoch, between two lines in proportion."""
    total = 0.0
    for file in counts.iterdir():
        rows = [line.split() for line in file.read_text().splitlines(keepends=True) if "\n" in line]
        times = [int(it[0]) / 1000 for it in rows]
        values = [int(it[1]) for it in rows]
        after = min(max(1, bisect_left(times, at)), len(times) - 1)
        part = (at - times[after - 1]) / (times[after] - times[after - 1])
        total += values[after - 1] + part * (values[after] - values[after - 1])
    return total


@dataclass(frozen=True, slots=True)
class Block:
    """Some seconds with or without the agent.

    `cpu` is the worker's and the agent's together for one tuple, `telling` what the agent and the
    reporter's thread take of a core.
    """

    agent: bool
    throughput: float
    cpu: float
    telling: float


def cycle(host: Host, topology: str, counts: Path, seconds: float) -> list[Block]:
    """Measure a block for each of ORDER."""
    spans = []
    running: bool | None = None
    for on in ORDER:
        if on != running:
            host.deploy("start" if on else "stop", "monitor-host-1")
            time.sleep(SETTLE)
            running = on
        begin, cpu, telling = time.time(), host.cpu(topology), host.telling_cpu(topology)
        time.sleep(seconds)
        spent = host.cpu(topology) - cpu, host.telling_cpu(topology) - telling
        spans.append((on, begin, time.time(), *spent))
    time.sleep(1.5)  # the last second's line
    blocks = []
    for on, begin, end, cpu, telling in spans:
        tuples = counted(counts, end) - counted(counts, begin)
        took = end - begin
        blocks.append(Block(on, tuples / took, cpu / tuples, telling / took))
    return blocks


def ratio(cycles: list[list[Block]], what: str) -> Interval:
    """With the agent to without: geometric mean over cycles, Student's t on their logarithms."""
    logs = []
    for blocks in cycles:
        values = [(it.agent, math.log(getattr(it, what))) for it in blocks]
        logs.append(sum(value if agent else -value for agent, value in values) / 2)
    return interval(logs)


def measured(host: Host, shape: str, asked: argparse.Namespace) -> list[list[Block]]:
    name = f"in_place_{shape.replace('-', '_')}"
    counts = host.folder / shape
    counts.mkdir()
    host.deploy("start", "monitor-host-1")
    host.submit(name, shape, str(counts), "agent")
    host.wait_for(counts, 2 if shape == "word-count" else 1)
    time.sleep(asked.warm_up)
    cycles: list[list[Block]] = []
    for number in range(asked.cycles):
        cycles.append(cycle(host, name, counts, asked.seconds))
        speed, cost = ratio(cycles, "throughput"), ratio(cycles, "cpu")
        print(f"{shape} {number + 1}: {speed}; CPU {cost}", file=sys.stderr, flush=True)
        if number >= asked.least and cost.width < asked.narrower_than:
            break
    host.deploy("kill", name)
    while host.workers(name):
        time.sleep(0.5)
    return cycles


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cycles", type=int, default=30, help="at most, of each topology")
    parser.add_argument("--least", type=int, default=9, help="cycles before it may end")
    parser.add_argument(
        "--narrower-than", type=float, default=0.01, metavar="WIDTH", help="of CPU per tuple"
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="of each block")
    parser.add_argument("--warm-up", type=float, default=60.0)
    parser.add_argument("--topologies", nargs="+", default=SHAPES, choices=SHAPES)
    parser.add_argument("--json", type=Path, help="write every block to this file")
    asked = parser.parse_args()
    found: dict[str, list[list[Block]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder))
        host.up()
        try:
            for shape in asked.topologies:
                found[shape] = measured(host, shape, asked)
        finally:
            host.deploy("down")
    print(
        "| topology | cycles | throughput / without, 95 % | CPU per tuple / without, 95 % | cores |"
    )
    print("| --- | --- | --- | --- | --- |")
    for shape, cycles in found.items():
        speed, cost = ratio(cycles, "throughput"), ratio(cycles, "cpu")
        telling = statistics.fmean(it.telling for of in cycles for it in of if it.agent)
        print(f"| {shape} | {len(cycles)} | {speed} | {cost} | {telling:.4f} |")
    if asked.json:
        blocks = {
            shape: [[asdict(it) for it in of] for of in all_] for shape, all_ in found.items()
        }
        asked.json.write_text(json.dumps(blocks, indent=1))


if __name__ == "__main__":
    main()
