"""`eyewall solve`: one placement problem from a file."""

import json
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import typer
from eyewall_contracts.objective_terms import TERMS, Term
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_sidecar.cli.client import BAD_INPUT
from eyewall_sidecar.cli.console import show_progress
from eyewall_sidecar.exact.sampling import sampled
from eyewall_sidecar.heuristic.alternatives import with_alternatives
from eyewall_sidecar.model import Evaluation, PlacementProblem, ProblemError, Solution, Status
from eyewall_sidecar.objective import Objective, ObjectiveError
from eyewall_sidecar.policies import PolicyError, policy_catalogue, policy_faults
from eyewall_sidecar.policies.invocation import invoke_policy
from eyewall_sidecar.policies.odp import OptimalPlacement
from eyewall_sidecar.problem_file import ProblemFile, read_problem
from eyewall_sidecar.problem_file.answer import answer
from eyewall_sidecar.service.messages import search_summary

EXIT_CODES = {Status.INFEASIBLE: 3, Status.TIMED_OUT: 4, Status.FAILED: 5}
"""0 for every answer with a placement."""

AUTO, PULP = "auto", "pulp"
ENGINES = (AUTO, PULP)


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """The options of `eyewall solve`, as they were given."""

    policy: str
    objective: str
    time_limit: float
    seed: int
    sample: float
    engine: str


def solve_file(problem: Path, options: SolveOptions, *, as_json: bool) -> int:
    """Solve the problem of a file and show the answer; return the command's exit code."""
    if options.policy not in policy_catalogue():
        faults = "".join(f"\n{it}" for it in policy_faults() if it.name in ("", options.policy))
        there = ", ".join(policy_catalogue())
        _refuse(f"--policy {options.policy}: no such policy; policies are {there}{faults}")
    if options.engine not in ENGINES:
        _refuse(f"--engine {options.engine}: no such engine; engines are {', '.join(ENGINES)}")
    if options.engine != AUTO and options.policy != "odp":
        _refuse(
            f"--engine {options.engine}: policy {options.policy} takes {AUTO} only; odp takes any"
        )
    if not 0 < options.time_limit < float("inf"):
        _refuse(f"--time-limit {options.time_limit:g}: it must be a number of seconds > 0")
    if options.seed < 0:
        _refuse(f"--seed {options.seed}: it must be a whole number ≥ 0")
    if not 0 < options.sample <= 1:
        _refuse(f"--sample {options.sample:g}: it must be a number > 0 and at most 1")
    try:
        wanted = Objective.parse(options.objective)
        file = read_problem(problem)
    except ObjectiveError as error:
        _refuse(f"--{error}")
    except ProblemError as error:
        _refuse(f"{problem}: {error}")
    if options.sample < 1:
        file = _sampled(file, options.sample, options.seed)
    try:
        with show_progress(f"searching, for at most {options.time_limit:g} s …"):
            solution = _solution(file.problem, wanted, options)
    except ObjectiveError as error:
        _refuse(f"--{error}")
    except PolicyError as error:
        if error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        typer.echo(f"eyewall solve: {error}", err=True)
        return EXIT_CODES[Status.FAILED]
    solution = with_alternatives(file.problem, wanted, solution)
    if as_json:
        found = answer(solution, file.assumptions)
        sys.stdout.write(json.dumps(found, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        _show(solution, wanted, file.assumptions)
    return EXIT_CODES.get(solution.status, 0)


def _solution(problem: PlacementProblem, objective: Objective, options: SolveOptions) -> Solution:
    limits: dict[str, Any] = {"time_limit": options.time_limit, "seed": options.seed}
    if options.engine == AUTO:
        return invoke_policy(options.policy, problem, objective, **limits)
    return OptimalPlacement(readable=True)(problem, objective, **limits)


def _sampled(file: ProblemFile, share: float, seed: int) -> ProblemFile:
    """Keep a share of the candidates, and say what the answer then means."""
    said = (
        f"candidates are a random {100 * share:g} % of each operator's: status, bound and gap hold "
        "for these alone"
    )
    problem = sampled(file.problem, share, np.random.default_rng(seed))
    return ProblemFile(problem, (*file.assumptions, said))


def _refuse(complaint: str) -> NoReturn:
    typer.echo(f"eyewall solve: {complaint}", err=True)
    raise typer.Exit(BAD_INPUT)


def _show(solution: Solution, objective: Objective, assumptions: tuple[str, ...]) -> None:
    console = Console()
    console.print(_headline(solution, objective), highlight=False, markup=False)
    for reason in (*solution.reasons, *assumptions):
        console.print(f"  {reason}", highlight=False, markup=False)
    console.print(f"  {search_summary(solution)}", highlight=False, markup=False)
    if solution.placement is None or solution.evaluation is None:
        return
    placement = Table("operator", "node")
    for operator, node in solution.placement.items():
        placement.add_row(Text(operator), Text(node))
    console.print(placement)
    console.print(metrics_table(solution.evaluation))


def metrics_table(it: Evaluation) -> Table:
    """Return all metrics of a placement with their units."""
    metrics = Table("metric", "value")
    for term, value in it.metrics.items():
        known = TERMS[term].counting(it.data_unit)
        shown = f"{value * known.factor:.6g} {known.display_unit}"
        metrics.add_row(f"{known.name} {term}", shown)
    availability = TERMS[Term.A]
    shown = f"{it.distinct_availability * availability.factor:.6g} {availability.display_unit}"
    metrics.add_row("distinct availability", shown)
    return metrics


def _headline(solution: Solution, objective: Objective) -> str:
    found = f"{solution.policy}, {solution.status}, {solution.seconds:.3g} s"
    if solution.evaluation is None:
        return found
    gap = "" if solution.gap is None else f", gap {solution.gap:.2%}"
    moved = f", {solution.moves} moved" if solution.moves else ""
    return f"{found}: {objective} is {solution.evaluation.value:.6g}{gap}{moved}"
