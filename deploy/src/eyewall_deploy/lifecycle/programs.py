"""The programs of a cluster: what each is called, where it runs, and by which command."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy.lifecycle.inside import forwards, inside
from eyewall_deploy.processes.program import Program
from eyewall_deploy.state import Mode
from eyewall_deploy.storm import commands, settings
from eyewall_deploy.wan.addresses import CONTROL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eyewall_deploy.cluster_file import Cluster, Host
    from eyewall_deploy.run_dir import RunDir
    from eyewall_deploy.state import RunState
    from eyewall_deploy.storm_home import StormHome

OWN_ROOT = "/storm"
RATES = "rates"
"""Name of the program that turns the hosts' reports into data rates."""
DASHBOARD = "dashboard"
"""Name of the program that is the operators' pages."""
MARKS = "marks"
"""Name of the program that puts connections on the kind of link they are marked for."""
CONNECTIONS = "connections"
"""Name of the program that tells which connections were promised a rate."""
LINKS = "links"
"""Name of the program that marks them: the re-allocation of links."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the programs depend on.

    Parameters
    ----------
    groups
        Control groups of each host that has any.
    """

    run: RunDir
    cluster: Cluster
    state: RunState
    home: StormHome
    groups: Mapping[str, tuple[Path, ...]]

    @property
    def has_two_kinds(self) -> bool:
        """Whether two kinds of links are emulated."""
        return self.state.mode is Mode.NAMESPACES and self.cluster.has_two_kinds

    @property
    def storm(self) -> settings.StormCluster:
        """What Storm's settings depend on."""
        there = inside(self.state)
        return settings.StormCluster(
            run=self.run,
            cluster=self.cluster,
            mode=self.state.mode,
            scheduler=self.state.scheduler,
            zookeeper=there.zookeeper,
            zookeeper_root=zookeeper_root(self.state),
            nimbus_port=there.nimbus.port,
            ui_port=there.ui.port,
            sidecar=there.sidecar,
            host_ports=self.state.host_ports,
            stock_timing=self.state.stock_timing,
            agents=self.state.agents,
        )


def zookeeper_root(state: RunState) -> str:
    """Storm's node: one of the cluster's own where the user's ZooKeeper may hold other things."""
    return OWN_ROOT if state.own_zookeeper else f"/eyewall-deploy/{state.cluster}"


def eyewall_root(state: RunState) -> str:
    """Eyewall's node in ZooKeeper, one of the cluster's own like Storm's."""
    return "/eyewall" if state.own_zookeeper else f"/eyewall-deploy/{state.cluster}/eyewall"


def redis_prefix(state: RunState) -> str:
    """What Eyewall's keys in Redis begin with."""
    return "eyewall" if state.redis_server is not None else f"eyewall-deploy:{state.cluster}"


def supervisor_name(host: Host) -> str:
    """Name of the program that is a host's supervisor."""
    return f"supervisor-{host.name}"


def monitor_name(host: Host) -> str:
    """Name of the program that is a host's monitor agent."""
    return f"monitor-{host.name}"


def latency_name(host: Host) -> str:
    """Name of the program that is a host's latency agent."""
    return f"latency-{host.name}"


def sidecar_command() -> Path | None:
    """Find the sidecar's command."""
    return _command("eyewall")


def monitor_command() -> Path | None:
    """Find the monitor's command."""
    return _command("eyewall-monitor")


def latency_command() -> Path | None:
    """Find the latency agent's command."""
    return _command("eyewall-latency")


def _command(name: str) -> Path | None:
    """A command of the same environment as this one, or the one on PATH."""
    here = Path(sys.executable).parent / name
    if here.is_file():
        return here
    found = shutil.which(name)
    return Path(found) if found else None


def programs(plan: Plan) -> tuple[Program, ...]:
    """All programs, in the order of their start."""
    return tuple(_programs(plan))


