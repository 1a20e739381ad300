"""Paper 002, section 6, by simulation: run times next to table 4, and scores next to the optimum.

The twelve topologies of table 1 are placed on the eleven workers of section 6.1.1 under Ecker's
score. Sizes, workers and the random numbers are the paper's; shapes, delays, selectivities and
what operators need are ours, see `ecker_shapes` and `ecker_testbed`. Nothing
runs on a Storm cluster: the paper's throughputs are not reproduced.

The optimum is proven by branch and bound within so many visits; else its bound is printed, and the
least score is the best that anything found, 40 more seeds of the hybrid included.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from eyewall_sidecar.policies import Policy
from eyewall_sidecar.policies.ant_system import AntSystem
from eyewall_sidecar.policies.greedy import Greedy
from eyewall_sidecar.policies.hill_climbing import HillClimbing
from eyewall_sidecar.policies.hybrid import Hybrid
from eyewall_sidecar.policies.ras import ResourceAware
from eyewall_sidecar.policies.round_robin import RoundRobin
from matplotlib.figure import Figure

from eyewall_papers.experiments.paper_002.ecker_trials import Trial, attempt
from eyewall_papers.experiments.report import (
    CONSOLE,
    Row,
    add_plots,
    plain_numbers,
    progress_bar,
    save,
    show,
    style,
)
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
MARKERS = "osD^vP"
SPREAD = 0.5
"""Of a topology's column, what its policies are spread over."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--topologies", type=read_topologies, default=list(TABLE_1), help="of table 1"
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cpu", type=float, default=CPU, help="cores an operator, in the mean")
    parser.add_argument("--visits", type=float, default=3e7, help="of the search for the optimum")
    add_plots(parser)


def read_topologies(text: str) -> list[str]:
    """Read names of table 1; argparse.ArgumentTypeError if there is no such topology."""
    chosen = text.split(",")
    if unknown := set(chosen) - set(TABLE_1):
        names = ", ".join(sorted(unknown))
        raise argparse.ArgumentTypeError(f"{names}: there are {', '.join(TABLE_1)}")
    return chosen


def run(options: argparse.Namespace) -> None:
    found: dict[str, Trial] = {}
    with progress_bar() as progress:
        total = len(options.topologies) * (len(CONTENDERS) + 1)
        task = progress.add_task("compiling", total=total)
        attempt(ecker_problem(WARM_UP), CONTENDERS, seeds=1, visits=1000, step=lambda _: None)
        for topology in options.topologies:

            def step(what: str, topology: str = topology) -> None:
                progress.update(task, description=f"{topology}: {what}", advance=1)

            found[topology] = attempt(
                ecker_problem(topology, options.cpu),
                CONTENDERS,
                seeds=options.seeds,
                visits=int(options.visits),
                step=step,
            )
    CONSOLE.print(f"{options.seeds} seeds, {options.cpu:g} cores an operator in the mean")
    header = ("topology", "operations, paper", "drawn", "ours", "operators, paper", "ours")
    show(header, map(_sizes, options.topologies), "Table 1: operations and operators")
    title = "Table 4: ms for a placement, paper's mean / our median"
    show(("topology", "operators", *CONTENDERS), _times(found), title)
    columns = ("topology", "operators", "nodes in use", "least score", "bound", *CONTENDERS)
    show(columns, _scores(found), "Score by the least: median of seeds (worst)")
    CONSOLE.print("\n".join(_remarks(found)) or "Every policy placed everything by itself.")
    if options.plots:
        order = sorted(found, key=lambda it: len(found[it].problem.operators))
        times = {p: [found[it].milliseconds(p) for it in order] for p in CONTENDERS}
        quoted = {p: [TABLE_4[it][p] for it in order] for p in TABLE_4[WARM_UP]}
        scores = {p: [median(found[it].stretches(p)) for it in order] for p in CONTENDERS}
        labels = [f"{it}\n{len(found[it].problem.operators)}" for it in order]
        file = options.plots / "reproduction-002-times.svg"
        _draw("ms for a placement", labels, times, quoted, file)
        file = options.plots / "reproduction-002-scores.svg"
        _draw("score by the least score", labels, scores, {}, file)


def _sizes(topology: str) -> Row:
    operations, operators = TABLE_1[topology]
    instances = shape_of(topology).instances
    number = topology.removeprefix("T-R")
    drawn = str(count_drawn(int(number))) if number.isdigit() else "–"
    ours = str(len(instances)), str(operators), str(sum(instances))
    return topology, str(operations), drawn, *ours


def _times(found: Trials) -> Iterator[Row]:
    for topology, trial in found.items():
        cells = []
        for policy in CONTENDERS:
            quoted = TABLE_4[topology].get(policy)
            ours = f"{trial.milliseconds(policy):.1f}"
            cells.append(ours if quoted is None else f"{quoted:g} / {ours}")
        yield topology, str(len(trial.problem.operators)), *cells


def _scores(found: Trials) -> Iterator[Row]:
    each = [[it for trial in found.values() for it in trial.stretches(p)] for p in CONTENDERS]
    for topology, trial in found.items():
        least = trial.least
        stretches = (trial.stretches(policy) for policy in CONTENDERS)
        yield (
            topology,
            str(len(trial.problem.operators)),
            str(len(set(least.placement.values()))),
            f"{least.score:.6f}",
            "proven" if least.proven else f"{least.bound:.6f}",
            *(f"{median(it):.3f} ({max(it):.3f})" for it in stretches),
        )
    yield "mean", "", "", "", "", *(f"{sum(it) / len(it):.3f}" for it in each)
    optimal = (f"{sum(it <= 1 + 1e-9 for it in one)} of {len(one)}" for one in each)
    yield "as good as the least", "", "", "", "", *optimal


def _remarks(found: Trials) -> Iterator[str]:
    """Yield the remarks of policies that needed help."""
    for topology, trial in found.items():
        for policy, answers in trial.answers.items():
            for remark in dict.fromkeys(it.remark for it in answers if it.remark):
                yield f"{topology}, {policy}: {remark}"


def _draw(
    quantity: str,
    topologies: Sequence[str],
    ours: Mapping[str, Sequence[float]],
    paper: Mapping[str, Sequence[float]],
    file: Path,
) -> None:
    """Draw policy → a number for each topology on a logarithmic axis, the paper's hollow."""
    with style():
        figure = Figure(figsize=(7.2, 3.2), layout="constrained")
        axes = figure.subplots()
        for number, (policy, values) in enumerate(ours.items()):
            shift = SPREAD * (number / max(1, len(ours) - 1) - 0.5)
            columns = [it + shift for it in range(len(topologies))]
            colour = f"C{number}"
            dots = partial(axes.plot, columns, ls="", marker=MARKERS[number], ms=4.5, color=colour)
            dots(values, label=policy, mfc=colour)
            if policy in paper:
                dots(paper[policy], label=f"{policy}, paper", mfc="none")
        axes.set_yscale("log")
        plain_numbers(axes.yaxis)
        axes.set(ylabel=quantity, xlabel="topology, and its operators")
        axes.set_xticks(range(len(topologies)), topologies)
        axes.grid(alpha=0.3, axis="y")
        figure.legend(frameon=False, loc="outside right center")
        save(figure, file)
