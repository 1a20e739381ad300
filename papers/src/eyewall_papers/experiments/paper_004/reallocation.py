"""Figure 8 of paper 004: what re-allocation of links changes, over the rate of arrivals.

Networks, tasks and their arrivals are the same with and without it.
"""

import argparse
from itertools import product

from eyewall_papers.experiments.paper_004.platform_figures import (
    PER_HOUR,
    MeasurePanel,
    differences,
    keep_common,
    means,
)
from eyewall_papers.experiments.paper_004.platform_trials import (
    HOPS,
    LINKS_OF_A_TREE,
    PER_HOURS,
    PlatformCase,
    PlatformSetting,
    add_platform_options,
    run_cases,
)
from eyewall_papers.experiments.report import add_plots, draw, show

FAR = 6
"""Hops that richer tasks pay for: the gain of re-allocation depends on it."""
SETTINGS = (PlatformSetting.BOTH, PlatformSetting.FIXED)
PANELS = (
    MeasurePanel("(a) throughput, tasks in an hour", PER_HOUR, "throughput"),
    MeasurePanel("(b) utilisation of dedicated links", PER_HOUR, "link_utilisation"),
    MeasurePanel("(c) deviation from the target rate", PER_HOUR, "deviation"),
)
MEASURES = ("acceptance", *(panel.measure for panel in PANELS), "server_utilisation", "elongation")


def add_options(parser: argparse.ArgumentParser) -> None:
    add_platform_options(parser)
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    cases = [
        PlatformCase(per_hour, LINKS_OF_A_TREE, hops, options.tasks, number, setting)
        for number, hops, per_hour, setting in product(
            range(options.networks), (HOPS, FAR), PER_HOURS, SETTINGS
        )
    ]
    found = keep_common(run_cases(cases, options), SETTINGS)
    for hops, name in ((HOPS, "reallocation"), (FAR, "reallocation-far")):
        mine = {case: it for case, it in found.items() if case.hops == hops}
        rows = means(mine, SETTINGS, PER_HOUR, LINKS_OF_A_TREE, MEASURES)
        title = f"budgets for up to {hops} hops"
        show((PER_HOUR, "setting", "networks", *MEASURES), rows, title, left=2)
        gains = differences(mine, *SETTINGS, PER_HOUR, MEASURES)
        title = "with re-allocation, less without, network by network"
        show((PER_HOUR, "networks", *MEASURES), gains, title)
        if options.plots:
            panels = [it.panel(mine, SETTINGS, {PER_HOUR: LINKS_OF_A_TREE}) for it in PANELS]
            draw(panels, 3, options.plots / f"reproduction-004-{name}.svg", one_legend=True)
