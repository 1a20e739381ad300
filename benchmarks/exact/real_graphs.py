"""Graphs of real topologies, one by one on 80 supervisors: the share proven within a second.

The 63 topologies with up to 60 executors of two published clusters, with their groupings and
requested resources; delays between 80 different PlanetLab nodes; rates by the model of
instances/rate_model.py. PuLP with HiGHS has the same second as `odp`, for paper 000's formulation.
Graphs that fit on one supervisor have an optimum of 0 for R and N; the table counts the larger ones
separately.

    python -m benchmarks real-graphs --data DIR [--seconds 1] [--objectives R=1 N=1 …]
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

from eyewall_papers.experiments.report import Row, progress_bar, show
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Objective

from benchmarks.exact.cases import BenchmarkCase
from benchmarks.exact.comparison import OURS, ComparisonRow, Limits, compare
from benchmarks.exact.contender_process import ContenderProcess
from benchmarks.exact.contenders import ContenderRun
from benchmarks.instances.clusters import real_graphs
from benchmarks.instances.workload import Workload, WorkloadTopology, expand

REFERENCE = "PuLP+HiGHS"
OBJECTIVES = ("R=1", "N=1", "R=0.5,N=0.5")
COLUMNS = (
    "objective",
    "contender",
    "proven in time",
    "of them",
    "larger than a supervisor: proven",
    "of them",
    "median gap of the rest",
    "greatest",
    "median ms",
    "greatest ms",
)
QUICK = 8
"""One topology in so many is taken."""


@dataclass(frozen=True, slots=True)
class GraphComparison:
    """The answers to one topology."""

    fits_one_node: bool
    row: ComparisonRow


def main() -> None:
    options = _options()
    workload = real_graphs(options.data, options.seed)
    topologies = workload.topologies[:: QUICK if options.quick else 1]
    objectives = [Objective.parse(it) for it in options.objectives]
    contenders = options.contenders
    limits = Limits(1, 1, options.seconds, 1, options.seconds)
    graphs: list[GraphComparison] = []
    with (
        ContenderProcess() as eyewall,
        ContenderProcess() as rivals,
        progress_bar() as progress,
        suppress(KeyboardInterrupt),  # an interrupted run shows the graphs done so far
    ):
        task = progress.add_task("loading", total=len(topologies) * len(objectives))
        for objective in objectives:
            for topology in topologies:
                progress.update(task, description=f"{topology.id} {objective}", advance=1)
                case = BenchmarkCase(topology.id, objective, partial(_problem, topology, workload))
                row = compare(
                    case,
                    (OURS, *contenders),
                    limits,
                    lambda it: rivals if it == REFERENCE else eyewall,
                    lambda _: None,
                )
                graphs.append(GraphComparison(fits_one_node(row.case.problem(0)), row))
            if options.json:
                options.json.write_text(json.dumps([_entry(it) for it in graphs], indent=1))
    title = f"Real graphs, {options.seconds:g} s each; gap of the rest: 100 % without a placement"
    show(COLUMNS, _rows(graphs, (OURS, *contenders), options.seconds), title, left=2)
    for graph in graphs:
        if not graph.row.proven(OURS):
            print(_left_open(graph))
    complaints = [it for graph in graphs for it in graph.row.complaints()]
    print("\n".join(complaints) or "No answer is better than what another one proved optimal.")
    if complaints:
        sys.exit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="with topologies/ and latency/")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0, help="of rates and PlanetLab nodes")
    parser.add_argument("--objectives", nargs="+", default=list(OBJECTIVES))
    parser.add_argument("--contenders", nargs="*", default=[REFERENCE], help=f"besides {OURS}")
    parser.add_argument("--json", type=Path, help="write every run to this file")
    parser.add_argument("--quick", action="store_true", help=f"one topology in {QUICK}")
    options = parser.parse_args()
    if not (options.data / "topologies").is_dir():
        parser.error(f"--data {options.data}: there is no directory topologies in it")
    return options


def _problem(topology: WorkloadTopology, workload: Workload, _seed: int) -> PlacementProblem:
    """Return the same problem for every seed: the workload's own drew it."""
    return expand(topology, workload)


def fits_one_node(problem: PlacementProblem) -> bool:
    """Whether all operators fit on one node: R and N are 0 there."""
    cpu = sum(it.cpu for it in problem.operators)
    memory = sum(it.memory for it in problem.operators)
    return any(cpu <= it.cpu and memory <= it.memory for it in problem.nodes)


def _rows(
    graphs: Sequence[GraphComparison], contenders: Sequence[str], seconds: float
) -> Iterator[Row]:
    for objective in dict.fromkeys(str(it.row.case.objective) for it in graphs):
        of_it = [it for it in graphs if str(it.row.case.objective) == objective]
        for contender in contenders:
            runs = [(it.fits_one_node, it.row.runs[contender][0]) for it in of_it]
            yield objective, contender, *_figures(runs, seconds)


def _figures(runs: Sequence[tuple[bool, ContenderRun]], seconds: float) -> list[str]:
    def proven(of: Sequence[ContenderRun]) -> int:
        return sum(it.proven and it.seconds <= seconds for it in of)

    everything = [run for _, run in runs]
    larger = [run for fits, run in runs if not fits]
    gaps = [1.0 if run.gap is None else run.gap for run in everything if not run.proven]
    times = [run.seconds * 1e3 for run in everything]
    return [
        f"{proven(everything)} ({proven(everything) / len(everything):.0%})",
        f"{len(everything)}",
        f"{proven(larger)}",
        f"{len(larger)}",
        f"{median(gaps):.1%}" if gaps else "–",
        f"{max(gaps):.1%}" if gaps else "–",
        f"{median(times):.1f}",
        f"{max(times):.0f}",
    ]


def _left_open(graph: GraphComparison) -> str:
    row = graph.row
    (run,) = row.runs[OURS]
    problem = row.case.problem(0)
    gap = "no placement" if run.gap is None else f"gap {run.gap:.1%}"
    return (
        f"left open: {row.case.name} {row.case.objective}: {len(problem.operators)} executors, "
        f"{len(problem.streams)} streams, {gap}, {run.seconds:.2f} s"
    )


def _entry(graph: GraphComparison) -> dict[str, object]:
    return {
        "topology": graph.row.case.name,
        "objective": str(graph.row.case.objective),
        "fits_one": graph.fits_one_node,
        "runs": {name: asdict(run) | {"ranges": None} for name, (run,) in graph.row.runs.items()},
    }


if __name__ == "__main__":
    main()
