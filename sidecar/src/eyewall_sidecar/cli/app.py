"""The `eyewall` command."""

import json
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer
from eyewall_contracts.decision import Verdict
from eyewall_contracts.objective_terms import LETTERS
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_sidecar.cli import drain, freeze, plan, status, what_if, why
from eyewall_sidecar.cli import problem as running_problem
from eyewall_sidecar.cli.client import BAD_INPUT, UNAVAILABLE
from eyewall_sidecar.cli.extensions import ExtensibleGroup

app = typer.Typer(cls=ExtensibleGroup, no_args_is_help=True, pretty_exceptions_enable=False)

app.command()(status.status)
app.command()(why.why)
app.command("why-not")(why.why_not)
app.command("what-if")(what_if.what_if)
app.command()(running_problem.problem)
app.command()(plan.plan)
app.command()(plan.apply)
app.command()(freeze.freeze)
app.command()(freeze.unfreeze)
app.command()(drain.drain)
app.command()(drain.undrain)


@app.callback()
def eyewall() -> None:
    """Decide where the executors of Storm topologies run."""


@app.command()
def solve(
    problem: Annotated[
        Path,
        typer.Argument(
            help="A placement problem (docs/user/problem-format.md), or - for standard input."
        ),
    ],
    *,
    policy: Annotated[str, typer.Option(help="One that `eyewall policies` lists.")] = "odp",
    objective: Annotated[
        str,
        typer.Option(help=f"Weights of {LETTERS} that sum to 1: R=0.5,A=0.2,N=0.3; or ecker."),
    ] = "R=1",
    time_limit: Annotated[float, typer.Option(help="Seconds.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Same seed, same placement.")] = 0,
    sample: Annotated[
        float, typer.Option(help="The part of its candidates that each operator keeps, at random.")
    ] = 1.0,
    engine: Annotated[
        str,
        typer.Option(
            help="How odp solves: auto takes the fastest engine, pulp the equations over PuLP."
        ),
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Solve one placement problem from a file.

    Exit code 0 with a placement, 2 for a bad file or option, 3 if the problem is infeasible, 4 if
    the time limit ended the search before there was any placement, 5 if the solver failed before.
    """
    # Only here: the solvers take a second to load, and the other commands need none.
    from eyewall_sidecar.cli.solve import SolveOptions, solve_file

    options = SolveOptions(policy, objective, time_limit, seed, sample, engine)
    raise typer.Exit(solve_file(problem, options, as_json=as_json))


@app.command()
def policies(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List the policies: from where each is, what it optimises, and when to take it."""
    # Only here: it asks every installed distribution for policies.
    from eyewall_sidecar.policies import policy_catalogue, policy_faults

    for fault in policy_faults():
        typer.echo(f"eyewall policies: {fault}", err=True)
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
            for name, it in policy_catalogue().items()
        ]
        sys.stdout.write(json.dumps(entries, ensure_ascii=False) + "\n")
        return
    table = Table("policy", "from", "optimises", "take it …", show_lines=True)
    for name, it in policy_catalogue().items():
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
    from eyewall_contracts.config_file import ConfigError
    from eyewall_contracts.stores.decision_history import Page
    from eyewall_contracts.znodes import Znodes

    from eyewall_sidecar.cli import history as shown
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
                wanted = shown.DecisionFilter(topology, verdict)
                page = shown.page_of(client, paths, count, wanted, before)
    except (ConfigError, ServersError, shown.HistoryError) as error:
        typer.echo(f"eyewall history: {error}", err=True)
        raise typer.Exit(UNAVAILABLE if isinstance(error, AwayError) else BAD_INPUT) from None
    console = Console()
    if as_json:
        sys.stdout.writelines(f"{shown.as_json(it)}\n" for it in page.records)
        for line in shown.notes(page):
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
    from eyewall_contracts.config_file import ConfigError

    from eyewall_sidecar.config import read_config
    from eyewall_sidecar.rpc import AddressError
    from eyewall_sidecar.serve import serve as serve_until_stopped

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        serve_until_stopped(read_config(config), typer.echo, config)
    except ConfigError as error:
        typer.echo(f"eyewall serve: {error}", err=True)
        raise typer.Exit(BAD_INPUT) from None
    except AddressError as error:
        typer.echo(f"eyewall serve: {error}", err=True)
        raise typer.Exit(1) from None


if __name__ == "__main__":
    app()
