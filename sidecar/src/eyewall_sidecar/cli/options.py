"""What all commands that call a sidecar have in common: options, and how they fail."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eyewall_sidecar.cli.client import BAD_INPUT, OperationsClient, OperationsError

if TYPE_CHECKING:
    from collections.abc import Iterator

Sidecar = Annotated[
    str | None,
    typer.Option("--sidecar", metavar="HOST:PORT", help="Where the sidecar listens."),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", help="The sidecar's, which says where it listens."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the answer as JSON; what is unknown is left out.")
]


@contextmanager
def connect(command: str, sidecar: str | None, config: Path | None) -> Iterator[OperationsClient]:
    """Connect to a sidecar; an error ends the command with one line on standard error."""
    try:
        with OperationsClient(address_of(sidecar, config)) as client:
            yield client
    except OperationsError as error:
        typer.echo(f"eyewall {command}: {error}", err=True)
        raise typer.Exit(error.exit_code) from None


def address_of(sidecar: str | None, config: Path | None) -> str:
    """Return HOST:PORT of the sidecar that is meant; OperationsError says what is wrong with it."""
    # Only here: solver processes import the command line and need none of this.
    from eyewall_contracts.config_file import ConfigError
    from eyewall_monitor.addresses import split_address

    from eyewall_sidecar.config import read_config

    try:
        address = sidecar or read_config(config).listen
    except ConfigError as error:
        raise OperationsError(str(error), exit_code=BAD_INPUT) from None
    split = split_address(address)
    if split is None or split[1] == 0:
        option = "--sidecar" if sidecar else f"{config}: listen"
        allowed = "it must be HOST:PORT with a port from 1 to 65535"
        raise OperationsError(f"{option} {address}: {allowed}", exit_code=BAD_INPUT)
    host, port = split
    # A sidecar that listens everywhere is asked on its own machine.
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - nothing is bound here
    return f"{everywhere[host]}:{port}" if host in everywhere else address
