"""Paper 000, sections 7.1 to 7.3, by simulation, its figures beside ours.

R against A, the heuristics over time beside S-ODP in two steps, a failed worker, and how solving
time grows. What the paper leaves open is said in the files of benchmarks/paper_000.

    python benchmarks/reproduce_000.py [--instances 200] [--neighbours nodes|virtual]
        [--seeds 5] [--limit 2] [--full] [--seed 1] [--plots DIR]

`--full --seeds 8 --limit 60` is section 7.3 at every size of the paper's axes. Prints tables and
asserts nothing.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Term
from numpy.random import default_rng
from rich.box import MARKDOWN
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from eyewall_papers.experiments.paper_000 import (
    failed_worker,
    heuristics,
    scalability,
    scaling_tables,
    user_metrics,
)
from eyewall_papers.experiments.paper_000.decentralised import Neighbours
from eyewall_papers.experiments.paper_000.figures import over_time, scaling
from eyewall_papers.experiments.paper_000.pictures import draw
from eyewall_papers.experiments.paper_000.placements import always_up, instances, pinned_together
from eyewall_papers.experiments.paper_000.scalability import Case, Solved
from eyewall_papers.experiments.progress import progress_bar

TERMS = (Term.R, Term.EE, Term.N, Term.T)
PINS: dict[str, Callable[[PlacementProblem], PlacementProblem]] = {
    "apart": lambda problem: problem,
    "together": pinned_together,
}
FAILED = (
    "a worker failed",
    "ms, median",
    "ms, most",
    "objective after / before",
    "executors moved, mean",
    "that had no room, mean",
)


def main() -> None:
    options = _options()
    problems = list(instances(options.instances))
    up = [always_up(it) for it in problems]
    methods = heuristics.heuristics(options.neighbours)
    with progress_bar() as bar:
        users = {
            pins: [
                user_metrics.compare(pinned(it), default_rng([options.seed, 0, place]))
                for place, it in enumerate(bar.track(problems, description=f"R and A, {pins}"))
            ]
            for pins, pinned in PINS.items()
        }
        runs = {
            method: [
                method.beside_optimum(it, default_rng([options.seed, 1 + number, place]))
                for place, it in enumerate(bar.track(up, description=method.name))
            ]
            for number, method in enumerate(methods)
        }
        failures = [
            failed_worker.row(term, [failed_worker.fail(it, term) for it in up])
            for term in bar.track(TERMS, description="a worker fails")
        ]
        solved = _solve(bar, options)
    console = Console(width=200)
    console.print(
        f"S-ODP: {options.instances} instances, seed {options.seed}, "
        f"neighbours: {options.neighbours}; medians, in brackets the range"
    )
    quoted = [row for method, pairs in runs.items() for row in heuristics.rows(method, pairs)]
    steps = [heuristics.second_step(pairs, method) for method, pairs in runs.items()]
    header = ("figure", "paper", "ours")
    for pins, found in users.items():
        console.print(_table((f"pins {pins}", *header[1:]), user_metrics.rows(found)))
    console.print(_table(header, [*quoted, *steps]))
    console.print(_table(FAILED, failures))
    console.print(f"scalability: medians of {options.seeds} seeds, limit {options.limit:g} s each")
    for show in (scaling_tables.growth, scaling_tables.gaps, scaling_tables.samples):
        console.print(show(solved))
    console.print("\n".join(scaling_tables.quoted(solved)))
    if options.plots:
        panels = [over_time(method, pairs[0]) for method, pairs in runs.items()]
        draw(panels, 3, options.plots / "reproduction-000-time.svg")
        draw(scaling(solved), 3, options.plots / "reproduction-000-scale.svg")


def _solve(bar: Progress, options: argparse.Namespace) -> dict[Case, list[Solved]]:
    """Solve all; one of each kind goes first, so that loading compiled code counts nowhere."""
    cases = list(scalability.cases(full=options.full, limit=options.limit))
    for case in {(it.shape, it.factor): it for it in cases}.values():
        scalability.solve(case, seed=0)
    return {
        case: [scalability.solve(case, seed) for seed in range(1, options.seeds + 1)]
        for case in bar.track(cases, description="scalability")
    }


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(*header, box=MARKDOWN)
    for row in rows:
        table.add_row(*row)
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
    parser.add_argument("--plots", type=Path, help="directory for the SVGs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
