"""The `eyewall` command."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Annotated, NoReturn

import numpy as np
import typer
from eyewall_monitor.decision_record import Verdict
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_sidecar.desk import freezing, plans, status, why
from eyewall_sidecar.model import ProblemError, Solution, Status
from eyewall_sidecar.objective import Objective, ObjectiveError
from eyewall_sidecar.odp.sampling import sampled
from eyewall_sidecar.policies import POLICIES
from eyewall_sidecar.policies.catalogue import CATALOGUE
from eyewall_sidecar.problem_file import ProblemFile, read_problem
from eyewall_sidecar.problem_file.answer import answer
from eyewall_sidecar.search.alternatives import with_alternatives
from eyewall_sidecar.service import wording

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

BAD_INPUT = 2
EXIT_CODES = {Status.INFEASIBLE: 3, Status.TIMED_OUT: 4, Status.FAILED: 5}
"""0 for every answer with a placement."""

PATIENCE = 2.0
"""Seconds before it is shown that something is going on."""


app.command()(status.status)
app.command()(why.why)
app.command("why-not")(why.why_not)
app.command()(plans.plan)
app.command()(plans.apply)
app.command()(freezing.freeze)
app.command()(freezing.unfreeze)


@app.callback()
def eyewall() -> None:
    """Decide where the executors of Storm topologies run."""


@app.command()
def solve(
    problem: Annotated[Path, typer.Argument(help="A placement problem (docs/problem-format.md).")],
    *,
    policy: Annotated[str, typer.Option(help=f"One of: {', '.join(POLICIES)}.")] = "odp",
    objective: Annotated[
        str,
        typer.Option(
            help="Terms R, A, T, N, EE with weights that sum to 1: R=0.5,A=0.2,N=0.3; or ecker."
        ),
    ] = "R=1",
    time_limit: Annotated[float, typer.Option(help="Seconds.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Same seed, same placement.")] = 0,
    sample: Annotated[
        float, typer.Option(help="The part of its candidates that each operator keeps, at random.")
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Solve one placement problem from a file.

    Exit code 0 with a placement, 2 for a bad file or option, 3 if the problem is infeasible, 4 if
    the time limit ended the search before there was any placement, 5 if the solver failed before.
    """
    if policy not in POLICIES:
        _refuse(f"--policy {policy}: no such policy; policies are {', '.join(POLICIES)}")
    if not 0 < time_limit < float("inf"):
        _refuse(f"--time-limit {time_limit:g}: it must be a number of seconds > 0")
    if seed < 0:
        _refuse(f"--seed {seed}: it must be a whole number ≥ 0")
    if not 0 < sample <= 1:
        _refuse(f"--sample {sample:g}: it must be a number > 0 and at most 1")
    try:
        wanted = Objective.parse(objective)
        file = read_problem(problem)
    except ObjectiveError as error:
        _refuse(f"--{error}")
    except ProblemError as error:
        _refuse(f"{problem}: {error}")
    if sample < 1:
        file = _sampled(file, sample, seed)
    try:
        with _sign_of_life(time_limit):
            solution = POLICIES[policy](file.problem, wanted, time_limit=time_limit, seed=seed)
    except ObjectiveError as error:
        _refuse(f"--{error}")
    solution = with_alternatives(file.problem, wanted, solution)
    if as_json:
        found = answer(solution, file.assumptions)
        sys.stdout.write(json.dumps(found, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        _show(solution, wanted, file.assumptions)
    raise typer.Exit(EXIT_CODES.get(solution.status, 0))


def _sampled(file: ProblemFile, share: float, seed: int) -> ProblemFile:
    """Keep a share of the candidates, and say what the answer then means."""
    said = (
        f"candidates are a random {100 * share:g} % of each operator's: status, bound and gap hold "
        "for these alone"
    )
    problem = sampled(file.problem, share, np.random.default_rng(seed))
    return ProblemFile(problem, (*file.assumptions, said))


@app.command()
def policies(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List the policies: from where each is, what it optimises, and when to take it."""
    if as_json:
        entries = [
            {
                "policy": name,
                "title": it.title,
                "source": it.source,
                "method": it.method,
                "optimises": list(it.optimises),
                "mixes": it.mixes,
                "ecker": it.ecker,
                "take_it": it.take_it,
            }
            for name, it in CATALOGUE.items()
        ]
        sys.stdout.write(json.dumps(entries, ensure_ascii=False) + "\n")
        return
    table = Table("policy", "from", "optimises", "take it …", show_lines=True)
    for name, it in CATALOGUE.items():
        table.add_row(*map(Text, (name, it.source, it.objectives, it.take_it)))
    Console().print(table)


@app.command()
def history(
    decision: Annotated[str, typer.Argument(help="Id of one decision, to see all of it.")] = "",
    *,
    topology: Annotated[str, typer.Option(help="Only of this one, by name or Storm's id.")] = "",
    verdict: Annotated[
        Verdict | None, typer.Option(help="Only what was decided like this.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    before: Annotated[
        str | None, typer.Option(metavar="ID", help="Only those older than this one.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="The sidecar's, which names ZooKeeper and Eyewall's znode.")
    ] = None,
    zookeeper: Annotated[
        str | None, typer.Option(metavar="HOST:PORT,…", help="Another ZooKeeper.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each decision as a line of JSON.")
    ] = False,
) -> None:
    """Show what was decided, newest first, and why.

    Exit code 2 for a bad option or a decision that is not there, 1 if ZooKeeper does not answer.
    """
    from eyewall_monitor.config_file import ConfigError
    from eyewall_monitor.decision_history import Page
    from eyewall_monitor.znodes import Znodes

    from eyewall_sidecar import history as shown
    from eyewall_sidecar.config import USUAL_ZOOKEEPER, read_config
    from eyewall_sidecar.zookeeper import AwayError, ServersError, connected

    try:
        known = read_config(config).zookeeper
        paths = Znodes(known.root)
        servers = zookeeper or known.servers or USUAL_ZOOKEEPER
        with connected(servers, reads_only=True) as client:
            if decision:
                page = Page((shown.one(client, paths, decision),))
            else:
                wanted = shown.Wanted(topology, verdict)
                page = shown.page_of(client, paths, count, wanted, before)
    except (ConfigError, ServersError, shown.HistoryError) as error:
        typer.echo(f"eyewall history: {error}", err=True)
        raise typer.Exit(1 if isinstance(error, AwayError) else BAD_INPUT) from None
    console = Console()
    if as_json:
        sys.stdout.writelines(f"{shown.as_json(it)}\n" for it in page.records)
        for line in shown.besides(page):
            typer.echo(line, err=True)
    elif decision:
        shown.show(page.records[0], console)
    else:
        shown.show_page(page, console)


@app.command()
def serve(
    config: Annotated[
        Path | None, typer.Option(help="TOML file (examples/sidecar.toml); none: the defaults.")
    ] = None,
) -> None:
    """Answer Nimbus until SIGTERM or Ctrl-C.

    Exit code 2 for a bad configuration, 1 if the address cannot be listened on.
    """
    # Only here: solver processes import this module and need no gRPC.
    from eyewall_monitor.config_file import ConfigError

    from eyewall_sidecar.config import read_config
    from eyewall_sidecar.rpc import AddressError
    from eyewall_sidecar.serve import serve as serve_until_stopped

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        serve_until_stopped(read_config(config), typer.echo)
    except ConfigError as error:
        typer.echo(f"eyewall serve: {error}", err=True)
        raise typer.Exit(BAD_INPUT) from None
    except AddressError as error:
        typer.echo(f"eyewall serve: {error}", err=True)
        raise typer.Exit(1) from None


def _refuse(complaint: str) -> NoReturn:
    typer.echo(f"eyewall solve: {complaint}", err=True)
    raise typer.Exit(BAD_INPUT)


@contextmanager
def _sign_of_life(time_limit: float) -> Iterator[None]:
    """Say on standard error that the search goes on, once it has taken longer than PATIENCE."""
    console = Console(stderr=True)
    sentence = f"searching, for at most {time_limit:g} s …"
    status = console.status(sentence)
    timer = Timer(
        PATIENCE, status.start if console.is_terminal else lambda: console.print(sentence)
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        status.stop()


def _show(solution: Solution, objective: Objective, assumptions: tuple[str, ...]) -> None:
    console = Console()
    console.print(_headline(solution, objective), highlight=False, markup=False)
    for reason in (*solution.reasons, *assumptions):
        console.print(f"  {reason}", highlight=False, markup=False)
    console.print(f"  {wording.looked_at(solution)}", highlight=False, markup=False)
    if solution.placement is None or solution.evaluation is None:
        return
    placement = Table("operator", "node")
    for operator, node in solution.placement.items():
        placement.add_row(Text(operator), Text(node))
    metrics = Table("metric", "value")
    it = solution.evaluation
    for name, value, unit in (
        ("response time R", it.response_time * 1e3, "ms"),
        ("availability A", it.availability, ""),
        ("distinct availability", it.distinct_availability, ""),
        ("inter-node traffic T", it.inter_node_traffic, "tuples/s"),
        ("network usage N", it.network_usage, "tuples"),
        ("elastic energy EE", it.elastic_energy, "tuples · s"),
    ):
        metrics.add_row(name, f"{value:.6g} {unit}")
    console.print(placement)
    console.print(metrics)


def _headline(solution: Solution, objective: Objective) -> str:
    found = f"{solution.policy}, {solution.status}, {solution.seconds:.3g} s"
    if solution.evaluation is None:
        return found
    gap = "" if solution.gap is None else f", gap {solution.gap:.2%}"
    moved = f", {solution.moves} moved" if solution.moves else ""
    return f"{found}: {objective} is {solution.evaluation.value:.6g}{gap}{moved}"


if __name__ == "__main__":
    app()
