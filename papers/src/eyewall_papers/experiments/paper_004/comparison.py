"""Figure 9 of paper 004: both kinds of links against each kind alone.

Over the rate of arrivals with 99 dedicated links, and over the number of links with 60 an hour.
"""

import argparse
from itertools import pairwise, product
from pathlib import Path

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from eyewall_papers.experiments.paper_004.options import at_least
from eyewall_papers.experiments.paper_004.platform_figures import (
    LINKS,
    PER_HOUR,
    Panel,
    draw,
    matched,
    series,
    table,
)
from eyewall_papers.experiments.paper_004.platform_trials import Case, Found, Setting, run_cases

LINKS_OF_A_TREE = 99
HOPS = 3
"""The longest dedicated path that the richest task pays for."""
PER_HOURS = (20.0, 40.0, 60.0, 90.0, 120.0)
DEFAULT_PER_HOUR = 60.0
LINK_COUNTS = (0, 25, 50, 75, 99, 125, 150, 200)
SETTINGS = (Setting.BOTH, Setting.DEDICATED, Setting.PUBLIC)
PANELS = (
    Panel("(a) throughput, tasks in an hour", LINKS, "throughput"),
    Panel("(b) acceptance", LINKS, "acceptance"),
    Panel("(c) utilisation of servers", PER_HOUR, "server_utilisation"),
    Panel("(d) utilisation of servers", LINKS, "server_utilisation"),
    Panel("(e) utilisation of dedicated links", PER_HOUR, "link_utilisation"),
    Panel("(f) utilisation of dedicated links", LINKS, "link_utilisation"),
    Panel("(g) deviation from the target rate", PER_HOUR, "deviation"),
    Panel("(h) deviation from the target rate", LINKS, "deviation"),
    Panel("(i) elongation of execution", PER_HOUR, "elongation"),
)
MEASURES = (
    "acceptance",
    "throughput",
    "server_utilisation",
    "link_utilisation",
    "deviation",
    "elongation",
)
FIXED: dict[str, float] = {PER_HOUR: LINKS_OF_A_TREE, LINKS: DEFAULT_PER_HOUR}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_platform_options(parser, "docs/reproduction-004-comparison.svg")


def add_platform_options(parser: argparse.ArgumentParser, plot: str) -> None:
    """Add what both experiments on platforms are asked for."""
    parser.add_argument("--networks", type=at_least(1), default=100, help="for each point")
    parser.add_argument("--tasks", type=at_least(1), default=500, help="for each network")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument("--processes", type=at_least(1), default=1)
    parser.add_argument("--budget", type=float, default=120.0, help="minutes")
    parser.add_argument("--results", type=Path, default=Path("reproduction-004.jsonl"))
    parser.add_argument("--plot", type=Path, default=Path(plot))


def run(options: argparse.Namespace) -> None:
    points = dict.fromkeys(
        [(DEFAULT_PER_HOUR, links) for links in LINK_COUNTS]
        + [(per_hour, LINKS_OF_A_TREE) for per_hour in PER_HOURS]
    )
    cases = [
        Case(per_hour, links, HOPS, options.tasks, number, setting)
        for number, (per_hour, links), setting in product(range(options.networks), points, SETTINGS)
    ]
    kept = run_cases(
        cases,
        options.results,
        seed=options.seed,
        minutes=options.budget,
        processes=options.processes,
    )
    found = matched(kept, SETTINGS)
    console = Console(width=200)
    console.print(table(found, SETTINGS, LINKS, DEFAULT_PER_HOUR, MEASURES))
    console.print(table(found, SETTINGS, PER_HOUR, LINKS_OF_A_TREE, MEASURES))
    console.print(_beside_paper(found))
    draw(found, PANELS, SETTINGS, FIXED, options.plot)


def _beside_paper(found: Found) -> Table:
    """Put what the paper quotes beside what came out."""
    shown = Table("", "paper", "here", box=MARKDOWN)
    half = {
        setting: _links_for_half(found, setting) for setting in (Setting.BOTH, Setting.DEDICATED)
    }
    shown.add_row("links for 50 % acceptance, both kinds", "50", half[Setting.BOTH])
    shown.add_row("links for 50 % acceptance, dedicated only", "> 120", half[Setting.DEDICATED])
    for name, measure, setting, quoted in (
        ("deviation, both kinds", "deviation", Setting.BOTH, "10–20 %"),
        ("deviation, public only", "deviation", Setting.PUBLIC, "> 50 %"),
        ("elongation, both kinds", "elongation", Setting.BOTH, "10–20 %"),
        ("elongation, public only", "elongation", Setting.PUBLIC, "200–300 %"),
    ):
        shown.add_row(name, quoted, _range(found, setting, Panel("", PER_HOUR, measure)))
    panel = Panel("", PER_HOUR, "server_utilisation")
    lines = {setting: series(found, setting, panel, LINKS_OF_A_TREE) for setting in SETTINGS}
    gains = [
        both / (dedicated + public)
        for both, dedicated, public in zip(
            *(lines[setting].means for setting in SETTINGS), strict=False
        )
    ]
    here = f"{min(gains):.2f}–{max(gains):.2f}" if gains else "–"
    shown.add_row("server utilisation, both kinds by the sum of single ones", "> 1", here)
    later = series(found, Setting.BOTH, Panel("", LINKS, "deviation"), DEFAULT_PER_HOUR)
    steps = ", ".join(
        f"{at:g}: {mean:.1%}" for at, mean in zip(later.at, later.means, strict=True) if at > 75
    )
    shown.add_row("deviation over links, both kinds", "marginal beyond 125", steps)
    return shown


def _links_for_half(found: Found, setting: Setting) -> str:
    """Interpolate where acceptance crosses one half."""
    line = series(found, setting, Panel("", LINKS, "acceptance"), DEFAULT_PER_HOUR)
    points = list(zip(line.at, line.means, strict=True))
    for (one, low), (other, high) in pairwise(points):
        if low < 0.5 <= high:
            return f"{one + (other - one) * (0.5 - low) / (high - low):.0f}"
    return "–"


def _range(found: Found, setting: Setting, panel: Panel) -> str:
    means = series(found, setting, panel, FIXED[panel.axis]).means
    return f"{min(means):.0%}–{max(means):.0%}" if means else "–"
