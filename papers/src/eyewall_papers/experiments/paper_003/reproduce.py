"""Paper 003, section 7, by simulation: the quoted values next to ours, and figures 2 to 9.

What its words leave open (what N counts, the units of cards, which links are limited) are options;
papers/docs/reproduction-003.md says which reading agrees best.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path

from eyewall_papers.experiments.paper_003 import paper_results
from eyewall_papers.experiments.paper_003.figures import (
    OPTIMUM,
    OURS,
    PriceFigure,
    Prices,
    figures,
    mean,
    solve,
)
from eyewall_papers.experiments.paper_003.workload import Cards, Links, Trees, WorkloadReading
from eyewall_papers.experiments.report import Row, add_plots, draw, progress_bar, show

PAGES = {
    "small": ("2a", "2b", "3a", "3b"),
    "big": ("4a", "4b", "5a", "5b"),
    "rates": ("6a", "6b", "7a", "7b", "8a", "8b"),
    "homogeneous": ("9a", "9b"),
}
"""One picture each."""
COMPARED = ("method", "problems", "solved", "by ours", "dearer", "cheaper", "price by ours")


def add_options(parser: argparse.ArgumentParser) -> None:
    taken = WorkloadReading()
    parser.add_argument("--trees", type=Trees, choices=list(Trees), default=taken.trees)
    parser.add_argument("--cards", type=Cards, choices=list(Cards), default=taken.cards)
    parser.add_argument("--links", type=Links, choices=list(Links), default=taken.links)
    parser.add_argument(
        "--every-reading", action="store_true", help="what is quoted, by every reading; no figures"
    )
    parser.add_argument("--seeds", type=int, default=10, help="trees at each point")
    parser.add_argument("--seed", type=int, default=1, help="the first of them")
    parser.add_argument("--limit", type=float, default=2.0, help="seconds for ours and the optimum")
    parser.add_argument("--quick", action="store_true", help="a third of the points")
    parser.add_argument("--json", type=Path, help="file for all prices")
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    seeds = range(options.seed, options.seed + options.seeds)
    taken = WorkloadReading(options.trees, options.cards, options.links)
    every = [WorkloadReading(*it) for it in product(Trees, Cards, Links)]
    readings = every if options.every_reading else [taken]
    drawn = () if options.every_reading else figures(quick=options.quick)
    found: dict[str, list[Prices]] = {}
    with progress_bar() as bar:
        quoted_rows = {
            reading: paper_results.rows(reading, seeds)
            for reading in bar.track(readings, description="what is quoted")
        }
        task = bar.add_task("figures", total=sum(len(it.points) for it in drawn) * len(seeds))
        for figure in drawn:
            bar.update(task, description=f"figure {figure.name}")
            found[figure.name] = solve(
                figure, taken, seeds=seeds, limit=options.limit, advance=lambda: bar.advance(task)
            )
    for reading, rows in quoted_rows.items():
        show(("figure", "paper", ", ".join(asdict(reading).values())), rows)
    for figure in drawn:
        prices = found[figure.name]
        show((f"{figure.name}: {figure.title}; {figure.x}", *prices[0]), _points(figure, prices))
    if drawn:
        show(COMPARED, _compare(found))
    if options.plots and drawn:
        for page, names in PAGES.items():
            panels = [it.panel(found[it.name]) for it in drawn if it.name in names]
            draw(panels, 2, options.plots / f"reproduction-003-{page}.svg", one_legend=True)
    if options.json:
        _write(options.json, quoted_rows, drawn, found)


def _points(figure: PriceFigure, found: Sequence[Prices]) -> Iterator[Row]:
    """Yield means, with the number of trees in brackets if some have none."""
    for (x, _), prices in figure.drawn(found):
        cells = []
        for method in found[0]:
            average = mean(prices[method])
            known = sum(it is not None for it in prices[method])
            few = "" if known == len(prices[method]) else f" ({known})"
            cells.append("-" if average is None else f"{average:,.0f}{few}")
        yield f"{x:g}", *cells


def _compare(found: dict[str, list[Prices]]) -> Iterator[Row]:
    """Yield how each method compares with ours, over all problems of all figures."""
    methods = [it for it in next(iter(found.values()))[0] if it != OURS]
    for method in (*methods, OPTIMUM):
        pairs = [
            pair
            for all_prices in found.values()
            for prices in all_prices
            if method in prices
            for pair in zip(prices[method], prices[OURS], strict=True)
        ]
        both = [(theirs, ours) for theirs, ours in pairs if theirs and ours]
        yield (
            method,
            f"{len(pairs)}",
            f"{sum(it is not None for it, _ in pairs)}",
            f"{sum(ours is not None for _, ours in pairs)}",
            f"{sum(theirs > ours * (1 + 1e-9) for theirs, ours in both)}",
            f"{sum(theirs < ours * (1 - 1e-9) for theirs, ours in both)}",
            f"{sum(it for it, _ in both) / max(1, sum(it for _, it in both)):.3f}",
        )


def _write(
    file: Path,
    quoted_rows: dict[WorkloadReading, list[Row]],
    drawn: Sequence[PriceFigure],
    found: dict[str, list[Prices]],
) -> None:
    content = {
        "quoted": [
            {"reading": asdict(reading), "rows": rows} for reading, rows in quoted_rows.items()
        ],
        "figures": {
            it.name: [
                {"x": x, "setting": asdict(setting), "prices": prices}
                for (x, setting), prices in it.drawn(found[it.name])
            ]
            for it in drawn
        },
    }
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
