"""`eyewall problem`: a running topology as a problem file, to solve or report it elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads the types of this function
from typing import Annotated

import typer

from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.client import BAD_INPUT
from eyewall_sidecar.cli.options import Config, Sidecar, connect


def problem(
    topology: Annotated[
        str,
        typer.Argument(help="By its name or Storm's id.", autocompletion=completion.topologies),
    ],
    *,
    output: Annotated[
        Path | None, typer.Option(help="Write the file here rather than to standard output.")
    ] = None,
    sidecar: Sidecar = None,
    config: Config = None,
) -> None:
    """Print the placement problem of a running topology, as a file for `eyewall solve`.

    What was measured and what was assumed goes to standard error. Exit code 2 for an unknown name
    or an output that cannot be written, 1 if the sidecar is away or has no problem now.
    """
    with connect("problem", sidecar, config) as client:
        found = client.problem(topology)
    for line in (*found.measured, *found.assumptions):
        typer.echo(f"{found.topology}: {line}", err=True)
    if output is None:
        sys.stdout.write(found.json)
        return
    try:
        output.write_text(found.json, encoding="utf-8")
    except OSError as error:
        typer.echo(f"eyewall problem: --output {output}: {error.strerror}", err=True)
        raise typer.Exit(BAD_INPUT) from None
