"""What a supervisor host's container runs in addition to Storm and the agents.

python -m eyewall_deploy.container settings   before anything else
python -m eyewall_deploy.container delays     from then on, as root
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer
import yaml

from eyewall_deploy import cluster_file
from eyewall_deploy.storm.settings import (
    OVERLAP_JAR,
    SLOT_PORT,
    host_settings,
    with_overlap,
    without_scheduler,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_deploy.cluster_file import Cluster, ClusterHost

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at the cluster file."""

EXTLIB_DAEMON: Final = Path("/apache-storm/extlib-daemon")
"""Of the image's Storm: jars that its daemons see."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

_Host = Annotated[str, typer.Option(envvar="EYEWALL_HOST", help="As in the cluster file.")]
_Cluster = Annotated[Path, typer.Option(envvar="EYEWALL_CLUSTER", help="The cluster file.")]


@app.command()
def settings(
    *,
    host: _Host,
    cluster: _Cluster,
    given: Annotated[Path, typer.Option(help="Settings of all hosts.")] = Path("/etc/eyewall"),
    conf: Annotated[Path, typer.Option(envvar="STORM_CONF_DIR")] = Path("/conf"),
    run: Annotated[Path, typer.Option(help="For the agents' settings.")] = Path("/run/eyewall"),
    extlib_daemon: Annotated[Path, typer.Option(help="Of Storm's home.")] = EXTLIB_DAEMON,
) -> None:
    """Write what this host's programs read; exit code 2 if the cluster has no such host."""
    try:
        write_settings(cluster_file.load(cluster).host(host), given, conf, run, extlib_daemon)
    except (cluster_file.ClusterFileError, KeyError, OSError) as error:
        _fail(error)


@app.command()
def delays(
    *,
    host: _Host,
    cluster: _Cluster,
    interface: Annotated[str, typer.Option(help="Of the container.")] = "eth0",
) -> None:
    """Delay what this host sends to the others; exit code 0 if the kernel cannot."""
    try:
        follow_delays(cluster, host, interface, typer.echo)
    except (cluster_file.ClusterFileError, KeyError, OSError) as error:
        _fail(error)


def write_settings(
    host: ClusterHost, given: Path, conf: Path, run: Path, extlib_daemon: Path
) -> None:
    """Write a host's settings.

    Parameters
    ----------
    given
        Folder with storm.yaml and the agents' settings that all hosts have in common.
    conf
        Folder for its storm.yaml: Storm's STORM_CONF_DIR.
    run
        Folder for the agents' settings.
    extlib_daemon
        Folder of Storm's home with jars for daemons; if the one of moves without a gap is there, it
        is used.
    """
    common = yaml.safe_load((given / "storm.yaml").read_text(encoding="utf-8"))
    slots = [SLOT_PORT + number for number in range(host.slots)]
    own = host_settings(host) | {"supervisor.slots.ports": slots}
    storm = without_scheduler(common) | own
    if (extlib_daemon / OVERLAP_JAR).is_file():
        storm = with_overlap(storm)
    (conf / "storm.yaml").write_text(yaml.safe_dump(storm), encoding="utf-8")
    run.mkdir(parents=True, exist_ok=True)
    for name in ("monitor.toml", "latency.toml"):  # they begin without any table
        text = (given / name).read_text(encoding="utf-8")
        (run / name).write_text(f"host = {json.dumps(host.name)}\n{text}", encoding="utf-8")


def follow_delays(path: Path, host: str, interface: str, say: Callable[[str], None]) -> None:
    """Delay packets as the cluster file says, until the process is ended.

    A change of the file takes effect a second later. Return if the kernel refuses, and say why.
    ClusterFileError or KeyError if the file cannot be used at the start; later such a file leaves
    the delays as they are.
    """
    from pyroute2.netlink.exceptions import NetlinkError  # half a second

    cluster = cluster_file.load(path)
    cluster.host(host)
    seen = path.stat().st_mtime_ns
    while True:
        try:
            _set_delays(cluster, host, interface)
        except NetlinkError as error:
            say(
                f"no delays between hosts: the kernel refused netem on {interface} "
                f"({error.args[-1]}); it needs the module sch_netem (and sch_htb, cls_u32) on the "
                "machine that runs the containers, and the container NET_ADMIN"
            )
            return
        say(f"delays from {host} as in {path}")
        while (now := path.stat().st_mtime_ns) == seen:
            time.sleep(LOOK_EVERY)
        seen = now
        try:
            changed = cluster_file.load(path)
            changed.host(host)
            cluster = changed
        except (cluster_file.ClusterFileError, KeyError) as error:
            say(f"{error.args[0]}; the delays stay as they were")


def _set_delays(cluster: Cluster, host: str, interface: str) -> None:
    """Put delays into force by netem; containers have the addresses of the emulated cluster."""
    from eyewall_deploy.wan import delay_file, netem

    table = delay_file.declared_delays(cluster, as_of=0.0)
    netem.sort_packets(table, host, interface)
    netem.delay_packets(table, host, interface)


def _fail(error: Exception) -> NoReturn:
    reason = error.args[0] if isinstance(error, KeyError) else error
    typer.echo(f"eyewall container: {reason}", err=True)
    raise typer.Exit(2) from None


if __name__ == "__main__":
    app()
