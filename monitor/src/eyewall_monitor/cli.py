"""The `eyewall-monitor` command."""

import logging
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

BAD_INPUT = 2


@app.callback()
def eyewall_monitor() -> None:
    """Tell what flows in a Storm cluster and what it costs."""


@app.command()
def agent(
    config: Annotated[
        Path | None, typer.Option(help="TOML file (examples/monitor.toml); none: the defaults.")
    ] = None,
) -> None:
    """Report on this host's Storm workers until SIGTERM or Ctrl-C.

    Exit code 2 for a bad configuration, 1 if the address cannot be listened on.
    """
    # Only here: other commands need other libraries, which a supervisor host does not have.
    from eyewall_monitor.agent.config import ConfigError, read_config
    from eyewall_monitor.agent.listener import ListenError
    from eyewall_monitor.agent.serve import serve

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        serve(read_config(config), typer.echo)
    except ConfigError as error:
        typer.echo(f"eyewall-monitor agent: {error}", err=True)
        raise typer.Exit(BAD_INPUT) from None
    except ListenError as error:
        typer.echo(f"eyewall-monitor agent: {error}", err=True)
        raise typer.Exit(1) from None


if __name__ == "__main__":
    app()
