"""Paper 001, section VIII, by simulation: MOPA and SBON against the optimum, and how they adapt.

Operator trees between pinned sources and a pinned sink are placed on PlanetLab nodes by way of a
3-D cost space, and valued by the measured delays. Figure 2: network usage by that of the optimum.
Figures 3 and 4: messages and migrations until rest after the rates of all sources were drawn again.
The paper gives no constants for either method: by default they are those of our policies.
The paper has 1,000 and 2,000 graphs on 226 nodes. `--matrix` names a square matrix of round-trip
times in ms, tab-separated, plain or gzip.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.random import default_rng

from eyewall_papers.cost_space.equilibrium import SpringTurns, Turns, WeberTurns
from eyewall_papers.experiments.paper_001.trials import (
    MethodResult,
    PlacedTree,
    TreeNetwork,
    measure,
)
from eyewall_papers.experiments.report import CONSOLE, Panel, Row, add_plots, draw, show
from eyewall_papers.instances.operator_trees import TreeSize
from eyewall_papers.policies import pietzuch, rizou

SMALL, LARGE = 6, 12
METHODS = MOPA, SBON = "MOPA", "SBON"
Results = dict[str, MethodResult]
"""Method → its result."""


@dataclass(frozen=True, slots=True)
class _Figure:
    """A line of the table: a figure of trees of one size, and the paper's value."""

    name: str
    paper: str
    operators: int
    figure: Callable[[Results], str]


def figures() -> Iterator[_Figure]:
    """Yield every figure of the paper, and explanatory ones."""
    quoted = {
        (SMALL, MOPA): ("1.14", "< 1.1", "3.67"),
        (SMALL, SBON): ("1.29", "1.3", "6.61"),
    }
    for count, method in product((SMALL, LARGE), METHODS):
        mean, most, greatest = quoted.get((count, method), ("", "", ""))
        stretch = f"{method}: stretch"

        def of(
            show: str, value: Callable[[MethodResult], float], method: str = method
        ) -> Callable[[Results], str]:
            return lambda found: show.format(value(found[method]))

        yield _Figure(f"{stretch}, mean", mean, count, of("{:.2f}", lambda it: it.stretch.mean()))
        seventy = of("{:.2f}", lambda it: float(np.quantile(it.stretch, 0.7)))
        yield _Figure(f"{stretch}, 70 % are below", most, count, seventy)
        yield _Figure(f"{stretch}, max", greatest, count, of("{:.2f}", lambda it: it.stretch.max()))
        below = of("{:.0%}", lambda it: float((it.stretch < 1.1).mean()))
        yield _Figure(f"{stretch} below 1.1", "70 %" if most == "< 1.1" else "", count, below)
    for method, quote in ((MOPA, "0–28"), (SBON, "64–365")):

        def messages(found: Results, method: str = method) -> str:
            sent = found[method].messages
            return f"{sent.min():.0f}–{sent.max():.0f}, {sent.mean():.1f} in the mean"

        yield _Figure(f"{method}: messages", quote, LARGE, messages)
    yield from _comparisons()


