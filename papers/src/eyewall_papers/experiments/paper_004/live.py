"""Paper 004 live: deviation from the target rate with and without re-allocation of links.

On the emulated cluster two-kinds two topologies send from the plant to the centre what the plant's
uplink cannot carry: `urgent`, which was promised its rate and may pay for it, and `bulk`, whose
budget permits no second hop. Turns with re-allocation (algorithm 4 decides every 2 s) and without
(all on the public network) alternate in one run: off, on, on, off, …

Deviation is that of section 6.2, Σ (B − B̂)/B over all windows, here as a mean over the windows so
that its unit is a share of the rate. B is what the source emits, B̂ what the consumer sees. A window
above the rate counts as 0, so that late tuples do not make up for missing ones; the plain mean, in
which they do, is reported next to it. Run it in the repository's root: it brings the cluster up by
`benchmarks.loop`.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from eyewall_deploy.measure.tuple_events import read_events
from matplotlib.figure import Figure

from benchmarks.loop.cluster import RunningCluster, print_progress, start_cluster
from eyewall_papers.experiments.report import (
    CONSOLE,
    Row,
    add_plots,
    at_least,
    save,
    show,
    style,
)

CLUSTER = "two-kinds"
RATE = 20.0
"""Sentences per second of each source."""
PAYLOAD = 16_000
PROMISED_MBIT = 2.7
"""Of the 2.56 Mbit/s of sentences, and what goes around them."""
BUDGET_PER_MB = {"urgent": 50.0, "bulk": 1.5}
"""A hop costs 1."""
EXECUTORS = 3
COLOURS = {"urgent": "#1f6fb4", "bulk": "#b58a3a"}
COLUMNS = ("topology", "re-allocation", "deviation", "plain mean", "worst window", "windows")


@dataclass(frozen=True, slots=True)
class LinkTurn:
    """A stretch of time with or without re-allocation; seconds since the epoch."""

    reallocates: bool
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class RateWindow:
    """The rate at a topology's consumer in one window: sentences per second."""

    topology: str
    turn: int
    reallocates: bool
    begin: float
    rate: float


@dataclass(frozen=True, slots=True)
class Deviation:
    """Of one topology over all windows with, or all without, re-allocation: shares of its rate."""

    topology: str
    reallocates: bool
    windows: int
    mean: float
    plain: float
    worst: float


def windows_of(
    topology: str, seen: Sequence[float], turns: Sequence[LinkTurn], settle: float, length: float
) -> list[RateWindow]:
    """Cut each turn, after `settle` seconds, into windows of equal length in seconds.

    `seen` are the times at which sentences arrived.
    """
    found = []
    for number, turn in enumerate(turns):
        count = int((turn.end - turn.begin - settle) / length)
        edges = [turn.begin + settle + length * place for place in range(count + 1)]
        for begin, end in pairwise(edges):
            arrived = sum(begin <= at < end for at in seen)
            found.append(RateWindow(topology, number, turn.reallocates, begin, arrived / length))
    return found


