"""Paper 002, tables 2 and 3, from trials on Storm: throughputs next to the paper's, and latencies.

Each of `002-trials`' files is run first: `eyewall-deploy trial FOLDER/t-r1.toml --output
FOLDER/t-r1`. The paper averages over all placements that a scheduler made at the same reserved CPU;
here each scheduler has one placement for each start, and its CPU is shown: of the hosts in use, in
the paper's unit of hundredths of a core. The throughput is that of the overload's last minute:
most moves of adaptive schedulers are over by then.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from eyewall_deploy.measure.load_samples import bucket_middle

from eyewall_papers.experiments.paper_002.trial_files import OVERLOAD, QUIET, TWIN_NAME
from eyewall_papers.experiments.report import (
    CONSOLE,
    Line,
    Panel,
    Row,
    add_plots,
    draw,
    range_text,
    show,
)
from eyewall_papers.instances.ecker_shapes import TABLE_1

DEFAULT, RAS, OURS = "default", "ras", "eyewall"
HEURISTICS = ("hill-climbing", "ants", "hybrid")
RANDOM = "T-R"
TOPOLOGIES = (*TABLE_1, TWIN_NAME)
LAST = 60
"""Seconds at the end of an overload whose throughput counts."""
TABLE_2: Mapping[str, Mapping[str, float]] = {
    "T-M1": {"hill-climbing": 3.35, "ants": 4.10, "hybrid": 4.15, RAS: 3.45},
    "T-M2": {"hill-climbing": 4.32, "ants": 2.68, "hybrid": 3.19, RAS: 1.94},
    "T-M3": {"hill-climbing": 7.24, "ants": 5.28, "hybrid": 8.46, RAS: 10.44},
    "T-R1": {"hill-climbing": 1.79, "ants": 1.70, "hybrid": 1.68, RAS: 1.81},
    "T-R2": {"hill-climbing": 2.19, "ants": 2.19, "hybrid": 2.08, RAS: 2.91},
    "T-R3": {"hill-climbing": 2.04, "ants": 1.90, "hybrid": 2.24, RAS: 2.37},
    "T-R4": {"hill-climbing": 2.60, "ants": 2.07, "hybrid": 2.06, RAS: 1.80},
    "T-R5": {"hill-climbing": 2.10, "ants": 1.51, "hybrid": 2.15, RAS: 2.13},
    "T-R6": {"hill-climbing": 1.80, "ants": 1.71, "hybrid": 1.95, RAS: 2.09},
    "T-R7": {"hill-climbing": 2.08, "ants": 1.75, "hybrid": 1.92, RAS: 1.63},
}
"""Topology → scheduler → maximum throughput by the default scheduler's."""
TABLE_3: Mapping[str, Mapping[str, float]] = {
    "T-M1": {"hill-climbing": 1.45, "ants": 1.15},
    "T-M2": {"hill-climbing": 0.89, "hybrid": 0.73},
    "T-M3": {"hill-climbing": 0.89},
    "T-R1": {"hill-climbing": 0.98, "ants": 1.08, "hybrid": 1.14},
    "T-R2": {"hill-climbing": 0.61, "ants": 0.97, "hybrid": 0.89},
    "T-R3": {"hill-climbing": 0.94, "ants": 0.92, "hybrid": 0.96},
    "T-R4": {"hill-climbing": 1.11, "ants": 0.84, "hybrid": 1.03},
    "T-R5": {"hill-climbing": 0.68, "ants": 0.72, "hybrid": 0.95},
    "T-R6": {"hill-climbing": 0.87, "ants": 0.75, "hybrid": 0.96},
    "T-R7": {"hill-climbing": 2.61, "ants": 0.96, "hybrid": 1.27},
}
"""Topology → scheduler → maximum throughput by that of RAS."""


@dataclass(frozen=True, slots=True)
class LiveRun:
    """One start of a topology under one scheduler.

    Parameters
    ----------
    throughput
        Tuples/s that were acked in the last minute in which more came than is carried.
    p50, least
        Seconds from when a tuple was due to its ack, while few came: median and least.
    cpu
        Hundredths of a core of the hosts in use, at the end.
    moves, silent
        While the overload was measured: moves, and seconds in which no tuple reached a sink.
    """

    throughput: float
    p50: float
    least: float
    cpu: float
    moves: int
    silent: float


