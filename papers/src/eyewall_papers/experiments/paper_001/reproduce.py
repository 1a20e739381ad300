"""Paper 001, section VIII, by simulation: MOPA and SBON against the optimum, and how they adapt.

Operator trees between pinned sources and a pinned sink are placed on PlanetLab nodes by way of a
3-D cost space, and valued by the measured delays. Figure 2: network usage by that of the optimum.
Figures 3 and 4: messages and migrations until rest after the rates of all sources were drawn anew.
The paper gives no constants for either method: unless said, they are those of our policies.

    python benchmarks/reproduce_001.py --matrix FILE [--graphs6 100] [--graphs12 200]
        [--nodes 226 490] [--sizes free all] [--seed 1] [--plot FILE.svg]
        [--least-gain G] [--damping D] [--at-rest R]

The paper has 1,000 and 2,000 graphs on 226 nodes. FILE is a square matrix of round-trip times in
ms, tab-separated, plain or gzip. Prints tables and asserts nothing.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from eyewall_sidecar.model.arrays import Floats
from numpy.random import default_rng
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from eyewall_papers.cost_space.equilibrium import SpringTurns, Turns, WeberTurns
from eyewall_papers.experiments.paper_001.cost_space_trials import (
    Network,
    Outcome,
    Question,
    measure,
)
from eyewall_papers.experiments.paper_001.distribution_plot import draw
from eyewall_papers.instances.operator_trees import Size
from eyewall_papers.policies import pietzuch, rizou

SMALL, LARGE = 6, 12
METHODS = MOPA, SBON = "MOPA", "SBON"
Outcomes = dict[str, Outcome]
"""Method → what it came to."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: a figure of trees of one size, and what the paper has."""

    name: str
    paper: str
    operators: int
    figure: Callable[[Outcomes], str]


def rows() -> Iterator[Row]:
    """Yield every figure that the paper gives, and what helps to read it."""
    quoted = {
        (SMALL, MOPA): ("1.14", "< 1.1", "3.67"),
        (SMALL, SBON): ("1.29", "1.3", "6.61"),
    }
    for count, method in product((SMALL, LARGE), METHODS):
        mean, most, greatest = quoted.get((count, method), ("", "", ""))
        stretch = f"{method}: stretch"

        def of(
            show: str, value: Callable[[Outcome], float], method: str = method
        ) -> Callable[[Outcomes], str]:
            return lambda found: show.format(value(found[method]))

        yield Row(f"{stretch}, mean", mean, count, of("{:.2f}", lambda it: it.stretch.mean()))
        seventy = of("{:.2f}", lambda it: float(np.quantile(it.stretch, 0.7)))
        yield Row(f"{stretch}, 70 % are below", most, count, seventy)
        yield Row(f"{stretch}, max", greatest, count, of("{:.2f}", lambda it: it.stretch.max()))
        below = of("{:.0%}", lambda it: float((it.stretch < 1.1).mean()))
        yield Row(f"{stretch} below 1.1", "70 %" if most == "< 1.1" else "", count, below)
    for method, quote in ((MOPA, "0–28"), (SBON, "64–365")):

        def messages(found: Outcomes, method: str = method) -> str:
            sent = found[method].messages
            return f"{sent.min():.0f}–{sent.max():.0f}, {sent.mean():.1f} in the mean"

        yield Row(f"{method}: messages", quote, LARGE, messages)
    yield from _comparisons()


def _comparisons() -> Iterator[Row]:
    def share(found: Outcomes) -> str:
        return f"{found[MOPA].messages.sum() / max(1.0, found[SBON].messages.sum()):.2%}"

    yield Row("messages: MOPA's by SBON's", "3.25 %", LARGE, share)
    yield Row(
        "trees where MOPA sends fewer messages",
        "100 %",
        LARGE,
        lambda found: f"{(found[MOPA].messages < found[SBON].messages).mean():.1%}",
    )
    for kind, quotes in (("eager", ("−26.8 %", "90 %")), ("lazy", ("", ""))):

        def both(found: Outcomes, kind: str = kind) -> str:
            means = (getattr(found[it], kind).mean() for it in METHODS)
            return " and ".join(f"{it:.2f}" for it in means)

        def change(found: Outcomes, kind: str = kind) -> str:
            mine, theirs = (getattr(found[it], kind).sum() for it in (MOPA, SBON))
            return f"{mine / max(1.0, theirs) - 1:+.1%}"

        def fewer(found: Outcomes, kind: str = kind) -> str:
            mine, theirs = (getattr(found[it], kind) for it in (MOPA, SBON))
            return f"{(mine < theirs).mean():.0%} (no more: {(mine <= theirs).mean():.0%})"

        yield Row(f"{kind} migrations of {MOPA} and {SBON}, mean", "", LARGE, both)
        yield Row(f"{kind} migrations: MOPA's against SBON's", quotes[0], LARGE, change)
        yield Row(f"trees with fewer {kind} migrations of MOPA", quotes[1], LARGE, fewer)


