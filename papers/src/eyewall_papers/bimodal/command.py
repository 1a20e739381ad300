"""`eyewall map`: one task from a file onto a network with dedicated and public links."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import typer
from eyewall_sidecar.cli.client import BAD_INPUT
from eyewall_sidecar.cli.console import show_progress
from eyewall_sidecar.cli.solve import EXIT_CODES, metrics_table
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.problem_file.answer import answer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.metric import METRICS, Additive
from eyewall_papers.bimodal.solve import (
    CENTRAL,
    POLICIES,
    MappingRequest,
    MappingSolution,
    solve_mapping,
)
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.task_file import read_task

UNITS = {"payment": "per second", "delay": "s", "balanced": "per second"}
"""Of a mapping's cost, by metric."""


@dataclass(frozen=True, slots=True)
class MapOptions:
    """The options of `eyewall map`."""

    policy: str
    metric: str
    max_null: int
    time_limit: float
    seed: int


def map_file(problem: Path, asked: MapOptions, *, as_json: bool) -> int:
    """Map the task of a file and show the answer; return the command's exit code."""
    _check(asked)
    try:
        file = read_task(problem, asked.max_null)
    except ProblemError as error:
        _refuse(f"{problem}: {error}")
    question = MappingRequest(file.network, Resources.of(file.network), file.task, asked.metric)
    with show_progress(f"searching, for at most {asked.time_limit:g} s …"):
        found = solve_mapping(
            question,
            asked.policy,
            time_limit=asked.time_limit,
            seed=asked.seed,
            clock=monotonic,
        )
    if as_json:
        sys.stdout.write(
            json.dumps(mapping_answer(found, file.task), ensure_ascii=False, allow_nan=False) + "\n"
        )
    else:
        _show(found, file.task, asked.metric)
    return EXIT_CODES.get(found.solution.status, 0)


def mapping_answer(found: MappingSolution, task: Task) -> dict[str, Any]:
    """Return the answer of `eyewall solve` with routes and cost; it evaluated map messages."""
    routes = None
    if found.mapping is not None:
        routes = [
            {
                "from": stream.source,
                "to": stream.target,
                "kind": str(route.kind),
                "hops": list(route.hops),
            }
            for stream, route in zip(task.streams, found.mapping.routes, strict=True)
        ]
    return answer(found.solution) | {"routes": routes, "cost": found.cost}


def _check(asked: MapOptions) -> None:
    if asked.policy not in POLICIES:
        _refuse(f"--policy {asked.policy}: no such policy; policies are {', '.join(POLICIES)}")
    if asked.metric not in METRICS:
        _refuse(f"--metric {asked.metric}: no such metric; metrics are {', '.join(METRICS)}")
    if asked.policy == CENTRAL and not isinstance(METRICS[asked.metric], Additive):
        adding = [name for name, it in METRICS.items() if isinstance(it, Additive)]
        _refuse(
            f"--metric {asked.metric}: policy central adds costs up; ask it for "
            f"{' or '.join(adding)}"
        )
    if not 0 < asked.time_limit < float("inf"):
        _refuse(f"--time-limit {asked.time_limit:g}: it must be a number of seconds > 0")
    if asked.seed < 0:
        _refuse(f"--seed {asked.seed}: it must be a whole number ≥ 0")
    if asked.max_null < 0:
        _refuse(f"--max-null {asked.max_null}: it must be a whole number ≥ 0")


def _refuse(complaint: str) -> NoReturn:
    typer.echo(f"eyewall map: {complaint}", err=True)
    raise typer.Exit(BAD_INPUT)


def _show(found: MappingSolution, task: Task, metric: str) -> None:
    console = Console()
    solution = found.solution
    headline = f"{solution.policy}, {solution.status}, {solution.seconds:.3g} s"
    if found.cost is not None:
        gap = "" if solution.gap is None else f", gap {solution.gap:.2%}"
        headline += f": {found.cost:.6g} {UNITS[metric]}{gap}"
    console.print(headline, highlight=False, markup=False)
    for reason in solution.reasons:
        console.print(f"  {reason}", highlight=False, markup=False)
    if solution.evaluated:
        console.print(f"  {solution.evaluated} map messages", highlight=False, markup=False)
    if found.mapping is None or solution.evaluation is None:
        return
    placement = Table("operator", "node", "its stream takes")
    routes = (*found.mapping.routes, None)
    for operator, route in zip(task.operators, routes, strict=True):
        way = "" if route is None else _way(route.kind, route.hops)
        placement.add_row(Text(operator.id), Text(found.mapping.placement[operator.id]), Text(way))
    console.print(placement)
    console.print(metrics_table(solution.evaluation))


def _way(kind: str, hops: tuple[str, ...]) -> str:
    return "no link" if len(hops) == 1 else f"{kind}: {' → '.join(hops)}"