def _programs(plan: Plan) -> Iterator[Program]:
    run, state = plan.run, plan.state
    there = inside(state)
    control = _entry(plan, CONTROL)
    python = sys.executable
    if state.mode is Mode.NAMESPACES:
        router: tuple[str, ...] = (
            "--delay-file",
            str(run.delays),
            "--ready-file",
            str(run.ready_file("router")),
        )
        if plan.has_two_kinds:
            files = ("--link-file", str(run.links), "--mark-file", str(run.marks))
            router += (*files, "--traffic-file", str(run.traffic))
            marks = (*files, "--ready-file", str(run.ready_file(MARKS)))
            yield Program(MARKS, (python, "-m", "eyewall_deploy.wan.marks", *marks), run.path)
        yield Program(
            "router", (python, "-m", f"eyewall_deploy.wan.{state.network}", *router), run.path
        )
        ways = [part for way in forwards(state) for part in ("--forward", str(way))]
        ready = ("--ready-file", str(run.ready_file("forwarder")))
        command = (python, "-m", "eyewall_deploy.wan.forwarder", *ways, *ready)
        yield Program("forwarder", command, run.path)
    if state.own_zookeeper:
        serve = commands.zookeeper_arguments(there.zookeeper.port, run.data("zookeeper"))
        yield _daemon(plan, "zookeeper", commands.ZOOKEEPER, control, serve)
    if state.redis_server is not None:
        folder = run.data("redis")
        bind = dict.fromkeys(("127.0.0.1", there.redis.host))
        flags = ("--port", str(there.redis.port), "--bind", *bind, "--dir", str(folder))
        flags += ("--save", "", "--appendonly", "no", "--protected-mode", "no")
        yield Program("redis", (*control, state.redis_server, *flags), run.path)
    sidecar = sidecar_command()
    if state.sidecar is not None and sidecar is not None:
        command = (*control, str(sidecar), "serve", "--config", str(run.sidecar))
        yield Program("sidecar", command, run.path)
    yield _daemon(plan, "nimbus", commands.NIMBUS, control)
    if plan.has_two_kinds:
        watch = ("--nimbus", str(there.nimbus), "--file", str(run.connections))
        ready = ("--ready-file", str(run.ready_file(CONNECTIONS)))
        command = (python, "-m", "eyewall_deploy.storm.connection_watch", *watch, *ready)
        yield Program(CONNECTIONS, (*control, *command), run.path)
        if sidecar is not None:
            yield Program(LINKS, (*control, str(sidecar), "links", str(run.path)), run.path)
    if state.ui is not None:
        yield _daemon(plan, "ui", commands.UI, control)
    monitor, latency = monitor_command(), latency_command()
    for host in plan.cluster.hosts:
        entry = _entry(plan, host.name)
        yield _daemon(plan, supervisor_name(host), commands.SUPERVISOR, entry)
        if state.agents and monitor is not None:
            command = (*entry, str(monitor), "agent", "--config", str(run.monitor(host.name)))
            yield Program(monitor_name(host), command, run.path)
        if state.latency and latency is not None:
            command = (*entry, str(latency), "agent", "--config", str(run.latency(host.name)))
            yield Program(latency_name(host), command, run.path)
    if state.rates and monitor is not None:
        command = (*control, str(monitor), "rates", "--config", str(run.rates))
        yield Program(RATES, command, run.path)
    if state.dashboard is not None and monitor is not None:
        command = (*control, str(monitor), "dashboard", "--config", str(run.dashboard))
        yield Program(DASHBOARD, command, run.path)


def _daemon(
    plan: Plan,
    name: str,
    daemon: commands.Daemon,
    entry: tuple[str, ...],
    arguments: tuple[str, ...] = (),
) -> Program:
    options = settings.java_network_options(plan.storm)
    return commands.daemon_program(
        name, daemon, plan.state.java, plan.home, plan.run, options, entry, arguments
    )


def _entry(plan: Plan, host: str) -> tuple[str, ...]:
    if plan.state.mode is Mode.LOOPBACK:
        return ()
    return entry_command(host, plan.groups.get(host, ()))


def entry_command(host: str, groups: tuple[Path, ...]) -> tuple[str, ...]:
    """What is put in front of a command to run it on an emulated host."""
    flags = [part for folder in groups for part in ("--cgroup", str(folder))]
    enter = (sys.executable, "-m", "eyewall_deploy.host.enter")
    return (*enter, "--network-namespace", host, *flags, "--")
