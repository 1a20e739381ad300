"""The 10 ms process of paper 004 step by step against its means over windows, on whole platforms.

Both map the same tasks in the same way until a task ends earlier in one of them; a later task may
then find other links. So means over networks are compared.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from time import perf_counter

from eyewall_papers.bimodal.variability import WindowMean, draw_by_window, draw_each_step
from eyewall_papers.experiments.paper_004.platform_trials import (
    DEFAULT_PER_HOUR,
    HOPS,
    LINKS_OF_A_TREE,
    PlatformCase,
    PlatformSetting,
    simulate_case,
)
from eyewall_papers.experiments.report import Row, at_least, mean_text, progress_bar, show

DRAWS: dict[str, WindowMean] = {"step by step": draw_each_step, "by window": draw_by_window}
SETTINGS = (PlatformSetting.BOTH, PlatformSetting.FIXED, PlatformSetting.PUBLIC)
COLUMNS = ("setting", "drawn", "tasks", "acceptance", "deviation", "elongation", "seconds")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--networks", type=at_least(1), default=3)
    parser.add_argument("--tasks", type=at_least(1), default=500, help="for each network")
    parser.add_argument("--seed", type=at_least(0), default=1)


def run(options: argparse.Namespace) -> None:
    show(COLUMNS, _rows(options), left=2)


def _rows(options: argparse.Namespace) -> Iterator[Row]:
    with progress_bar() as bar:
        task = bar.add_task("simulations", total=len(SETTINGS) * len(DRAWS) * options.networks)
        for setting, (name, draw) in product(SETTINGS, DRAWS.items()):
            began, found = perf_counter(), []
            for number in range(options.networks):
                case = PlatformCase(
                    DEFAULT_PER_HOUR, LINKS_OF_A_TREE, HOPS, options.tasks, number, setting
                )
                found.append(simulate_case(case, options.seed, draw))
                bar.advance(task)
            runs = [it for one in found for it in one.runs]
            yield (
                setting,
                name,
                str(len(runs)),
                f"{len(runs) / (options.tasks * options.networks):.1%}",
                mean_text([it.deviation for it in runs], "{:.2%}"),
                mean_text([it.elongation for it in runs], "{:.2%}"),
                f"{perf_counter() - began:.0f}",
            )
