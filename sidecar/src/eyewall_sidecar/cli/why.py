"""`eyewall why` and `eyewall why-not`: where an executor runs, and what other hosts would mean."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from eyewall_sidecar.cli.completion import executors, hosts, topologies
from eyewall_sidecar.cli.options import AsJson, Config, Sidecar, asking

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
    """Tell why an executor runs where it runs, and what every other host would mean for it.

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
    """Tell why an executor does not run on a host: what forbids it, or what it would cost.

    Exit code 2 for an unknown name or a bad option, 1 if no sidecar answers or what runs cannot be
    explained now.
    """
    _explain("why-not", (topology, executor, host), sidecar, config, as_json=as_json)


def _explain(
    command: str,
    asked: tuple[str, str, str],
    sidecar: Sidecar,
    config: Config,
    *,
    as_json: bool,
) -> None:
    # Only here: solver processes import the command line and need no gRPC.
    from eyewall_sidecar.cli import why_page
    from eyewall_sidecar.cli.client import as_json as worded

    with asking(command, sidecar, config) as desk:
        found = desk.explain(*asked)
    if as_json:
        sys.stdout.write(f"{worded(found)}\n")
    else:
        why_page.show(found, asked[2], Console())
