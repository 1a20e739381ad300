"""The 10 ms process of paper 004 step by step against its means over windows, on whole platforms.

The same tasks are mapped in the same way as long as both take the same time; as soon as a task ends
earlier in one of them, a later one may find other links. So means over networks are compared.
"""

import argparse
from itertools import product
from time import perf_counter

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from eyewall_papers.bimodal.variability import WindowMean, drawn_by_window, drawn_each_step
from eyewall_papers.experiments.paper_004.comparison import DEFAULT_PER_HOUR, HOPS, LINKS_OF_A_TREE
from eyewall_papers.experiments.paper_004.mapping_figures import interval, with_width
from eyewall_papers.experiments.paper_004.options import at_least
from eyewall_papers.experiments.paper_004.platform_trials import Case, Setting, simulated
from eyewall_papers.experiments.progress import progress_bar

DRAWS: dict[str, WindowMean] = {"step by step": drawn_each_step, "by window": drawn_by_window}
SETTINGS = (Setting.BOTH, Setting.FIXED, Setting.PUBLIC)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--networks", type=at_least(1), default=3)
    parser.add_argument("--tasks", type=at_least(1), default=500, help="for each network")
    parser.add_argument("--seed", type=at_least(0), default=1)


def run(options: argparse.Namespace) -> None:
    shown = Table(
        *("setting", "drawn", "tasks", "acceptance", "deviation", "elongation", "seconds"),
        box=MARKDOWN,
    )
    with progress_bar() as bar:
        task = bar.add_task("simulations", total=len(SETTINGS) * len(DRAWS) * options.networks)
        for setting, (name, draw) in product(SETTINGS, DRAWS.items()):
            began, found = perf_counter(), []
            for number in range(options.networks):
                case = Case(DEFAULT_PER_HOUR, LINKS_OF_A_TREE, HOPS, options.tasks, number, setting)
                found.append(simulated(case, options.seed, draw))
                bar.advance(task)
            runs = [it for one in found for it in one.runs]
            shown.add_row(
                setting,
                name,
                str(len(runs)),
                f"{len(runs) / (options.tasks * options.networks):.1%}",
                _percent([it.deviation for it in runs]),
                _percent([it.elongation for it in runs]),
                f"{perf_counter() - began:.0f}",
            )
    Console(width=160).print(shown)


def _percent(values: list[float]) -> str:
    return with_width(*interval(values), "{:.2%}") if values else "–"
