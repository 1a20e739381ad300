"""Paper 000, sections 6.2 and 7.1 to 7.3, by simulation, with its figures next to ours.

R against A, the heuristics over time next to S-ODP in two steps, a failed worker, and how solving
time grows. The modules of this package say what the paper leaves open and what is assumed.
`--full --seeds 8 --limit 60` is section 7.3 at every size of the paper's axes.
"""

import argparse
from collections.abc import Callable

from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Term
from numpy.random import default_rng
from rich.progress import Progress

from eyewall_papers.experiments.paper_000 import heuristics, placements, scalability
from eyewall_papers.experiments.paper_000.placements import (
    co_locate_pins,
    instances,
    set_full_availability,
)
from eyewall_papers.experiments.paper_000.scalability import ScalingCase, ScalingRun
from eyewall_papers.experiments.paper_000.schedulers import Neighbours
from eyewall_papers.experiments.report import CONSOLE, add_plots, draw, progress_bar, show

TERMS = (Term.R, Term.EE, Term.N, Term.T)
PINS: dict[str, Callable[[PlacementProblem], PlacementProblem]] = {
    "apart": lambda problem: problem,
    "together": co_locate_pins,
}
FAILED = (
    "a worker failed",
    "ms, median",
    "ms, most",
    "objective after / before",
    "executors moved, mean",
    "that had no room, mean",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--instances", type=int, default=200, help="of S-ODP")
    parser.add_argument(
        "--neighbours",
        type=Neighbours,
        choices=list(Neighbours),
        default=Neighbours.ON_NODES,
        help="where decentralised schedulers take neighbours to be",
    )
    parser.add_argument("--seeds", type=int, default=5, help="for each size of section 7.3")
    parser.add_argument("--limit", type=float, default=2.0, help="seconds for each problem of 7.3")
    parser.add_argument("--full", action="store_true", help="every node count and capacity")
    parser.add_argument("--seed", type=int, default=1, help="of rates, delays and turns over time")
    add_plots(parser)


def run(options: argparse.Namespace) -> None:
    problems = list(instances(options.instances))
    up = [set_full_availability(it) for it in problems]
    methods = heuristics.heuristics(options.neighbours)
    with progress_bar() as bar:
        users = {
            pins: [
                placements.compare_user_metrics(pinned(it), default_rng([options.seed, 0, place]))
                for place, it in enumerate(bar.track(problems, description=f"R and A, {pins}"))
            ]
            for pins, pinned in PINS.items()
        }
        runs = {
            method: [
                method.compare_with_optimum(it, default_rng([options.seed, 1 + number, place]))
                for place, it in enumerate(bar.track(up, description=method.name))
            ]
            for number, method in enumerate(methods)
        }
        failures = [
            placements.failure_row(term, [placements.fail_worker(it, term) for it in up])
            for term in bar.track(TERMS, description="a worker fails")
        ]
        solved = _solve(bar, options)
    CONSOLE.print(
        f"S-ODP: {options.instances} instances, seed {options.seed}, "
        f"neighbours: {options.neighbours}; medians, in brackets the range"
    )
    for pins, found in users.items():
        show((f"pins {pins}", "paper", "ours"), placements.user_metrics_rows(found))
    quoted = [row for method, pairs in runs.items() for row in heuristics.rows(method, pairs)]
    steps = [heuristics.second_step(method, pairs) for method, pairs in runs.items()]
    show(("figure", "paper", "ours"), [*quoted, *steps])
    show(FAILED, failures)
    CONSOLE.print(f"scalability: medians of {options.seeds} seeds, limit {options.limit:g} s each")
    scalability.show_tables(solved)
    if options.plots:
        over_time = [method.panel(pairs[0]) for method, pairs in runs.items()]
        draw(over_time, 3, options.plots / "reproduction-000-time.svg")
        draw(scalability.panels(solved), 3, options.plots / "reproduction-000-scale.svg")


def _solve(bar: Progress, options: argparse.Namespace) -> dict[ScalingCase, list[ScalingRun]]:
    """Solve all; one of each kind goes first, so that loading compiled code counts nowhere."""
    cases = list(scalability.cases(full=options.full, limit=options.limit))
    for case in {(it.shape, it.factor): it for it in cases}.values():
        scalability.solve(case, seed=0)
    return {
        case: [scalability.solve(case, seed) for seed in range(1, options.seeds + 1)]
        for case in bar.track(cases, description="scalability")
    }