Found = Mapping[str, Sequence[LiveRun]]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="with a folder of results for each topology")
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    found = {
        topology: read_runs(file)
        for topology in TOPOLOGIES
        if (file := options.folder / topology.lower() / "results.json").is_file()
    }
    found = {topology: runs for topology, runs in found.items() if runs}
    if not found:
        raise SystemExit(
            f"{options.folder}: no results; `eyewall-deploy trial t-m1.toml --output "
            f"{options.folder / 't-m1'}` writes those of T-M1"
        )
    against = (("2", DEFAULT, (*HEURISTICS, RAS), TABLE_2), ("3", RAS, HEURISTICS, TABLE_3))
    for number, base, others, paper in against:
        header = ("topology", *others, OURS)
        title = f"Table {number}: maximum throughput by that of {base}, the paper's / ours"
        show(header, _ratios(found, base, others, paper), title)
    schedulers = (DEFAULT, RAS, *HEURISTICS, OURS)
    header = ("topology", "runs", *schedulers)
    figures: Mapping[str, Callable[[LiveRun], float]] = {
        f"Median latency in ms at load {QUIET:g}": lambda it: 1000 * it.p50,
        f"Least latency in ms at load {QUIET:g}": lambda it: 1000 * it.least,
        f"Tuples/s in the last minute at load {OVERLOAD:g}": lambda it: it.throughput,
        f"Moves at load {OVERLOAD:g}": lambda it: it.moves,
        f"Seconds without output at load {OVERLOAD:g}": lambda it: it.silent,
        "Hundredths of a core of the hosts in use, at the end": lambda it: it.cpu,
    }
    for title, of in figures.items():
        show(header, _figure_rows(found, schedulers, of), title)
    if options.plots is not None:
        options.plots.mkdir(parents=True, exist_ok=True)
        drawn = list(panels(found, schedulers))
        draw(
            drawn, min(3, len(drawn)), options.plots / "reproduction-002-live.svg", one_legend=True
        )
    missing = [it for it in TOPOLOGIES if it not in found]
    if missing:
        CONSOLE.print(f"not measured: {', '.join(missing)}")


def panels(found: Mapping[str, Found], schedulers: Sequence[str]) -> Iterator[Panel]:
    """Yield each topology's throughputs by the CPU of the hosts in use (figures 6, 8 and 9)."""
    for topology, runs in found.items():
        lines: dict[str, Line] = {}
        for name in schedulers:
            points = sorted((it.cpu, it.throughput) for it in runs.get(name, ()))
            if points:
                lines[name] = [cpu for cpu, _ in points], [rate for _, rate in points]
        yield Panel("hundredths of a core", "tuples/s", lines, topology, from_zero=True)


def read_runs(file: Path) -> dict[str, list[LiveRun]]:
    """Return scheduler → its starts, of a trial's `results.json`."""
    content: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    by_start: dict[tuple[str, int], dict[float, Mapping[str, Any]]] = {}
    for it in content["runs"]:
        by_start.setdefault((it["scheduler"], it["repetition"]), {})[it["load"]] = it
    found: dict[str, list[LiveRun]] = {}
    for (scheduler, _), loads in sorted(by_start.items()):
        if OVERLOAD not in loads or QUIET not in loads or loads[QUIET]["figures"]["p50"] is None:
            continue
        full = loads[OVERLOAD]
        used = {line.split(":")[0] for line in full["placement"]}
        cpu = 100 * sum(content["host_cores"][host] for host in used)
        run = LiveRun(
            throughput=fmean(it["acked"] for it in full["seconds"][-LAST:]),
            p50=loads[QUIET]["figures"]["p50"],
            least=bucket_middle(min(map(int, loads[QUIET]["latency"]))),
            cpu=cpu,
            moves=len(full["moves"]),
            silent=full["figures"]["silent_seconds"],
        )
        found.setdefault(scheduler, []).append(run)
    return found


def throughput_ratio(found: Found, scheduler: str, base: str) -> float | None:
    """Return the median throughput by that of another scheduler; None where one is not there."""
    ours, theirs = (_throughput(found, it) for it in (scheduler, base))
    return ours / theirs if ours is not None and theirs else None


def _throughput(found: Found, scheduler: str) -> float | None:
    runs = found.get(scheduler)
    return median(it.throughput for it in runs) if runs else None


def _ratios(
    found: Mapping[str, Found],
    base: str,
    others: Sequence[str],
    paper: Mapping[str, Mapping[str, float]],
) -> Iterator[Row]:
    schedulers = (*others, OURS)
    ours = {
        topology: {it: throughput_ratio(runs, it, base) for it in schedulers}
        for topology, runs in found.items()
    }
    for topology, row in ours.items():
        theirs = paper.get(topology, {})
        yield topology, *(_pair(theirs.get(it), row[it]) for it in schedulers)
    alike = [it for it in ours if it.startswith(RANDOM) and it in paper]
    means = [
        _pair(_mean([paper[it].get(name) for it in alike]), _mean([ours[it][name] for it in alike]))
        for name in schedulers
    ]
    yield "mean of the random ones", *means


def _mean(values: Sequence[float | None]) -> float | None:
    known = [it for it in values if it is not None]
    return fmean(known) if known else None


def _pair(theirs: float | None, ours: float | None) -> str:
    return " / ".join("–" if it is None else f"{it:.2f}" for it in (theirs, ours))


def _figure_rows(
    found: Mapping[str, Found], schedulers: Sequence[str], of: Callable[[LiveRun], float]
) -> Iterator[Row]:
    for topology, runs in found.items():
        values = (range_text([of(it) for it in runs.get(name, ())]) for name in schedulers)
        yield topology, _starts(runs), *values


def _starts(runs: Found) -> str:
    return str(max(len(it) for it in runs.values()))
