"""`eyewall status`: what the sidecar goes by."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from eyewall_sidecar.cli.completion import topologies
from eyewall_sidecar.cli.options import BAD_INPUT, UNHEARD, AsJson, Config, Sidecar, asking

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb


def status(
    topology: Annotated[
        str,
        typer.Argument(
            help="Name or Storm's id of one, to see all of it.", autocompletion=topologies
        ),
    ] = "",
    *,
    hosts: Annotated[bool, typer.Option("--hosts", help="Show the hosts, too.")] = False,
    sidecar: Sidecar = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show what runs where and what it is worth, by what the sidecar knows.

    Exit code 2 for an unknown topology or a bad option, 1 if no sidecar answers or if it has heard
    no Nimbus yet; what it knows all the same is shown.
    """
    # Only here: solver processes import the command line and need no gRPC.
    from eyewall_sidecar.cli import status_page
    from eyewall_sidecar.cli.client import DeskError
    from eyewall_sidecar.cli.client import as_json as worded

    with asking("status", sidecar, config) as desk:
        found = desk.status()
        one = _named(found, topology) if topology else None
        if as_json:
            sys.stdout.write(f"{worded(found if one is None else one)}\n")
        elif one is not None:
            status_page.show_topology(one, Console())
        else:
            console = Console()
            status_page.show_cluster(found, console)
            if hosts:
                status_page.show_hosts(found, console)
        if not found.HasField("round_age"):
            raise DeskError(UNHEARD)


def _named(found: pb.Status, name: str) -> pb.TopologyStatus:
    """Return one topology; DeskError if there is none of that name."""
    from eyewall_sidecar.cli.client import DeskError

    if not found.HasField("round_age"):
        raise DeskError(UNHEARD)
    for it in found.topologies:
        if name in (it.name, it.topology_id):
            return it
    names = list(dict.fromkeys(it.name for it in found.topologies))
    if not names:
        raise DeskError(f"no topology {name}; there are no topologies", exit_code=BAD_INPUT)
    near = get_close_matches(name, [*names, *(it.topology_id for it in found.topologies)], n=3)
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    raise DeskError(f"no topology {name}; topologies are {shown}", tuple(near), BAD_INPUT)