def deviation_of(windows: Sequence[RateWindow], target: float) -> Deviation:
    """Σ (B − B̂)/B over windows of one topology and one kind of turn, see the module."""
    behind = [(target - window.rate) / target for window in windows]
    return Deviation(
        topology=windows[0].topology,
        reallocates=windows[0].reallocates,
        windows=len(windows),
        mean=fmean(max(0.0, it) for it in behind),
        plain=fmean(behind),
        worst=max(behind),
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--turns", type=at_least(2), default=6, help="off, on, on, off, …; at least 2"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of each turn")
    parser.add_argument("--settle", type=float, default=15.0, help="seconds left out of each turn")
    parser.add_argument("--window", type=float, default=5.0, help="seconds")
    parser.add_argument("--json", type=Path, help="file for all windows")
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    if options.seconds - options.settle < options.window:
        raise SystemExit(
            f"--seconds {options.seconds:g}: less --settle {options.settle:g} they must hold a "
            f"--window of {options.window:g}"
        )
    with tempfile.TemporaryDirectory(prefix="eyewall-live-") as scratch:
        events = Path(scratch, "events")
        with start_cluster(CLUSTER, Path(scratch, "run"), "--without-agents") as running:
            _submit(running, events)
            turns = _take_turns(running, options.turns, options.seconds)
            routes = json.loads(running.deployment.run.marks.read_text(encoding="utf-8"))
        windows, failed = [], 0
        for topology in BUDGET_PER_MB:
            found = read_events(events / topology)
            failed += len(found.failed)
            seen = [it.at for it in found.arrivals]
            windows += windows_of(topology, seen, turns, options.settle, options.window)
    deviations = [
        deviation_of([it for it in windows if it.topology == name and it.reallocates == on], RATE)
        for name in BUDGET_PER_MB
        for on in (False, True)
    ]
    if options.plots:
        _draw(windows, turns, options.plots / "reproduction-004-live.svg")
    if options.json:
        content = {
            "deviations": [asdict(it) for it in deviations],
            "windows": [asdict(it) for it in windows],
            "turns": [asdict(it) for it in turns],
            "failed": failed,
            "last_routes": routes["connections"],
        }
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    show(COLUMNS, map(_row, deviations), left=2)
    CONSOLE.print(
        f"{len(turns)} turns of {options.seconds:g} s, the first {options.settle:g} s of each left "
        f"out, windows of {options.window:g} s; {failed} tuples failed"
    )


def _submit(running: RunningCluster, events: Path) -> None:
    for name, budget in BUDGET_PER_MB.items():
        running.submit(
            "haul",
            {
                "eyewall.pin": {"source": ["plant"], "consumer": ["centre"]},
                "eyewall.rate.promised.mbit": {"source": PROMISED_MBIT},
                "eyewall.budget.per.mb": budget,
                "haul.rate": RATE,
                "haul.payload.bytes": PAYLOAD,
                "measure.dir": str(events / name),
                "topology.workers": 2,
            },
            under=name,
        )
    for name in BUDGET_PER_MB:
        running.placed(name, EXECUTORS)
    print_progress("both topologies are placed; their workers begin")
    time.sleep(20.0)


def _take_turns(running: RunningCluster, count: int, seconds: float) -> list[LinkTurn]:
    turns = []
    for number in range(count):
        reallocates = number % 4 in {1, 2}
        running.run("reallocation", "on" if reallocates else "off")
        print_progress(
            f"turn {number + 1} of {count}: re-allocation is {'on' if reallocates else 'off'}"
        )
        begin = time.time()
        time.sleep(seconds)
        turns.append(LinkTurn(reallocates, begin, time.time()))
    return turns


def _row(it: Deviation) -> Row:
    shares = (f"{100 * share:.1f} %" for share in (it.mean, it.plain, it.worst))
    return it.topology, "on" if it.reallocates else "off", *shares, str(it.windows)


def _draw(windows: Sequence[RateWindow], turns: Sequence[LinkTurn], file: Path) -> None:
    """Draw the rate in each window as a share of the target; turns with re-allocation shaded."""
    start = turns[0].begin
    with style():
        figure = Figure(figsize=(7.5, 2.8), layout="constrained")
        panel = figure.subplots()
        for turn in turns:
            if turn.reallocates:
                panel.axvspan(turn.begin - start, turn.end - start, color="0.92", lw=0)
        panel.axhline(1.0, color="0.5", lw=0.8, ls="--")
        for topology in dict.fromkeys(it.topology for it in windows):
            for number in range(len(turns)):
                mine = [it for it in windows if it.topology == topology and it.turn == number]
                panel.plot(
                    [it.begin - start for it in mine],
                    [it.rate / RATE for it in mine],
                    ".-",
                    color=COLOURS[topology],
                    label=None if number else topology,
                    lw=1.0,
                )
        panel.set_xlabel("seconds; shaded: with re-allocation of links")
        panel.set_ylabel("delivered / target rate")
        panel.set_ylim(bottom=0.0)
        panel.legend(loc="lower right")
        save(figure, file)
