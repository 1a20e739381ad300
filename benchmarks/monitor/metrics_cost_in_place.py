"""The cost of the monitor agent for one running topology, with and without the agent in turns.

`metrics_cost.py` starts a worker for each block, and identical workers differ by some per cent.
Here one worker runs throughout; only the agent starts and stops: on, off, off, on …, so that an
even drift cancels out. Without an agent Storm's reporter has no connection and collects nothing, so
the comparison covers the reporter and the agent together. The last column has the CPU of these two.

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

from benchmarks.monitor.metrics_cost import SHAPES, Interval, OneHostCluster, interval

SETTLE = 5.0
"""Seconds after the agent starts or stops: the reporter connects again once a period."""
ORDER = (True, False, False, True)


def count_tuples(counts: Path, at: float) -> float:
    """Return the tuples until `at` (seconds since the epoch), interpolated between lines."""
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
class AgentBlock:
    """Some seconds with or without the agent.

    `cpu`: CPU-seconds per tuple of worker and agent together; `reporting`: cores that the agent and
    the reporter's thread take.
    """

    agent: bool
    throughput: float
    cpu: float
    reporting: float


def cycle(host: OneHostCluster, topology: str, counts: Path, seconds: float) -> list[AgentBlock]:
    """Measure a block for each of ORDER."""
    spans = []
    running: bool | None = None
    for on in ORDER:
        if on != running:
            host.deploy("start" if on else "stop", "monitor-host-1")
            time.sleep(SETTLE)
            running = on
        begin, cpu, reporting = time.time(), host.cpu(topology), host.reporting_cpu(topology)
        time.sleep(seconds)
        spent = host.cpu(topology) - cpu, host.reporting_cpu(topology) - reporting
        spans.append((on, begin, time.time(), *spent))
    time.sleep(1.5)  # the last second's line
    blocks = []
    for on, begin, end, cpu, reporting in spans:
        tuples = count_tuples(counts, end) - count_tuples(counts, begin)
        took = end - begin
        blocks.append(AgentBlock(on, tuples / took, cpu / tuples, reporting / took))
    return blocks


def ratio(cycles: list[list[AgentBlock]], what: str) -> Interval:
    """Return with/without the agent: geometric mean over cycles, Student's t on logarithms."""
    logs = []
    for blocks in cycles:
        values = [(it.agent, math.log(getattr(it, what))) for it in blocks]
        logs.append(sum(value if agent else -value for agent, value in values) / 2)
    return interval(logs)


def measure_cycles(
    host: OneHostCluster, shape: str, options: argparse.Namespace
) -> list[list[AgentBlock]]:
    name = f"in_place_{shape.replace('-', '_')}"
    counts = host.folder / shape
    counts.mkdir()
    host.deploy("start", "monitor-host-1")
    host.submit(name, shape, str(counts), "agent")
    host.wait_for(counts, 2 if shape == "word-count" else 1)
    time.sleep(options.warm_up)
    cycles: list[list[AgentBlock]] = []
    for number in range(options.cycles):
        cycles.append(cycle(host, name, counts, options.seconds))
        speed, cost = ratio(cycles, "throughput"), ratio(cycles, "cpu")
        print(f"{shape} {number + 1}: {speed}; CPU {cost}", file=sys.stderr, flush=True)
        if number >= options.least and cost.width < options.narrower_than:
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
    options = parser.parse_args()
    found: dict[str, list[list[AgentBlock]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        host = OneHostCluster(Path(folder))
        host.up()
        try:
            for shape in options.topologies:
                found[shape] = measure_cycles(host, shape, options)
        finally:
            host.deploy("down")
    print(
        "| topology | cycles | throughput / without, 95 % | CPU per tuple / without, 95 % | cores |"
    )
    print("| --- | --- | --- | --- | --- |")
    for shape, cycles in found.items():
        speed, cost = ratio(cycles, "throughput"), ratio(cycles, "cpu")
        reporting = statistics.fmean(it.reporting for of in cycles for it in of if it.agent)
        print(f"| {shape} | {len(cycles)} | {speed} | {cost} | {reporting:.4f} |")
    if options.json:
        blocks = {
            shape: [[asdict(it) for it in of] for of in all_] for shape, all_ in found.items()
        }
        options.json.write_text(json.dumps(blocks, indent=1))


if __name__ == "__main__":
    main()
