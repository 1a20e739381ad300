"""`eyewall why` and `eyewall why-not`: where an executor runs, and what other hosts would mean."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_sidecar.cli.client import as_json as json_of
from eyewall_sidecar.cli.completion import executors, hosts, topologies
from eyewall_sidecar.cli.console import counted, difference, figure, printable
from eyewall_sidecar.cli.options import AsJson, Config, Sidecar, connect

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb

MOST_NEIGHBOURS = 12
"""Of an executor that exchanges tuples with hundreds, those with the highest rates are shown."""

Executor = Annotated[
    str,
    typer.Argument(
        help="As tag[3-4]; a component that has only one; or the id of a task.",
        autocompletion=executors,
    ),
]
Topology = Annotated[
    str, typer.Option("--topology", help="Its name or Storm's id.", autocompletion=topologies)
]


def why(
    executor: Executor,
    *,
    topology: Topology,
    sidecar: Sidecar = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show why an executor runs where it runs, and what every other host would mean for it.

    Exit code 2 for an unknown name or a bad option, 1 if no sidecar answers or what runs cannot be
    explained now.
    """
    _explain("why", (topology, executor, ""), sidecar, config, as_json=as_json)


def why_not(
    executor: Executor,
    host: Annotated[str, typer.Argument(help="Where it might run.", autocompletion=hosts)],
    *,
    topology: Topology,
    sidecar: Sidecar = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show why an executor does not run on a host: what forbids it, or what it would cost.

    Exit code 2 for an unknown name or a bad option, 1 if no sidecar answers or what runs cannot be
    explained now.
    """
    _explain("why-not", (topology, executor, host), sidecar, config, as_json=as_json)


def _explain(
    command: str,
    question: tuple[str, str, str],
    sidecar: Sidecar,
    config: Config,
    *,
    as_json: bool,
) -> None:
    with connect(command, sidecar, config) as client:
        found = client.explain(*question)
    if as_json:
        sys.stdout.write(f"{json_of(found)}\n")
    else:
        _show(found, question[2], Console())


def _show(found: pb.Explanation, host: str, console: Console) -> None:
    """Print the answer, and the figures it rests on; `host` is the one in question."""
    console.print(printable(found.answer, "bold"))
    if found.on_slowest_path:
        console.print(printable(f"{found.executor} lies on the slowest path"))
    console.print()
    console.print(_alternatives(found, host))
    if found.left_out and not host:
        console.print(Text(f"and {counted(found.left_out, 'host')} more", style="dim"))
    if found.neighbours:
        console.print()
        console.print(_neighbours(found))
        if (more := len(found.neighbours) - MOST_NEIGHBOURS) > 0:
            console.print(Text(f"and {more} more", style="dim"))
    for assumption in found.assumptions:
        console.print(printable(f"assumed: {assumption}", "dim"))


def _alternatives(found: pb.Explanation, host: str) -> Table:
    names = [it.name for it in found.metrics if it.name in ("R", *_terms(found.objective))]
    table = Table("host", *names, "between hosts", "", box=None, pad_edge=False, header_style="dim")
    before = {it.name: it.before for it in found.metrics}
    units = {it.name: it.unit for it in found.metrics}
    for it in found.alternatives:
        if host and not it.current and it.host != host:
            continue
        after = {metric.name: metric.after for metric in it.metrics if metric.HasField("after")}
        cells = [_cell(name, after, before, units[name], current=it.current) for name in names]
        crossing = (
            ""
            if it.current or not it.HasField("rate_between_hosts_added")
            else (difference("T", it.rate_between_hosts_added))
        )
        note = Text("here", style="green") if it.current else printable(it.reason, "yellow")
        style = "dim" if it.constraint else ""
        table.add_row(printable(it.host, "bold"), *cells, crossing, note, style=style)
    return table


def _terms(objective: str) -> list[str]:
    return [term.partition("=")[0] for term in objective.split(",")]


def _cell(
    name: str, after: dict[str, float], before: dict[str, float], unit: str, *, current: bool
) -> str:
    if name not in after:
        return ""
    if current:
        return figure(name, after[name], unit)
    change = difference(name, after[name] - before[name], unit)
    return f"{figure(name, after[name], unit)} ({change})"


def _neighbours(found: pb.Explanation) -> Table:
    table = Table(
        "talks to", "on", "away", "tuples/s", "", box=None, pad_edge=False, header_style="dim"
    )
    for it in found.neighbours[:MOST_NEIGHBOURS]:
        table.add_row(
            printable(it.executor),
            printable(it.host),
            figure("R", it.delay),
            f"{it.rate:.4g}",
            "comes from it" if it.upstream else "goes to it",
            style="dim" if it.system else "",
        )
    return table
