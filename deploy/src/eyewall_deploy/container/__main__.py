"""What a host's container runs besides Storm and the agents.

python -m eyewall_deploy.container settings   before anything else
python -m eyewall_deploy.container delays     from then on, as root
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eyewall_deploy import cluster_file
from eyewall_deploy.container.delays import follow
from eyewall_deploy.container.settings import write_settings

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

HostName = Annotated[str, typer.Option(envvar="EYEWALL_HOST", help="As in the cluster file.")]
ClusterFile = Annotated[Path, typer.Option(envvar="EYEWALL_CLUSTER", help="The cluster file.")]


@app.command()
def settings(
    *,
    host: HostName,
    cluster: ClusterFile,
    given: Annotated[Path, typer.Option(help="Settings of all hosts.")] = Path("/etc/eyewall"),
    conf: Annotated[Path, typer.Option(envvar="STORM_CONF_DIR")] = Path("/conf"),
    run: Annotated[Path, typer.Option(help="Where the agents' go.")] = Path("/run/eyewall"),
) -> None:
    """Write what this host's programs read; exit code 2 for a cluster that has no such host."""
    try:
        write_settings(cluster_file.load(cluster).host(host), given, conf, run)
    except (cluster_file.ClusterFileError, KeyError, OSError) as error:
        _refuse(error)


@app.command()
def delays(
    *,
    host: HostName,
    cluster: ClusterFile,
    interface: Annotated[str, typer.Option(help="Of the container.")] = "eth0",
) -> None:
    """Delay what this host sends to the others; exit code 0 where the kernel cannot do it."""
    try:
        follow(cluster, host, interface, typer.echo)
    except (cluster_file.ClusterFileError, KeyError, OSError) as error:
        _refuse(error)


def _refuse(error: Exception) -> None:
    said = error.args[0] if isinstance(error, KeyError) else error
    typer.echo(f"eyewall container: {said}", err=True)
    raise typer.Exit(2) from None


if __name__ == "__main__":
    app()
