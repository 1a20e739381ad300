"""`eyewall-deploy`: a real Storm cluster on one machine, over an emulated wide-area network."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from eyewall_deploy import cluster_file, endpoint
from eyewall_deploy.change_commands import app as change_commands
from eyewall_deploy.cluster_file import DEFAULT_CLUSTER
from eyewall_deploy.command_options import (
    ClusterOption,
    JsonOption,
    PortOption,
    RunDirOption,
    running_cluster,
)
from eyewall_deploy.console import ERR, OUT, fail, or_fail, show_progress, show_status
from eyewall_deploy.delays.command import delays as show_delays
from eyewall_deploy.deployment import find_run
from eyewall_deploy.doctor.command import doctor
from eyewall_deploy.endpoint import LARGEST_PORT
from eyewall_deploy.lifecycle import host_command, logs
from eyewall_deploy.lifecycle.down import down as take_down
from eyewall_deploy.lifecycle.preparation import UpOptions
from eyewall_deploy.lifecycle.readiness import last_lines
from eyewall_deploy.lifecycle.status import read_status
from eyewall_deploy.lifecycle.up import up as bring_up
from eyewall_deploy.state import ClusterMode, DelaySource, NetworkEmulator, SchedulerChoice
from eyewall_deploy.storm.nimbus import end_topology
from eyewall_deploy.storm.settings import SLOT_PORT
from eyewall_deploy.submit_command import submit
from eyewall_deploy.trial_command import trial

if TYPE_CHECKING:
    from eyewall_deploy.lifecycle.up import StartedCluster

app = typer.Typer(
    help=__doc__.replace("`", ""),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_SERVER_HELP = "Use this server of yours instead of starting one."


@app.command()
def up(
    cluster: Annotated[
        str,
        typer.Argument(
            help=f"A cluster file, or one of {', '.join(cluster_file.shipped_clusters())}."
        ),
    ] = DEFAULT_CLUSTER,
    *,
    run_dir: Annotated[
        Path | None, typer.Option(help="For settings, logs and data.", show_default=False)
    ] = None,
    scheduler: Annotated[
        SchedulerChoice, typer.Option(help="Who places executors.")
    ] = SchedulerChoice.EYEWALL,
    storm_home: Annotated[
        Path | None,
        typer.Option(help="A full Storm distribution: Storm UI runs too.", show_default=False),
    ] = None,
    zookeeper: Annotated[str | None, typer.Option(metavar="HOST:PORT", help=_SERVER_HELP)] = None,
    redis: Annotated[str | None, typer.Option(metavar="HOST:PORT", help=_SERVER_HELP)] = None,
    jar: Annotated[Path | None, typer.Option(help="The scheduler's jar.")] = None,
    mode: Annotated[
        ClusterMode | None, typer.Option(help="How hosts are made; namespaces if allowed.")
    ] = None,
    network: Annotated[
        NetworkEmulator | None,
        typer.Option(help="What delays packets, in namespaces; netem if the kernel has it."),
    ] = None,
    stock_timing: Annotated[
        bool, typer.Option("--stock-timing", help="Storm's own timing, assignments not pushed.")
    ] = False,
    overlap: Annotated[
        bool,
        typer.Option(
            "--overlap", help="Supervisors with the plugin that `eyewall.moves: overlap` needs."
        ),
    ] = False,
    without_agents: Annotated[
        bool, typer.Option("--without-agents", help="No agents on the hosts, and no rates job.")
    ] = False,
    without_rates: Annotated[
        bool, typer.Option("--without-rates", help="No Spark job that makes data rates.")
    ] = False,
    without_dashboard: Annotated[
        bool, typer.Option("--without-dashboard", help="No pages for operators.")
    ] = False,
    delays: Annotated[
        DelaySource | None,
        typer.Option(
            help="Which delays the sidecar uses; measured if hosts are emulated and have agents."
        ),
    ] = None,
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Stay; Ctrl-C ends the cluster.")
    ] = False,
    nimbus_port: PortOption = endpoint.NIMBUS_PORT,
    ui_port: PortOption = endpoint.UI_PORT,
    sidecar_port: PortOption = endpoint.SIDECAR_PORT,
    dashboard_port: PortOption = endpoint.DASHBOARD_PORT,
    zookeeper_port: PortOption = endpoint.ZOOKEEPER_PORT,
    redis_port: PortOption = endpoint.REDIS_PORT,
    host_ports: Annotated[
        int,
        typer.Option(min=1, max=LARGEST_PORT, help="First of the hosts' ports, in loopback mode."),
    ] = SLOT_PORT,
) -> None:
    """Bring a cluster up; each of its programs is ready when this returns."""
    options = UpOptions(
        cluster=cluster,
        run_dir=run_dir,
        scheduler=scheduler,
        storm_home=storm_home,
        zookeeper=zookeeper,
        redis=redis,
        jar=jar,
        mode=mode,
        network=network,
        stock_timing=stock_timing,
        overlap=overlap,
        agents=not without_agents,
        rates=not without_rates,
        dashboard=not without_dashboard,
        delays=delays,
        nimbus_port=nimbus_port,
        ui_port=ui_port,
        sidecar_port=sidecar_port,
        dashboard_port=dashboard_port,
        zookeeper_port=zookeeper_port,
        redis_port=redis_port,
        host_ports=host_ports,
    )
    try:
        with show_progress() as progress:
            started = or_fail(bring_up(options, progress))
            name = started.deployment.cluster.name
            progress.log(f"{name} is up; see `eyewall-deploy status`")
        if foreground:
            _stay(started)
        started.lease.detach()
    except KeyboardInterrupt:
        ERR.print("the cluster has ended")
        raise typer.Exit(130) from None


def _stay(started: StartedCluster) -> None:
    ERR.print("Ctrl-C ends it")
    try:
        started.lease.wait()
    finally:
        started.lease.end()
    fail(started.deployment.run.end_notice.reason)


@app.command()
def down(
    cluster: Annotated[str | None, typer.Argument(help="Which, if several are up.")] = None,
    *,
    run_dir: RunDirOption = None,
) -> None:
    """End a cluster and everything that belongs to it; does no harm if none is up."""
    run = or_fail(find_run(cluster, run_dir))
    with show_progress() as progress:
        was_running = or_fail(take_down(run, progress))
        progress.log(f"{run.path.name} is down" if was_running else f"{run.path.name} was not up")


@app.command()
def status(
    *, as_json: JsonOption = False, cluster: ClusterOption = None, run_dir: RunDirOption = None
) -> None:
    """Show what runs, where executors are, and how to reach everything."""
    shown = or_fail(read_status(running_cluster(cluster, run_dir)))
    if as_json:
        sys.stdout.write(json.dumps(asdict(shown), indent=2) + "\n")
    else:
        show_status(shown)


@app.command("logs")
def show_logs(
    program: Annotated[
        str | None, typer.Argument(help="A program; without it, where the logs are.")
    ] = None,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Show what is added.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0)] = 50,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Show the end of a program's log."""
    deployment = running_cluster(cluster, run_dir)
    if program is None:
        for name, file in logs.log_files(deployment).items():
            OUT.print(Text(f"{name:24}  {file}"))
        return
    file = or_fail(logs.find_log(deployment, program))
    sys.stdout.writelines(f"{line}\n" for line in last_lines(file, lines))
    if follow:
        try:
            for text in logs.follow_log(file):
                sys.stdout.write(text)
                sys.stdout.flush()
        except KeyboardInterrupt:
            return


@app.command()
def kill(
    topology: Annotated[str, typer.Argument(help="A topology that runs.")],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Kill a topology at once, without a time for its tuples to drain."""
    or_fail(end_topology(running_cluster(cluster, run_dir).state.nimbus, topology))
    OUT.print(f"killed {topology}")


@app.command("exec", context_settings={"ignore_unknown_options": True})
def execute(
    host: Annotated[str, typer.Argument(help="A host, or control.")],
    command: Annotated[list[str], typer.Argument(help="After --, a command and its arguments.")],
    *,
    cluster: ClusterOption = None,
    run_dir: RunDirOption = None,
) -> None:
    """Run a command on a host: in its network, with its share of CPU and memory."""
    deployment = running_cluster(cluster, run_dir)
    line = or_fail(host_command.host_command(deployment, host, command))
    if deployment.on_loopback:
        ERR.print("hosts share this machine's loopback: the command runs here")
    raise typer.Exit(host_command.run(line))


app.add_typer(change_commands)
app.command("delays")(show_delays)
app.command()(submit)
app.command()(doctor)
app.command()(trial)


if __name__ == "__main__":
    app()
