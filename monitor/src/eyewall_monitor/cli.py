"""The `eyewall-monitor` command."""

import logging
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

BAD_INPUT = 2


@app.callback()
def eyewall_monitor() -> None:
    """Measure what flows in a Storm cluster and what it costs."""


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
    from eyewall_contracts.config_file import ConfigError

    from eyewall_monitor.addresses import ListenError
    from eyewall_monitor.agent.config import read_config
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


@app.command()
def rates(
    *,
    config: Annotated[
        Path | None, typer.Option(help="TOML file (examples/rates.toml); none: the defaults.")
    ] = None,
    master: Annotated[
        str | None, typer.Option(help="Spark master, spark://…; none: within this process.")
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Recompute a period from the archive, as JSON lines.")
    ] = False,
    start: Annotated[str, typer.Option("--from", help="With --batch: 2026-01-31T12:00, UTC.")] = "",
    end: Annotated[str, typer.Option("--to", help="With --batch.")] = "",
) -> None:
    """Estimate the rates of streams and the costs of operators until SIGTERM or Ctrl-C.

    Exit code 2 for a bad configuration or option, or a checkpoint that cannot be gone on from.
    """
    # Only here: other commands need no Spark.
    try:
        from eyewall_monitor.rates import command
    except ImportError as error:
        typer.echo(
            f"eyewall-monitor rates: {error}; pip install 'eyewall-monitor[rates]'", err=True
        )
        raise typer.Exit(BAD_INPUT) from None
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("py4j").setLevel(logging.WARNING)
    logging.getLogger("kazoo").setLevel(logging.ERROR)
    try:
        if batch:
            command.run_batch(config, master, start, end, typer.echo)
        else:
            command.run_stream(config, master, typer.echo)
    except command.RatesCommandError as error:
        typer.echo(f"eyewall-monitor rates: {error}", err=True)
        raise typer.Exit(BAD_INPUT) from None


@app.command()
def dashboard(
    config: Annotated[
        Path | None, typer.Option(help="TOML file (examples/dashboard.toml); none: the defaults.")
    ] = None,
) -> None:
    """Show the cluster in a browser, and as a JSON API, until SIGTERM or Ctrl-C.

    Exit code 2 for a bad configuration, 1 if the address cannot be listened on.
    """
    # Only here: a supervisor host has neither a web server nor gRPC.
    try:
        from eyewall_monitor.addresses import ListenError
        from eyewall_monitor.dashboard.config import read_config
        from eyewall_monitor.dashboard.serve import serve
    except ImportError as error:
        typer.echo(
            f"eyewall-monitor dashboard: {error}; pip install 'eyewall-monitor[dashboard]'",
            err=True,
        )
        raise typer.Exit(BAD_INPUT) from None
    from eyewall_contracts.config_file import ConfigError

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for quiet in ("kazoo", "uvicorn", "sse_starlette"):
        logging.getLogger(quiet).setLevel(logging.WARNING)
    try:
        serve(read_config(config), typer.echo)
    except ConfigError as error:
        typer.echo(f"eyewall-monitor dashboard: {error}", err=True)
        raise typer.Exit(BAD_INPUT) from None
    except ListenError as error:
        typer.echo(f"eyewall-monitor dashboard: {error}", err=True)
        raise typer.Exit(1) from None


if __name__ == "__main__":
    app()
