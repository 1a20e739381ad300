"""Paper 000, section 7, from trials on Storm: figures 4 to 7 next to the paper's.

`000-trials` writes the files; each is run first: `eyewall-deploy trial FOLDER/heuristics.toml
--output FOLDER/heuristics`, and `r-against-a` likewise. The network's metrics are means over the
second half of the measurement (`live_placements`); latency is the mean of all that was acked then,
from a sentence's first emission, so that it has no part of the time in which the source stood
still. Storm's own schedulers ignore the pins.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyewall_deploy import cluster_file
from eyewall_deploy.cluster_file import Cluster

from eyewall_papers.experiments.paper_000.live_placements import (
    ACKER,
    NetworkMetrics,
    executor_counts,
    mean_latency,
    mean_metrics,
    placed_spans,
)
from eyewall_papers.experiments.paper_000.trial_files import (
    AVAILABILITY,
    HEURISTICS,
    UNSURE,
    optimum_of,
)
from eyewall_papers.experiments.report import (
    CONSOLE,
    Panel,
    Row,
    add_plots,
    draw,
    range_text,
    show,
)

TRIALS = ("r-against-a", "heuristics")
PAPER = {
    "pietzuch": "T 1.84, latency 1.15, 16 reassignments",
    "rizou": "N 1.0, 5 reassignments",
    "xu": "T 1.0 from 750 s on, 2 reassignments",
}
"""Heuristic → its figures by those of S-ODP (figures 5 to 7)."""
PAPER_R_AGAINST_A = (
    "paper: R of S-ODP_A 1.8 times that of S-ODP_R; S-ODP_R lost 3.37 % of the tuples, with 8 of "
    "12 executors on nodes of 99 %"
)
METRICS: Mapping[str, tuple[str, Callable[[NetworkMetrics], float]]] = {
    "EE": ("elastic energy, ms² · tuples/s", lambda it: 1e6 * it.elastic_energy),
    "N": ("network usage, tuples under way", lambda it: it.network_usage),
    "T": ("inter-node traffic, tuples/s", lambda it: it.traffic),
}
"""Term → what it is called, and its value."""
Runs = Mapping[str, Sequence[Mapping[str, Any]]]
"""Scheduler → its runs, one a repetition."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="with a folder of results for each trial")
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    found = {
        trial: json.loads(file.read_text(encoding="utf-8"))
        for trial in TRIALS
        if (file := options.folder / trial / "results.json").is_file()
    }
    if not found:
        raise SystemExit(
            f"{options.folder}: no results; `eyewall-deploy trial heuristics.toml --output "
            f"{options.folder / 'heuristics'}` writes those of section 7.2"
        )
    if (results := found.get("r-against-a")) is not None:
        show_availability(by_scheduler(results), results["seconds"])
    if (results := found.get("heuristics")) is not None:
        cluster = cluster_file.load(results["cluster"])
        runs = by_scheduler(results)
        show_heuristics(runs, cluster, results["seconds"] / 2)
        if options.plots is not None:
            options.plots.mkdir(parents=True, exist_ok=True)
            drawn = panels(runs, cluster)
            if not drawn:
                raise SystemExit("no heuristic was measured beside its optimum: no picture")
            draw(drawn, len(drawn) // 2, options.plots / "reproduction-000-live.svg")


def by_scheduler(results: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """Return scheduler → its runs, in the order of the file."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for it in results["runs"]:
        found.setdefault(it["scheduler"], []).append(it)
    return found


def show_availability(runs: Runs, seconds: float) -> None:
    """Show section 7.1: response time, what was lost, and where executors were."""
    header = (
        "scheduler",
        "runs",
        "p50, ms",
        "mean, ms",
        "lost, %",
        "not acked of what was due, %",
        "silent s",
        "moves",
        "of 12 on nodes of 99 %",
    )
    title = f"Section 7.1, {seconds:g} s, nodes of {AVAILABILITY:.0%} fail"
    show(header, (_availability_row(name, own) for name, own in runs.items()), title)
    CONSOLE.print(PAPER_R_AGAINST_A)


def _availability_row(scheduler: str, runs: Sequence[Mapping[str, Any]]) -> Row:
    return (
        scheduler,
        str(len(runs)),
        _middle(runs, lambda it: _milliseconds(it["figures"]["p50"])),
        _middle(runs, lambda it: _milliseconds(mean_latency(it))),
        _middle(runs, lost_percent),
        _middle(runs, lambda it: 100 * (1 - it["figures"]["acked_per_second"] / _due(it))),
        _middle(runs, lambda it: it["figures"]["silent_seconds"]),
        _middle(runs, lambda it: it["figures"]["moves"]),
        _middle(runs, lambda it: executors_on(it["first_placement"] or it["placement"], UNSURE)),
    )


def _due(run: Mapping[str, Any]) -> float:
    return float(run["figures"]["due_per_second"])


def lost_percent(run: Mapping[str, Any]) -> float | None:
    """Return the percent of numbered tuples that never came to a sink; None if none were counted.

    Tuples that failed and were emitted again are not lost.
    """
    seen = run["seen"]
    return None if seen is None or not seen["tuples"] else 100 * seen["lost"] / seen["tuples"]


def executors_on(placement: Sequence[str], hosts: Sequence[str]) -> float:
    """Return how many executors of the topology's own components are on hosts."""
    own = (of for name, of in executor_counts(placement).items() if name != ACKER)
    return float(sum(of.get(host, 0) for of in own for host in hosts))


def show_heuristics(runs: Runs, cluster: Cluster, since: float) -> None:
    """Show section 7.2: what each aims at, moves, and what it cost the topology."""
    header = (
        "scheduler",
        "runs",
        "EE, ms² tuples/s",
        "N, tuples",
        "T, tuples/s",
        "latency, ms",
        "moves",
        "restarts",
        "silent s",
        "p99, ms",
    )
    rows = (_heuristics_row(name, own, cluster, since) for name, own in runs.items())
    show(header, rows, f"Section 7.2, from second {since:g} on")
    for heuristic, theirs in PAPER.items():
        if {heuristic, optimum_of(heuristic)} <= runs.keys():
            CONSOLE.print(f"{heuristic} by {optimum_of(heuristic)}, paper: {theirs}")


def _heuristics_row(
    scheduler: str, runs: Sequence[Mapping[str, Any]], cluster: Cluster, since: float
) -> Row:
    means = [mean_metrics(placed_spans(it, cluster), since) for it in runs]
    return (
        scheduler,
        str(len(runs)),
        *(range_text([of(it) for it in means]) for _, of in METRICS.values()),
        _middle(runs, lambda it: _milliseconds(mean_latency(it, since))),
        _middle(runs, lambda it: it["figures"]["moves"]),
        _middle(runs, lambda it: it["figures"]["restarted_workers"]),
        _middle(runs, lambda it: it["figures"]["silent_seconds"]),
        _middle(runs, lambda it: _milliseconds(it["figures"]["p99"])),
    )


def panels(runs: Runs, cluster: Cluster) -> list[Panel]:
    """Return what each heuristic aims at over time, then each one's latency (figures 5 to 7)."""
    both = {
        heuristic: term
        for heuristic, term in HEURISTICS.items()
        if {heuristic, optimum_of(heuristic)} <= runs.keys()
    }
    aims = [_aim_over_time(runs, it, cluster) for it in both]
    latencies = [
        Panel(
            "s",
            "p50, ms",
            {name: latency_over_time(runs[name][0]) for name in (it, optimum_of(it))},
            steps=True,
            scales=("linear", "log"),
        )
        for it in both
    ]
    return [*aims, *latencies]


def _aim_over_time(runs: Runs, heuristic: str, cluster: Cluster) -> Panel:
    aim, of = METRICS[HEURISTICS[heuristic]]
    lines = {}
    for name in (heuristic, optimum_of(heuristic)):
        spans = placed_spans(runs[name][0], cluster)
        values = [of(it.metrics) for it in spans]
        lines[name] = [*(it.begin for it in spans), spans[-1].end], [*values, values[-1]]
    moves = [it["at"] for it in runs[heuristic][0]["moves"] if it["at"] >= 0]
    return Panel("s", aim, lines, heuristic, moves, steps=True, from_zero=True)


def latency_over_time(run: Mapping[str, Any]) -> tuple[list[float], list[float]]:
    """Return seconds, and the median latency of what was acked in each, in ms."""
    known = [(float(it["at"]), 1e3 * it["p50"]) for it in run["seconds"] if it["p50"] is not None]
    return [at for at, _ in known], [value for _, value in known]


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1e3 * seconds


def _middle(
    runs: Sequence[Mapping[str, Any]], of: Callable[[Mapping[str, Any]], float | None]
) -> str:
    return range_text([it for it in map(of, runs) if it is not None])
