"""What each bound, cut and special case of the exact engines buys, by leaving it out.

Every case is solved by the policy's engines as they are and once without each mechanism, one
variant after the other, so that a busy machine harms all of them alike. Limits are seconds of the
solving process's CPU, for HiGHS, too. A mechanism counts for a case that is proven with it and not
without, or whose gap grows by more than a hundredth.

    python -m benchmarks ablation --data DIR [--full] [--json FILE] [--variants NAME …]

The sample is one real graph in three and one seed of each other case; --full takes all.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import highspy
import numpy as np
from eyewall_papers.experiments.report import progress_bar
from eyewall_sidecar.exact import solve
from eyewall_sidecar.exact.instance import Instance
from eyewall_sidecar.exact.loading import load_compiled_engines
from eyewall_sidecar.exact.search_tree import BY_SUMS, SearchTree, search_tree
from eyewall_sidecar.model import LinkMatrix, PlacementProblem
from eyewall_sidecar.model.arrays import Indices
from eyewall_sidecar.objective import Objective
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from benchmarks.exact.cases import FAT, GROUPS, LAYERS, SEQUENTIAL, scaled, sodp
from benchmarks.instances.clusters import real_graphs
from benchmarks.instances.expansion import problem_of

BASELINE = "nothing"
REAL_OBJECTIVES = ("R=1", "N=1", "T=1", "R=0.5,N=0.5")
SAMPLE = 3
"""One real graph in so many is taken."""
SEEDS = {"sodp": 3, "table": 3, "open": 3, "more": 1, "limited": 3}
LARGER = 0.01
"""A gap that grew by this counts."""
STREAMS_ON_A_LINK = 1.5
"""Of the largest stream: what a link carries in the group `limited`."""
LIMITED = (
    *(sodp(it) for it in ("R=1", "T=1", "N=1")),
    *(scaled(shape, 10, 10, it) for shape in (SEQUENTIAL, FAT, LAYERS) for it in ("R=1", "N=1")),
    *(scaled(shape, 20, 20) for shape in (SEQUENTIAL, FAT, LAYERS)),
)
"""Only the integer program takes limited bandwidths."""

Variant = dict[str, object]
"""Qualified name → what replaces it."""


def _nobody(instance: Instance) -> Indices:
    return np.full(instance.operators, -1)


def _no_node(instance: Instance, _costs: object) -> Indices:
    return np.full(instance.nodes, -1)


def _changed(change: Callable[[SearchTree], None]) -> Callable[..., SearchTree]:
    def changed_tree(*arguments: Any) -> SearchTree:
        tree = search_tree(*arguments)
        change(tree)
        return tree

    return changed_tree


def _without_sums(tree: SearchTree) -> None:
    tree.used[BY_SUMS] = False


def _without_tails(tree: SearchTree) -> None:
    tree.paths.after[:] = 0.0
    tree.paths.leaving[:] = 0.0


def _constant(value: object) -> Callable[..., object]:
    return lambda *_: value


_EXACT = "eyewall_sidecar.exact"
_TREE = f"{_EXACT}.branch_and_bound"
_SPREAD = f"{_EXACT}.bounds.spread_bound"
_COVERS = f"{_EXACT}.matrix_engine.define_path_covers"
_STARS = f"{_EXACT}.matrix_engine.define_star_capacities"

VARIANTS: dict[str, Variant] = {
    BASELINE: {},
    "path tails": {f"{_TREE}.search_tree": _changed(_without_tails)},
    "sum_bound": {f"{_TREE}.search_tree": _changed(_without_sums)},
    "spread_bound": {f"{_TREE}.spread_bound": _constant(-inf)},
    "spread_bound: stars": {f"{_SPREAD}.least_stars": _constant(0.0)},
    "spread_bound: parts_bound": {f"{_SPREAD}.least_parts": _constant(0.0)},
    "spread_bound: longest path": {f"{_SPREAD}.longest_spread": _constant(0.0)},
    "spread_bound: whole operators": {f"{_SPREAD}.with_kinds": lambda *it: it},
    "packing": {f"{_TREE}._pack": _constant(None)},
    "operator symmetry": {f"{_TREE}.interchangeable_operators": _nobody},
    "node symmetry": {f"{_TREE}.identical_nodes": _no_node},
    "closed form": {f"{_EXACT}.closed_form.covers": _constant(value=False)},
    "path covers": {_COVERS: _constant(None)},
    "star capacities": {_STARS: _constant(None)},
    "both cuts": {_COVERS: _constant(None), _STARS: _constant(None)},
}
"""What is left out → what then takes its place."""


class _CpuHighs(highspy.Highs):
    """HiGHS that is interrupted by the CPU clock; it knows only wall time itself."""

    ends_at = inf

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        for event in (self.cbMipInterrupt, self.cbSimplexInterrupt):
            event.subscribe(self._interrupt)

    def setOptionValue(self, option: str, value: Any) -> Any:  # noqa: N802 (HiGHS's name)
        """Set an option, but for the limit in wall time."""
        return None if option == "time_limit" else super().setOptionValue(option, value)

    def _interrupt(self, event: Any) -> None:
        if process_time() >= self.ends_at:
            event.interrupt()


@dataclass(frozen=True, slots=True)
class Trial:
    """One case and how to get its problem."""

    group: str
    name: str
    objective: str
    problem: Callable[[], PlacementProblem]


@dataclass(frozen=True, slots=True)
class Result:
    """What a variant found for a case; a gap of 1 where it has no placement or no bound."""

    group: str
    case: str
    objective: str
    variant: str
    proven: bool
    gap: float
    seconds: float
    engine: str


def main() -> None:
    options = _options()
    trials = list(_trials(options.data, full=options.full))
    load_compiled_engines()
    results: list[Result] = []
    with progress_bar() as progress:
        task = progress.add_task("loading", total=len(trials))
        for trial in trials:
            progress.update(task, description=f"{trial.name} {trial.objective}", advance=1)
            problem, objective = trial.problem(), Objective.parse(trial.objective)
            results += (
                _run(trial, problem, objective, variant, options.seconds)
                for variant in dict.fromkeys((BASELINE, *options.variants))
            )
            if options.json:
                options.json.write_text(json.dumps([asdict(it) for it in results], indent=1))
    Console(width=200).print(_table(results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="with topologies/ and latency/")
    parser.add_argument("--seconds", type=float, default=1.2, help="CPU, for each solve")
    parser.add_argument("--full", action="store_true", help="all real graphs and all seeds")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--json", type=Path, help="write every result to this file")
    options = parser.parse_args()
    if not (options.data / "topologies").is_dir():
        parser.error(f"--data {options.data}: there is no directory topologies in it")
    return options


def _trials(data: Path, *, full: bool) -> Iterator[Trial]:
    workload = real_graphs(data, 0)
    for topology in workload.topologies[:: 1 if full else SAMPLE]:
        for objective in REAL_OBJECTIVES:
            yield Trial("real", topology.id, objective, partial(problem_of, topology, workload))
    for group, cases in (GROUPS | {"limited": LIMITED}).items():
        for case in cases:
            for seed in range(SEEDS[group] if full else 1):
                problem = partial(case.problem, seed)
                if group == "limited":
                    problem = partial(_limited, problem)
                yield Trial(group, f"{case.name} #{seed}", str(case.objective), problem)


def _limited(problem: Callable[[], PlacementProblem]) -> PlacementProblem:
    """Return the problem with links that carry its largest stream, but not it and another."""
    given = problem()
    names = [it.id for it in given.nodes]
    links = LinkMatrix.of(names, given.links)
    streams = tuple(replace(it, tuple_bytes=100) for it in given.streams)
    most = STREAMS_ON_A_LINK * max(it.rate * 100 for it in streams)
    bandwidths = np.full_like(links.delays, most)
    np.fill_diagonal(bandwidths, inf)
    limited = LinkMatrix(links.nodes, links.delays, links.availabilities, bandwidths)
    return replace(given, streams=streams, links=limited)


def _run(
    trial: Trial, problem: PlacementProblem, objective: Objective, variant: str, seconds: float
) -> Result:
    began = process_time()
    _CpuHighs.ends_at = began + seconds
    with ExitStack() as stack:
        stack.enter_context(patch("highspy.Highs", _CpuHighs))
        for name, replacement in VARIANTS[variant].items():
            stack.enter_context(patch(name, replacement))
        found = solve(problem, objective, time_limit=seconds, seed=0, clock=process_time)
    proven = found is not None and found.status.value in ("optimal", "infeasible")
    gap = 0.0 if proven else 1.0
    if found is not None and found.gap is not None and not proven:
        gap = min(1.0, found.gap)
    engine = found.decided_by if found else "none"
    spent = process_time() - began
    return Result(
        trial.group, trial.name, trial.objective, variant, proven, gap, spent, str(engine)
    )


def _table(results: list[Result]) -> Table:
    of: dict[str, dict[tuple[str, str], Result]] = {}
    for result in results:
        of.setdefault(result.variant, {})[result.case, f"{result.group} {result.objective}"] = (
            result
        )
    groups = list(dict.fromkeys(it.group for it in results))
    table = Table(box=MARKDOWN)
    table.add_column("without")
    for column in (
        "proofs lost",
        "gaps larger",
        "of 100 cases",
        "better",
        *groups,
        "Σ gap",
        "CPU s",
    ):
        table.add_column(column, justify="right")
    with_all = of[BASELINE]
    for variant, found in of.items():
        pairs = [(with_all[key], it) for key, it in found.items()]
        lost = sum(one.proven and not it.proven for one, it in pairs)
        larger = sum(not one.proven and it.gap > one.gap + LARGER for one, it in pairs)
        better = sum(
            (it.proven and not one.proven) or (not it.proven and it.gap < one.gap - LARGER)
            for one, it in pairs
        )
        proofs = (
            f"{sum(it.proven for _, it in pairs if it.group == group)}"
            f" / {sum(it.group == group for _, it in pairs)}"
            for group in groups
        )
        table.add_row(
            variant,
            f"{lost}",
            f"{larger}",
            f"{100 * (lost + larger) / len(pairs):.1f}",
            f"{better}",
            *proofs,
            f"{sum(it.gap for _, it in pairs):.2f}",
            f"{sum(it.seconds for _, it in pairs):.0f}",
        )
    return table


if __name__ == "__main__":
    main()