def main() -> None:
    options = _options()
    delays = np.loadtxt(options.matrix, delimiter="\t") / 2 / 1000
    np.fill_diagonal(delays, 0.0)
    methods: dict[str, Turns] = {
        MOPA: WeberTurns(least_gain=options.least_gain),
        SBON: SpringTurns(damping=options.damping, at_rest=options.at_rest),
    }
    console = Console(width=200)
    found: dict[tuple[int, Size], dict[int, Outcomes]] = {}
    for nodes in options.nodes:
        network = Network.drawn(delays, nodes, default_rng([options.seed, nodes]))
        console.print(
            f"{nodes} nodes: distances are off by {network.error * 1e3:.1f} ms of RTT in the mean "
            "(paper: 15 at 226)"
        )
        for size in options.sizes:
            found[nodes, size] = {}
            for count, trees in ((SMALL, options.graphs6), (LARGE, options.graphs12)):
                rng = default_rng([options.seed, nodes, list(Size).index(size), count])
                questions = [Question.drawn(rng, nodes, count, size) for _ in range(trees)]
                found[nodes, size][count] = measure(network, questions, methods)
    console.print(
        f"{options.graphs6} trees of {SMALL}, {options.graphs12} of {LARGE}, seed {options.seed}; "
        + "; ".join(f"{name}: {turns}" for name, turns in methods.items())
    )
    console.print(_table(found))
    if options.plot:
        first = next(iter(found.values()))
        draw(
            {
                f"stretch, {SMALL} operators": _each(first[SMALL], "stretch"),
                f"messages, {LARGE} operators": _each(first[LARGE], "messages"),
                f"eager migrations, {LARGE} operators": _each(first[LARGE], "eager"),
            },
            options.plot,
        )


def _each(outcomes: Outcomes, quantity: str) -> dict[str, Floats]:
    return {method: getattr(it, quantity) for method, it in outcomes.items()}


def _table(found: dict[tuple[int, Size], dict[int, Outcomes]]) -> Table:
    table = Table("size", "figure", box=MARKDOWN)
    table.add_column("paper", justify="right")
    for nodes, size in found:
        table.add_column(f"{nodes} nodes, {size}", justify="right")
    for row in rows():
        cells = [row.figure(outcomes[row.operators]) for outcomes in found.values()]
        table.add_row(str(row.operators), row.name, row.paper, *cells)
    for count, method in product((SMALL, LARGE), METHODS):
        cells = [f"{outcomes[count][method].milliseconds:.2f}" for outcomes in found.values()]
        table.add_row(str(count), f"{method}: ms a tree, placed and adapted", "", *cells)
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matrix", type=Path, required=True, help="round-trip times in ms")
    parser.add_argument("--graphs6", type=int, default=100, help="trees of 6 operators")
    parser.add_argument("--graphs12", type=int, default=200, help="trees of 12 operators")
    parser.add_argument("--nodes", type=int, nargs="+", default=[226, 490])
    parser.add_argument(
        "--sizes", type=Size, nargs="+", default=list(Size), help="what 6 and 12 count: free, all"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least-gain", type=float, default=rizou.TURNS.least_gain, help="MOPA's")
    parser.add_argument("--damping", type=float, default=pietzuch.TURNS.damping, help="SBON's")
    parser.add_argument("--at-rest", type=float, default=pietzuch.TURNS.at_rest, help="SBON's")
    parser.add_argument("--plot", type=Path, help="SVG of the first setting's distributions")
    return parser.parse_args()


if __name__ == "__main__":
    main()
