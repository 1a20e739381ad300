"""Paper 002, section 6, by simulation: run times beside table 4, and scores beside the optimum.

The twelve topologies of table 1 are placed on the eleven workers of section 6.1.1 under Ecker's
score. Sizes, workers and the random numbers are the paper's; shapes, delays, selectivities and
what operators need are ours, see `ecker_shapes` and `ecker_testbed`. Nothing
runs on a Storm cluster: the paper's throughputs are not reproduced.

    python benchmarks/reproduce_002.py [--topologies T-M1,…] [--seeds 5] [--cpu 0.1]
        [--visits 3e7] [--plots DIRECTORY]

The optimum is proven by branch and bound within so many visits; else its bound is printed, and the
least score is the best that anything found, 40 more seeds of the hybrid included. Prints
tables and asserts nothing.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from eyewall_sidecar.policies import Policy
from eyewall_sidecar.policies.ant_system import AntSystem
from eyewall_sidecar.policies.greedy import Greedy
from eyewall_sidecar.policies.hill_climbing import HillClimbing
from eyewall_sidecar.policies.hybrid import Hybrid
from eyewall_sidecar.policies.ras import ResourceAware
from eyewall_sidecar.policies.round_robin import RoundRobin
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from eyewall_papers.experiments.paper_002.ecker_plot import Picture, draw
from eyewall_papers.experiments.paper_002.ecker_trials import Trial, attempt
from eyewall_papers.experiments.progress import progress_bar
from eyewall_papers.instances.ecker_shapes import TABLE_1, count_drawn, shape_of
from eyewall_papers.instances.ecker_testbed import CPU, ecker_problem

HILL_CLIMBING, ANT_SYSTEM, HYBRID, RAS = "hill_climbing", "ant_system", "hybrid", "ras"
CONTENDERS: Mapping[str, Policy] = {
    HILL_CLIMBING: HillClimbing(),
    ANT_SYSTEM: AntSystem(),
    HYBRID: Hybrid(),
    RAS: ResourceAware(),
    "greedy": Greedy(),
    "round_robin": RoundRobin(),
}
TABLE_4: Mapping[str, Mapping[str, float]] = {
    "T-M1": {HILL_CLIMBING: 9, ANT_SYSTEM: 75, HYBRID: 78, RAS: 16},
    "T-M2": {HILL_CLIMBING: 45, ANT_SYSTEM: 99, HYBRID: 130, RAS: 21},
    "T-M3": {HILL_CLIMBING: 4, ANT_SYSTEM: 35, HYBRID: 38, RAS: 16},
    "T-R1": {HILL_CLIMBING: 558, ANT_SYSTEM: 450, HYBRID: 841, RAS: 25},
    "T-R2": {HILL_CLIMBING: 65, ANT_SYSTEM: 131, HYBRID: 197, RAS: 20},
    "T-R3": {HILL_CLIMBING: 231, ANT_SYSTEM: 285, HYBRID: 534, RAS: 23},
    "T-R4": {HILL_CLIMBING: 179, ANT_SYSTEM: 447, HYBRID: 717, RAS: 24},
    "T-R5": {HILL_CLIMBING: 138, ANT_SYSTEM: 306, HYBRID: 428, RAS: 22},
    "T-R6": {HILL_CLIMBING: 198, ANT_SYSTEM: 274, HYBRID: 472, RAS: 21},
    "T-R7": {HILL_CLIMBING: 1029, ANT_SYSTEM: 661, HYBRID: 1020, RAS: 26},
    "T-R8": {HILL_CLIMBING: 185, ANT_SYSTEM: 377, HYBRID: 355, RAS: 19},
    "T-R9": {HILL_CLIMBING: 263, ANT_SYSTEM: 408, HYBRID: 480, RAS: 21},
}
"""Topology → policy → mean ms for one placement, on an Intel i7-4770K, in Java."""
WARM_UP = "T-M3"
Trials = Mapping[str, Trial]


def main() -> None:
    options = _options()
    chosen = options.topologies.split(",")
    found: dict[str, Trial] = {}
    with progress_bar() as progress:
        task = progress.add_task("compiling", total=len(chosen) * (len(CONTENDERS) + 1))
        attempt(ecker_problem(WARM_UP), CONTENDERS, seeds=1, visits=1000, step=lambda _: None)
        for topology in chosen:

            def step(what: str, topology: str = topology) -> None:
                progress.update(task, description=f"{topology}: {what}", advance=1)

            found[topology] = attempt(
                ecker_problem(topology, options.cpu),
                CONTENDERS,
                seeds=options.seeds,
                visits=int(options.visits),
                step=step,
            )
    console = Console(width=200)
    console.print(f"{options.seeds} seeds, {options.cpu:g} cores an operator in the mean")
    for table in (_sizes(chosen), _times(found), _scores(found)):
        console.print(table)
    console.print("\n".join(_remarks(found)) or "Every policy placed everything by itself.")
    if options.plots:
        _draw(found, options.plots)


def _sizes(topologies: list[str]) -> Table:
    table = Table(title="Table 1: operations and operators", box=MARKDOWN)
    for column in ("topology", "operations, paper", "drawn", "ours", "operators, paper", "ours"):
        table.add_column(column, justify="left" if column == "topology" else "right")
    for topology in topologies:
        operations, operators = TABLE_1[topology]
        instances = shape_of(topology).instances
        number = topology.removeprefix("T-R")
        drawn = str(count_drawn(int(number))) if number.isdigit() else "–"
        ours = str(len(instances)), str(operators), str(sum(instances))
        table.add_row(topology, str(operations), drawn, *ours)
    return table


def _times(found: Trials) -> Table:
    table = Table(title="Table 4: ms for a placement, paper's mean / our median", box=MARKDOWN)
    table.add_column("topology")
    table.add_column("operators", justify="right")
    for policy in CONTENDERS:
        table.add_column(policy, justify="right")
    for topology, trial in found.items():
        cells = []
        for policy in CONTENDERS:
            quoted = TABLE_4[topology].get(policy)
            ours = f"{trial.milliseconds(policy):.1f}"
            cells.append(ours if quoted is None else f"{quoted:g} / {ours}")
        table.add_row(topology, str(len(trial.problem.operators)), *cells)
    return table


def _scores(found: Trials) -> Table:
    title = "Score by the least: median of seeds (worst)"
    table = Table(title=title, box=MARKDOWN)
    for column in ("topology", "operators", "nodes in use", "least score", "bound"):
        table.add_column(column, justify="left" if column == "topology" else "right")
    for policy in CONTENDERS:
        table.add_column(policy, justify="right")
    for topology, trial in found.items():
        least = trial.least
        table.add_row(
            topology,
            str(len(trial.problem.operators)),
            str(len(set(least.placement.values()))),
            f"{least.score:.6f}",
            "proven" if least.proven else f"{least.bound:.6f}",
            *(_stretch(trial.stretches(policy)) for policy in CONTENDERS),
        )
    each = [[it for trial in found.values() for it in trial.stretches(p)] for p in CONTENDERS]
    means = (sum(it) / len(it) for it in each)
    table.add_row("mean", "", "", "", "", *(f"{it:.3f}" for it in means))
    optimal = (f"{sum(it <= 1 + 1e-9 for it in one)} of {len(one)}" for one in each)
    table.add_row("as good as the least", "", "", "", "", *optimal)
    return table


def _stretch(stretches: list[float]) -> str:
    return f"{median(stretches):.3f} ({max(stretches):.3f})"


def _remarks(found: Trials) -> Iterator[str]:
    """Yield what policies could not do by themselves."""
    for topology, trial in found.items():
        for policy, answers in trial.answers.items():
            for remark in dict.fromkeys(it.remark for it in answers if it.remark):
                yield f"{topology}, {policy}: {remark}"


def _draw(found: Trials, directory: Path) -> None:
    topologies = sorted(found, key=lambda it: len(found[it].problem.operators))
    labels = [f"{it}\n{len(found[it].problem.operators)}" for it in topologies]
    times = {p: [found[it].milliseconds(p) for it in topologies] for p in CONTENDERS}
    quoted = {p: [TABLE_4[it][p] for it in topologies] for p in TABLE_4[WARM_UP]}
    draw(
        Picture("ms for a placement", labels, times, quoted),
        directory / "reproduction-002-times.svg",
    )
    scores = {p: [median(found[it].stretches(p)) for it in topologies] for p in CONTENDERS}
    draw(
        Picture("score by the least score", labels, scores),
        directory / "reproduction-002-scores.svg",
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--topologies", default=",".join(TABLE_1), help="of table 1")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cpu", type=float, default=CPU, help="cores an operator, in the mean")
    parser.add_argument("--visits", type=float, default=3e7, help="of the search for the optimum")
    parser.add_argument("--plots", type=Path, help="write two SVG files into this directory")
    options = parser.parse_args()
    if unknown := set(options.topologies.split(",")) - set(TABLE_1):
        parser.error(f"--topologies {', '.join(sorted(unknown))}: there are {', '.join(TABLE_1)}")
    return options


if __name__ == "__main__":
    main()
