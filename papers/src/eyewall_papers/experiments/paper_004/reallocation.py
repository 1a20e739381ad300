"""Figure 8 of paper 004: what re-allocation of links changes, over the rate of arrivals.

Networks, tasks and their arrivals are the same with and without it.
"""

import argparse
from itertools import product

from rich.console import Console

from eyewall_papers.experiments.paper_004.comparison import (
    HOPS,
    LINKS_OF_A_TREE,
    PER_HOURS,
    add_platform_options,
)
from eyewall_papers.experiments.paper_004.platform_figures import (
    PER_HOUR,
    Panel,
    differences,
    draw,
    matched,
    table,
)
from eyewall_papers.experiments.paper_004.platform_trials import Case, Setting, run_cases

FAR = 6
"""Hops that richer tasks pay for: what re-allocation has to give depends on it."""
SETTINGS = (Setting.BOTH, Setting.FIXED)
PANELS = (
    Panel("(a) throughput, tasks in an hour", PER_HOUR, "throughput"),
    Panel("(b) utilisation of dedicated links", PER_HOUR, "link_utilisation"),
    Panel("(c) deviation from the target rate", PER_HOUR, "deviation"),
)
MEASURES = ("acceptance", *(panel.measure for panel in PANELS), "server_utilisation", "elongation")


def add_options(parser: argparse.ArgumentParser) -> None:
    add_platform_options(parser, "docs/reproduction-004-reallocation.svg")


def run(options: argparse.Namespace) -> None:
    cases = [
        Case(per_hour, LINKS_OF_A_TREE, hops, options.tasks, number, setting)
        for number, hops, per_hour, setting in product(
            range(options.networks), (HOPS, FAR), PER_HOURS, SETTINGS
        )
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
    for hops in (HOPS, FAR):
        mine = {case: it for case, it in found.items() if case.hops == hops}
        shown = table(mine, SETTINGS, PER_HOUR, LINKS_OF_A_TREE, MEASURES)
        shown.title = f"budgets for up to {hops} hops"
        console.print(shown)
        gains = differences(mine, *SETTINGS, PER_HOUR, MEASURES)
        gains.title = "with re-allocation, less without, network by network"
        console.print(gains)
        plot = options.plot if hops == HOPS else options.plot.with_stem(f"{options.plot.stem}-far")
        draw(mine, PANELS, SETTINGS, {PER_HOUR: LINKS_OF_A_TREE}, plot)