def _comparisons() -> Iterator[_Figure]:
    def share(found: Results) -> str:
        return f"{found[MOPA].messages.sum() / max(1.0, found[SBON].messages.sum()):.2%}"

    yield _Figure("messages: MOPA's by SBON's", "3.25 %", LARGE, share)
    yield _Figure(
        "trees where MOPA sends fewer messages",
        "100 %",
        LARGE,
        lambda found: f"{(found[MOPA].messages < found[SBON].messages).mean():.1%}",
    )
    for kind, quotes in (("eager", ("−26.8 %", "90 %")), ("lazy", ("", ""))):

        def both(found: Results, kind: str = kind) -> str:
            means = (getattr(found[it], kind).mean() for it in METHODS)
            return " and ".join(f"{it:.2f}" for it in means)

        def change(found: Results, kind: str = kind) -> str:
            mine, theirs = (getattr(found[it], kind).sum() for it in (MOPA, SBON))
            return f"{mine / max(1.0, theirs) - 1:+.1%}"

        def fewer(found: Results, kind: str = kind) -> str:
            mine, theirs = (getattr(found[it], kind) for it in (MOPA, SBON))
            return f"{(mine < theirs).mean():.0%} (no more: {(mine <= theirs).mean():.0%})"

        yield _Figure(f"{kind} migrations of {MOPA} and {SBON}, mean", "", LARGE, both)
        yield _Figure(f"{kind} migrations: MOPA's against SBON's", quotes[0], LARGE, change)
        yield _Figure(f"trees with fewer {kind} migrations of MOPA", quotes[1], LARGE, fewer)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--matrix", type=Path, required=True, help="round-trip times in ms")
    parser.add_argument("--graphs6", type=int, default=100, help="trees of 6 operators")
    parser.add_argument("--graphs12", type=int, default=200, help="trees of 12 operators")
    parser.add_argument("--nodes", type=int, nargs="+", default=[226, 490])
    parser.add_argument(
        "--sizes",
        type=TreeSize,
        nargs="+",
        default=list(TreeSize),
        help="what 6 and 12 count: free, all",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least-gain", type=float, default=rizou.TURNS.least_gain, help="MOPA's")
    parser.add_argument("--damping", type=float, default=pietzuch.TURNS.damping, help="SBON's")
    parser.add_argument("--at-rest", type=float, default=pietzuch.TURNS.at_rest, help="SBON's")
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    delays = np.loadtxt(options.matrix, delimiter="\t") / 2 / 1000
    np.fill_diagonal(delays, 0.0)
    methods: dict[str, Turns] = {
        MOPA: WeberTurns(least_gain=options.least_gain),
        SBON: SpringTurns(damping=options.damping, at_rest=options.at_rest),
    }
    found: dict[tuple[int, TreeSize], dict[int, Results]] = {}
    for nodes in options.nodes:
        network = TreeNetwork.drawn(delays, nodes, default_rng([options.seed, nodes]))
        CONSOLE.print(
            f"{nodes} nodes: distances are off by {network.error * 1e3:.1f} ms of RTT in the mean "
            "(paper: 15 at 226)"
        )
        for size in options.sizes:
            found[nodes, size] = {}
            for count, trees in ((SMALL, options.graphs6), (LARGE, options.graphs12)):
                rng = default_rng([options.seed, nodes, list(TreeSize).index(size), count])
                drawn = [PlacedTree.drawn(rng, nodes, count, size) for _ in range(trees)]
                found[nodes, size][count] = measure(network, drawn, methods)
    CONSOLE.print(
        f"{options.graphs6} trees of {SMALL}, {options.graphs12} of {LARGE}, seed {options.seed}; "
        + "; ".join(f"{name}: {turns}" for name, turns in methods.items())
    )
    header = ("size", "figure", "paper", *(f"{nodes} nodes, {size}" for nodes, size in found))
    show(header, _rows(list(found.values())), left=2)
    if options.plots:
        first = next(iter(found.values()))
        panels = [
            _distribution(f"stretch, {SMALL} operators", first[SMALL], "stretch"),
            _distribution(f"messages, {LARGE} operators", first[LARGE], "messages"),
            _distribution(f"eager migrations, {LARGE} operators", first[LARGE], "eager"),
        ]
        draw(panels, 3, options.plots / "reproduction-001.svg")


def _rows(found: list[dict[int, Results]]) -> Iterator[Row]:
    for it in figures():
        cells = (it.figure(results[it.operators]) for results in found)
        yield str(it.operators), it.name, it.paper, *cells
    for count, method in product((SMALL, LARGE), METHODS):
        cells = (f"{results[count][method].milliseconds:.2f}" for results in found)
        yield str(count), f"{method}: ms a tree, placed and adapted", "", *cells


def _distribution(x: str, results: Results, quantity: str) -> Panel:
    lines = {}
    for method, it in results.items():
        values = np.sort(getattr(it, quantity))
        lines[method] = values.tolist(), (np.arange(1, len(values) + 1) / len(values)).tolist()
    return Panel(x, "share of trees", lines, steps=True, from_zero=True)
