"""Paper 003, section 7, by simulation: what the text quotes beside ours, and figures 2 to 9.

What its words leave open (what N counts, the units of cards, which links are limited) are options;
docs/reproduction-003.md says which reading agrees best.

    python benchmarks/reproduce_003.py [--trees nodes|operators|sparse|"at most"]
        [--cards gigabyte|gigabit] [--links servers|all] [--every-reading] [--seeds 10]
        [--limit 2] [--quick] [--plots DIR] [--json FILE]

Prints tables and asserts nothing.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from eyewall_papers.experiments.paper_003 import quoted
from eyewall_papers.experiments.paper_003.figures import (
    OPTIMUM,
    OURS,
    Figure,
    Prices,
    figures,
    mean,
    solve,
)
from eyewall_papers.experiments.paper_003.pictures import draw_page
from eyewall_papers.experiments.paper_003.trees import Trees
from eyewall_papers.experiments.paper_003.workload import Cards, Links, Reading
from eyewall_papers.experiments.progress import progress_bar

PAGES = {
    "small": ("2a", "2b", "3a", "3b"),
    "big": ("4a", "4b", "5a", "5b"),
    "rates": ("6a", "6b", "7a", "7b", "8a", "8b"),
    "homogeneous": ("9a", "9b"),
}
"""One picture each."""


def main() -> None:
    options = _options()
    seeds = range(options.seed, options.seed + options.seeds)
    taken = Reading(options.trees, options.cards, options.links)
    readings = [Reading(*it) for it in product(Trees, Cards, Links)]
    with progress_bar() as bar:
        beside = {
            reading: quoted.rows(reading, seeds)
            for reading in bar.track(
                readings if options.every_reading else [taken], description="what is quoted"
            )
        }
        found: dict[str, list[Prices]] = {}
        drawn = () if options.every_reading else figures(quick=options.quick)
        steps = sum(len(it.points) for it in drawn) * len(seeds)
        task = bar.add_task("figures", total=steps)
        for figure in drawn:
            bar.update(task, description=f"figure {figure.name}")
            found[figure.name] = solve(
                figure,
                taken,
                seeds=seeds,
                limit=options.limit,
                advance=lambda: bar.advance(task),
            )
    console = Console(width=240)
    for reading, rows in beside.items():
        name = ", ".join(asdict(reading).values())
        console.print(_table(("figure", "paper", name), rows))
    for figure in drawn:
        console.print(_points(figure, found[figure.name]))
    if drawn:
        console.print(_beside_ours(drawn, found))
    if options.plots and drawn:
        for page, names in PAGES.items():
            panels = [it.panel(found[it.name]) for it in drawn if it.name in names]
            draw_page(panels, 2, options.plots / f"reproduction-003-{page}.svg")
    if options.json:
        _write(options.json, beside, drawn, found)


def _points(figure: Figure, found: Sequence[Prices]) -> Table:
    """Means, and in brackets for how many trees there is one if not for all."""
    header = (f"{figure.name}: {figure.title}; {figure.x}", *found[0])
    rows = []
    for (x, _), prices in figure.drawn(found):
        cells = []
        for method in found[0]:
            average = mean(prices[method])
            known = sum(it is not None for it in prices[method])
            few = "" if known == len(prices[method]) else f" ({known})"
            cells.append("-" if average is None else f"{average:,.0f}{few}")
        rows.append((f"{x:g}", *cells))
    return _table(header, rows)


def _beside_ours(drawn: Sequence[Figure], found: dict[str, list[Prices]]) -> Table:
    """Return how each method compares with ours, over all problems of all figures."""
    methods = [it for it in found[drawn[0].name][0] if it != OURS]
    rows = []
    for method in (*methods, OPTIMUM):
        pairs = [
            pair
            for all_prices in found.values()
            for prices in all_prices
            if method in prices
            for pair in zip(prices[method], prices[OURS], strict=True)
        ]
        both = [(theirs, ours) for theirs, ours in pairs if theirs and ours]
        rows.append(
            (
                method,
                f"{len(pairs)}",
                f"{sum(it is not None for it, _ in pairs)}",
                f"{sum(ours is not None for _, ours in pairs)}",
                f"{sum(theirs > ours * (1 + 1e-9) for theirs, ours in both)}",
                f"{sum(theirs < ours * (1 - 1e-9) for theirs, ours in both)}",
                f"{sum(it for it, _ in both) / max(1, sum(it for _, it in both)):.3f}",
            )
        )
    header = ("method", "problems", "solved", "by ours", "dearer", "cheaper", "price by ours")
    return _table(header, rows)


def _write(
    file: Path,
    beside: dict[Reading, list[quoted.Row]],
    drawn: Sequence[Figure],
    found: dict[str, list[Prices]],
) -> None:
    content = {
        "quoted": [{"reading": asdict(reading), "rows": rows} for reading, rows in beside.items()],
        "figures": {
            it.name: [
                {"x": x, "setting": asdict(setting), "prices": prices}
                for (x, setting), prices in it.drawn(found[it.name])
            ]
            for it in drawn
        },
    }
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(*header, box=MARKDOWN)
    for row in rows:
        table.add_row(*row)
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    taken = Reading()
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
    parser.add_argument("--plots", type=Path, help="directory for the SVGs")
    parser.add_argument("--json", type=Path, help="file for all prices")
    return parser.parse_args()


if __name__ == "__main__":
    main()
