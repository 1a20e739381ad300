"""`eyewall-deploy`: a real Storm cluster on one machine, over an emulated wide-area network."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from eyewall_deploy import cluster_file
from eyewall_deploy.delays.command import delays as show_delays
from eyewall_deploy.demo.command import demo
from eyewall_deploy.doctor.command import doctor
from eyewall_deploy.endpoint import LARGEST_PORT, parse_endpoint
from eyewall_deploy.lifecycle import changes, inside, log_files
from eyewall_deploy.lifecycle.down import down as take_down
from eyewall_deploy.lifecycle.ended import has_ended
from eyewall_deploy.lifecycle.execute import command_on_host
from eyewall_deploy.lifecycle.execute import run as run_on_host
from eyewall_deploy.lifecycle.found import DEFAULT_CLUSTER, find_run
from eyewall_deploy.lifecycle.options import UpOptions
from eyewall_deploy.lifecycle.plans import find_plan
from eyewall_deploy.lifecycle.shares import read_shares
from eyewall_deploy.lifecycle.status import status as look
from eyewall_deploy.lifecycle.up import Up
from eyewall_deploy.lifecycle.up import up as bring_up
from eyewall_deploy.links_command import link, public, reallocation
from eyewall_deploy.processes.readiness import last_lines
from eyewall_deploy.screen import ScreenSteps, fail, or_fail, show_status
from eyewall_deploy.state import Delays, Mode, Scheduler
from eyewall_deploy.storm.nimbus import end_topology
from eyewall_deploy.storm.settings import SLOT_PORT
from eyewall_deploy.submit import submit as submit_topology
from eyewall_deploy.wan.kind import Kind  # noqa: TC001 - typer reads it

if TYPE_CHECKING:
    from eyewall_deploy.lifecycle.programs import Plan

app = typer.Typer(
    help=__doc__.replace("`", ""),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_out = Console(highlight=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False, soft_wrap=True)

Cluster = Annotated[
    str | None,
    typer.Option("--cluster", "-c", help="Which cluster, where several are up.", metavar="NAME"),
]
RunDirOption = Annotated[
    Path | None, typer.Option("--run-dir", help="The cluster's run dir, if not the default.")
]
Port = Annotated[int, typer.Option(min=1, max=LARGEST_PORT)]
SERVER_HELP = "Use this server of yours instead of starting one."


@app.command()
def up(
    cluster: Annotated[
        str, typer.Argument(help=f"A cluster file, or one of {', '.join(cluster_file.shipped())}.")
    ] = DEFAULT_CLUSTER,
    *,
    run_dir: Annotated[
        Path | None, typer.Option(help="Settings, logs and data go here.", show_default=False)
    ] = None,
    scheduler: Annotated[Scheduler, typer.Option(help="Who places executors.")] = Scheduler.EYEWALL,
    storm_home: Annotated[
        Path | None,
        typer.Option(help="A full Storm distribution: Storm UI runs too.", show_default=False),
    ] = None,
    zookeeper: Annotated[str | None, typer.Option(metavar="HOST:PORT", help=SERVER_HELP)] = None,
    redis: Annotated[str | None, typer.Option(metavar="HOST:PORT", help=SERVER_HELP)] = None,
    jar: Annotated[Path | None, typer.Option(help="The scheduler's jar.")] = None,
    mode: Annotated[
        Mode | None, typer.Option(help="How hosts are made; namespaces where they are allowed.")
    ] = None,
    network: Annotated[
        Kind | None,
        typer.Option(help="What delays packets, in namespaces; netem where the kernel has it."),
    ] = None,
    stock_timing: Annotated[
        bool, typer.Option("--stock-timing", help="Storm's own timing, assignments not pushed.")
    ] = False,
    without_agents: Annotated[
        bool, typer.Option("--without-agents", help="No agents on the hosts, and no rates job.")
    ] = False,
    without_rates: Annotated[
        bool, typer.Option("--without-rates", help="No job that makes data rates, in Spark.")
    ] = False,
    without_dashboard: Annotated[
        bool, typer.Option("--without-dashboard", help="No pages for operators.")
    ] = False,
    delays: Annotated[
        Delays | None,
        typer.Option(
            help="What the sidecar goes by; measured where hosts are emulated and have agents."
        ),
    ] = None,
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Stay; Ctrl-C ends the cluster.")
    ] = False,
    nimbus_port: Port = inside.NIMBUS_PORT,
    ui_port: Port = inside.UI_PORT,
    sidecar_port: Port = inside.SIDECAR_PORT,
    dashboard_port: Port = inside.DASHBOARD_PORT,
    zookeeper_port: Port = inside.ZOOKEEPER_PORT,
    redis_port: Port = inside.REDIS_PORT,
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
    steps = ScreenSteps(_err)
    try:
        running = or_fail(bring_up(options, steps))
        steps.done(f"{running.plan.cluster.name} is up; see `eyewall-deploy status`")
        steps.finish()
        if not foreground:
            running.lease.detach()
            return
        _stay(running)
    except KeyboardInterrupt:
        _err.print("ended, and all that had been started with it")
        raise typer.Exit(130) from None
    finally:
        steps.finish()


def _stay(running: Up) -> None:
    _err.print("Ctrl-C ends it")
    try:
        running.lease.hold()
    finally:
        running.lease.end()
    fail(has_ended(running.plan.run).reason)


@app.command()
def down(
    cluster: Annotated[str | None, typer.Argument(help="Which, where several are up.")] = None,
    *,
    run_dir: RunDirOption = None,
) -> None:
    """End a cluster and everything that belongs to it; does no harm where none is up."""
    run = or_fail(find_run(cluster, run_dir))
    steps = ScreenSteps(_err)
    try:
        ended = or_fail(take_down(run, steps))
        steps.done(f"{run.path.name} is down" if ended.ran else f"{run.path.name} was not up")
    finally:
        steps.finish()


@app.command()
def status(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    cluster: Cluster = None,
    run_dir: RunDirOption = None,
) -> None:
    """Show what runs, where executors are, and how to reach everything."""
    plan = _plan(cluster, run_dir)
    seen = or_fail(look(plan, read_shares(plan.run).refused))
    if as_json:
        sys.stdout.write(json.dumps(asdict(seen), indent=2) + "\n")
    else:
        show_status(_out, seen)


@app.command()
def logs(
    program: Annotated[
        str | None, typer.Argument(help="A program; without it, where the logs are.")
    ] = None,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what comes.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0)] = 50,
    cluster: Cluster = None,
    run_dir: RunDirOption = None,
) -> None:
    """Show the end of a program's log."""
    plan = _plan(cluster, run_dir)
    if program is None:
        for name, file in log_files.log_files(plan).items():
            _out.print(Text(f"{name:24}  {file}"))
        return
    file = or_fail(log_files.log_file(plan, program))
    sys.stdout.writelines(f"{line}\n" for line in last_lines(file, lines))
    if follow:
        try:
            for text in log_files.follow(file):
                sys.stdout.write(text)
                sys.stdout.flush()
        except KeyboardInterrupt:
            return


