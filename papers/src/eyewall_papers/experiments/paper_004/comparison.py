"""Figure 9 of paper 004: both kinds of links against each kind alone.

Over the rate of arrivals with 99 dedicated links, and over the number of links with 60 an hour.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise, product

from eyewall_papers.experiments.paper_004.platform_figures import (
    LINKS,
    PER_HOUR,
    MeasurePanel,
    keep_common,
    means,
    series,
)
from eyewall_papers.experiments.paper_004.platform_trials import (
    DEFAULT_PER_HOUR,
    HOPS,
    LINKS_OF_A_TREE,
    PER_HOURS,
    PlatformCase,
    PlatformResults,
    PlatformSetting,
    add_platform_options,
    run_cases,
)
from eyewall_papers.experiments.report import Row, add_plots, draw, show

LINK_COUNTS = (0, 25, 50, 75, 99, 125, 150, 200)
SETTINGS = (PlatformSetting.BOTH, PlatformSetting.DEDICATED, PlatformSetting.PUBLIC)
PANELS = (
    MeasurePanel("(a) throughput, tasks in an hour", LINKS, "throughput"),
    MeasurePanel("(b) acceptance", LINKS, "acceptance"),
    MeasurePanel("(c) utilisation of servers", PER_HOUR, "server_utilisation"),
    MeasurePanel("(d) utilisation of servers", LINKS, "server_utilisation"),
    MeasurePanel("(e) utilisation of dedicated links", PER_HOUR, "link_utilisation"),
    MeasurePanel("(f) utilisation of dedicated links", LINKS, "link_utilisation"),
    MeasurePanel("(g) deviation from the target rate", PER_HOUR, "deviation"),
    MeasurePanel("(h) deviation from the target rate", LINKS, "deviation"),
    MeasurePanel("(i) elongation of execution", PER_HOUR, "elongation"),
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
    add_platform_options(parser)
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    points = dict.fromkeys(
        [(DEFAULT_PER_HOUR, links) for links in LINK_COUNTS]
        + [(per_hour, LINKS_OF_A_TREE) for per_hour in PER_HOURS]
    )
    cases = [
        PlatformCase(per_hour, links, HOPS, options.tasks, number, setting)
        for number, (per_hour, links), setting in product(range(options.networks), points, SETTINGS)
    ]
    found = keep_common(run_cases(cases, options), SETTINGS)
    for axis, fixed in ((LINKS, DEFAULT_PER_HOUR), (PER_HOUR, LINKS_OF_A_TREE)):
        header = axis, "setting", "networks", *MEASURES
        show(header, means(found, SETTINGS, axis, fixed, MEASURES), left=2)
    show(("", "paper", "here"), _compare_with_paper(found))
    if options.plots:
        panels = [it.panel(found, SETTINGS, FIXED) for it in PANELS]
        draw(panels, 3, options.plots / "reproduction-004-comparison.svg", one_legend=True)


def _compare_with_paper(found: PlatformResults) -> Iterator[Row]:
    """Yield the paper's figures next to ours."""
    for setting, quoted in ((PlatformSetting.BOTH, "50"), (PlatformSetting.DEDICATED, "> 120")):
        yield f"links for 50 % acceptance, {setting}", quoted, _links_for_half(found, setting)
    for name, measure, setting, quoted in (
        ("deviation, both kinds", "deviation", PlatformSetting.BOTH, "10–20 %"),
        ("deviation, public only", "deviation", PlatformSetting.PUBLIC, "> 50 %"),
        ("elongation, both kinds", "elongation", PlatformSetting.BOTH, "10–20 %"),
        ("elongation, public only", "elongation", PlatformSetting.PUBLIC, "200–300 %"),
    ):
        yield name, quoted, _range(found, setting, MeasurePanel("", PER_HOUR, measure))
    panel = MeasurePanel("", PER_HOUR, "server_utilisation")
    lines = [series(found, setting, panel, LINKS_OF_A_TREE).means for setting in SETTINGS]
    gains = [both / (dedicated + public) for both, dedicated, public in zip(*lines, strict=False)]
    here = f"{min(gains):.2f}–{max(gains):.2f}" if gains else "–"
    yield "server utilisation, both kinds by the sum of single ones", "> 1", here
    later = series(
        found, PlatformSetting.BOTH, MeasurePanel("", LINKS, "deviation"), DEFAULT_PER_HOUR
    )
    steps = ", ".join(
        f"{at:g}: {mean:.1%}" for at, mean in zip(later.at, later.means, strict=True) if at > 75
    )
    yield "deviation over links, both kinds", "marginal beyond 125", steps


def _links_for_half(found: PlatformResults, setting: PlatformSetting) -> str:
    """Interpolate where acceptance crosses one half."""
    line = series(found, setting, MeasurePanel("", LINKS, "acceptance"), DEFAULT_PER_HOUR)
    points = list(zip(line.at, line.means, strict=True))
    for (one, low), (other, high) in pairwise(points):
        if low < 0.5 <= high:
            return f"{one + (other - one) * (0.5 - low) / (high - low):.0f}"
    return "–"


def _range(found: PlatformResults, setting: PlatformSetting, panel: MeasurePanel) -> str:
    means = series(found, setting, panel, FIXED[panel.axis]).means
    return f"{min(means):.0%}–{max(means):.0%}" if means else "–"
