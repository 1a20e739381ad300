"""The value of each bound, cut and special case of the exact engines, measured without it.

Every case is solved by the policy's engines as they are and once without each mechanism, one
variant after the other, so that other work on the machine slows all of them alike. Limits are CPU
seconds of the solving process, HiGHS included. A mechanism counts for a case that is proven with it
and not without it, or whose gap grows by more than a hundredth.

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
from eyewall_sidecar.exact.search_tree import BY_SUMS, SearchTree, search_tree
from eyewall_sidecar.exact.warm_up import load_compiled_engines
from eyewall_sidecar.model import LinkMatrix, PlacementProblem
from eyewall_sidecar.model.array_types import Indices
from eyewall_sidecar.objective import Objective
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from benchmarks.exact.cases import FAT, GROUPS, LAYERS, SEQUENTIAL, baseline_case, sodp_case
from benchmarks.instances.clusters import real_graphs
from benchmarks.instances.workload import expand

BASELINE = "nothing"
REAL_OBJECTIVES = ("R=1", "N=1", "T=1", "R=0.5,N=0.5")
SAMPLE = 3
"""The sample takes one real graph in so many."""
SEEDS = {"sodp": 3, "table": 3, "open": 3, "more": 1, "limited": 3}
"""Of each group that is solved."""
LARGER = 0.01
"""A gap that grows by more than this counts."""
STREAMS_ON_A_LINK = 1.5
"""Bandwidth of a link in the group `limited`, relative to the largest stream."""
LIMITED = (
    *(sodp_case(it) for it in ("R=1", "T=1", "N=1")),
    *(
        baseline_case(shape, 10, 10, it)
        for shape in (SEQUENTIAL, FAT, LAYERS)
        for it in ("R=1", "N=1")
    ),
    *(baseline_case(shape, 20, 20) for shape in (SEQUENTIAL, FAT, LAYERS)),
)
"""Only the integer program takes limited bandwidths."""

Variant = dict[str, object]
"""Qualified name → what replaces it."""


def _no_twins(instance: Instance) -> Indices:
    return np.full(instance.operators, -1)


def _no_identical_nodes(instance: Instance, _costs: object) -> Indices:
    return np.full(instance.nodes, -1)


def _change_tree(change: Callable[[SearchTree], None]) -> Callable[..., SearchTree]:
    def changed_tree(*arguments: Any) -> SearchTree:
        tree = search_tree(*arguments)
        change(tree)
        return tree

    return changed_tree


def _disable_sums(tree: SearchTree) -> None:
    tree.used[BY_SUMS] = False


def _disable_tails(tree: SearchTree) -> None:
    tree.paths.after[:] = 0.0
    tree.paths.leaving[:] = 0.0


def _constant(value: object) -> Callable[..., object]:
    return lambda *_: value


_EXACT = "eyewall_sidecar.exact"
_TREE = f"{_EXACT}.branch_and_bound"
_SPREAD = f"{_EXACT}.bounds.spread_bound"
_COVERS = f"{_EXACT}.sparse_engine.define_path_covers"
_STARS = f"{_EXACT}.sparse_engine.define_star_capacities"

VARIANTS: dict[str, Variant] = {
    BASELINE: {},
    "path tails": {f"{_TREE}.search_tree": _change_tree(_disable_tails)},
    "sum_bound": {f"{_TREE}.search_tree": _change_tree(_disable_sums)},
    "spread_bound": {f"{_TREE}.spread_bound": _constant(-inf)},
    "spread_bound: stars": {f"{_SPREAD}.least_stars": _constant(0.0)},
    "spread_bound: parts_bound": {f"{_SPREAD}.least_parts": _constant(0.0)},
    "spread_bound: longest path": {f"{_SPREAD}.longest_spread": _constant(0.0)},
    "packing": {f"{_TREE}._pack": _constant(None)},
    "operator symmetry": {f"{_TREE}.interchangeable_operators": _no_twins},
    "node symmetry": {f"{_TREE}.identical_nodes": _no_identical_nodes},
    "closed form": {f"{_EXACT}.closed_form.covers": _constant(value=False)},
    "path covers": {_COVERS: _constant(None)},
    "star capacities": {_STARS: _constant(None)},
    "both cuts": {_COVERS: _constant(None), _STARS: _constant(None)},
}
"""Mechanism → the replacements that disable it."""


class _CpuHighs(highspy.Highs):
    """HiGHS with a limit in CPU time; its own limit is in wall time."""

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
class AblationTrial:
    """One case; `problem` builds it."""

    group: str
    name: str
    objective: str
    problem: Callable[[], PlacementProblem]


@dataclass(frozen=True, slots=True)
class AblationResult:
    """The result of a variant for a case; the gap is 1 without a placement or a bound."""

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
    results: list[AblationResult] = []
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


def _trials(data: Path, *, full: bool) -> Iterator[AblationTrial]:
    workload = real_graphs(data, 0)
    for topology in workload.topologies[:: 1 if full else SAMPLE]:
        for objective in REAL_OBJECTIVES:
            yield AblationTrial("real", topology.id, objective, partial(expand, topology, workload))
    groups = GROUPS | {"limited": LIMITED}
    for group, seeds in SEEDS.items():
        for case in groups[group]:
            for seed in range(seeds if full else 1):
                problem = partial(case.problem, seed)
                if group == "limited":
                    problem = partial(_limit_bandwidths, problem)
                yield AblationTrial(group, f"{case.name} #{seed}", str(case.objective), problem)


def _limit_bandwidths(build: Callable[[], PlacementProblem]) -> PlacementProblem:
    """Return the problem with links that carry its largest stream, but not two such streams."""
    problem = build()
    names = [it.id for it in problem.nodes]
    links = LinkMatrix.of(names, problem.links)
    streams = tuple(replace(it, tuple_bytes=100) for it in problem.streams)
    most = STREAMS_ON_A_LINK * max(it.rate * 100 for it in streams)
    bandwidths = np.full_like(links.delays, most)
    np.fill_diagonal(bandwidths, inf)
    limited = LinkMatrix(links.nodes, links.delays, links.availabilities, bandwidths)
    return replace(problem, streams=streams, links=limited)


def _run(
    trial: AblationTrial,
    problem: PlacementProblem,
    objective: Objective,
    variant: str,
    seconds: float,
) -> AblationResult:
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
    seconds_spent = process_time() - began
    return AblationResult(
        trial.group, trial.name, trial.objective, variant, proven, gap, seconds_spent, str(engine)
    )


def _table(results: list[AblationResult]) -> Table:
    of: dict[str, dict[tuple[str, str], AblationResult]] = {}
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