@app.command()
def submit(
    topology: Annotated[str, typer.Argument(help="A topology of the streamparse project.")],
    *,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help="A setting, value in YAML."),
    ] = None,
    project: Annotated[
        Path | None, typer.Option(help="The streamparse project; ./topologies if not given.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Run it under another name.")] = None,
    nimbus: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Another Nimbus than an emulated cluster's; --cluster names its cluster file.",
        ),
    ] = None,
    cluster: Cluster = None,
    run_dir: RunDirOption = None,
) -> None:
    """Submit a topology through streamparse."""
    if nimbus is None:
        plan = _plan(cluster, run_dir)
        at, hosts = plan.state.nimbus, plan.cluster
    else:
        at = or_fail(parse_endpoint(nimbus, inside.NIMBUS_PORT))
        try:
            hosts = cluster_file.load(cluster or DEFAULT_CLUSTER)
        except cluster_file.ClusterFileError as error:
            fail(str(error))
    submitted = submit_topology(
        topology,
        option or (),
        nimbus=(at.host, at.port),
        cluster=hosts,
        project=project,
        run_as=name,
    )
    _out.print(f"submitted {or_fail(submitted).name}; see `eyewall-deploy status`")


@app.command()
def kill(
    topology: Annotated[str, typer.Argument(help="A topology that runs.")],
    *,
    cluster: Cluster = None,
    run_dir: RunDirOption = None,
) -> None:
    """Kill a topology at once, without a time for its tuples to drain."""
    or_fail(end_topology(_plan(cluster, run_dir).state.nimbus, topology))
    _out.print(f"killed {topology}")


@app.command()
def delay(
    a: Annotated[str, typer.Argument(help="A host or a site.")],
    b: Annotated[str, typer.Argument(help="Another; a site twice is within the site.")],
    one_way: Annotated[str, typer.Argument(help="Such as 80ms.")],
    *,
    one_direction: Annotated[
        bool, typer.Option("--one-direction", help="From A to B only.")
    ] = False,
    cluster: Cluster = None,
    run_dir: RunDirOption = None,
) -> None:
    """Change the one-way delay between two hosts or sites of the running cluster."""
    plan = _plan(cluster, run_dir)
    seconds = or_fail(changes.parse_delay(one_way))
    both = not one_direction
    or_fail(changes.change_delay(plan, a, b, seconds, both_directions=both))
    arrow = "↔" if both else "→"
    _out.print(f"{a} {arrow} {b}: {seconds * 1000:g} ms one way")


@app.command()
def cpu(
    host: Annotated[str, typer.Argument(help="A host.")],
    cores: Annotated[float, typer.Argument(help="Of this machine, such as 0.2.")],
    *,
    cluster: Cluster = None,
    run_dir: RunDirOption = None,
) -> None:
    """Change how much CPU a host of the running cluster has: make it slow, or fast again."""
    change = or_fail(changes.change_cpu(_plan(cluster, run_dir), host, cores))
    _out.print(f"{host}: {change.after:g} cores (before: {change.before:g})")


@app.command()
def scheduler(
    name: Annotated[Scheduler, typer.Argument(help="Who places executors from now on.")],
    *,
    cluster: Cluster = None,
    run_dir: RunDirOption = None,
) -> None:
    """Give Nimbus another scheduler; restarts Nimbus, workers go on meanwhile."""
    plan = _plan(cluster, run_dir)
    steps = ScreenSteps(_err)
    try:
        or_fail(changes.change_scheduler(plan, name, steps))
        steps.done(f"Nimbus is back, with the scheduler {name}")
    finally:
        steps.finish()


@app.command("exec", context_settings={"ignore_unknown_options": True})
def execute(
    host: Annotated[str, typer.Argument(help="A host, or control.")],
    command: Annotated[list[str], typer.Argument(help="After --, a command and its arguments.")],
    *,
    cluster: Cluster = None,
    run_dir: RunDirOption = None,
) -> None:
    """Run a command on a host: in its network, with its share of CPU and memory."""
    plan = _plan(cluster, run_dir)
    line = or_fail(command_on_host(plan, host, command))
    if plan.state.mode is Mode.LOOPBACK:
        _err.print("hosts share this machine's loopback: it runs here")
    raise typer.Exit(run_on_host(line))


@app.command()
def start(program: str, *, cluster: Cluster = None, run_dir: RunDirOption = None) -> None:
    """Start one program and wait until it is ready."""
    _change(changes.start, program, "is ready", cluster, run_dir)


@app.command()
def stop(program: str, *, cluster: Cluster = None, run_dir: RunDirOption = None) -> None:
    """Stop one program; a supervisor's workers go on, as everywhere in Storm."""
    _change(changes.stop, program, "has ended", cluster, run_dir)


@app.command()
def restart(program: str, *, cluster: Cluster = None, run_dir: RunDirOption = None) -> None:
    """Stop one program, start it again and wait until it is ready."""
    _change(changes.restart, program, "is ready", cluster, run_dir)


app.command("delays")(show_delays)
app.command()(doctor)
app.command()(demo)
app.command()(link)
app.command()(public)
app.command()(reallocation)


def _change(
    change: changes.Change, program: str, done: str, cluster: str | None, run_dir: Path | None
) -> None:
    plan = _plan(cluster, run_dir)
    steps = ScreenSteps(_err)
    try:
        or_fail(change(plan, program, steps))
        steps.done(f"{program} {done}")
    finally:
        steps.finish()


def _plan(cluster: str | None, run_dir: Path | None) -> Plan:
    return or_fail(find_plan(cluster, run_dir))


if __name__ == "__main__":
    app()
