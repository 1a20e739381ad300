"""The programs of a cluster: what each is called, where it runs, its command, and their order."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy.endpoint import LOCALHOST
from eyewall_deploy.processes.supervisord import Program
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.storm import daemons
from eyewall_deploy.storm.daemons import daemon_program
from eyewall_deploy.wan.addresses import CONTROL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_deploy.cluster_file import ClusterHost
    from eyewall_deploy.deployment import Deployment

RATES = "rates"
"""The job that turns the hosts' reports into data rates."""
DASHBOARD = "dashboard"
"""The operators' pages."""
MARKS = "marks"
"""Puts connections on the kind of link that they are marked for."""
CONNECTIONS = "connections"
"""Writes which connections were promised a rate."""
LINKS = "links"
"""Marks connections: the re-allocation of links."""


def supervisor_name(host: ClusterHost) -> str:
    """Return the name of the program that is a host's supervisor."""
    return f"supervisor-{host.name}"


def monitor_name(host: ClusterHost) -> str:
    """Return the name of the program that is a host's monitor agent."""
    return f"monitor-{host.name}"


def latency_name(host: ClusterHost) -> str:
    """Return the name of the program that is a host's latency agent."""
    return f"latency-{host.name}"


def host_programs(host: ClusterHost) -> tuple[str, str, str]:
    """Return the names of all programs of a host."""
    return supervisor_name(host), monitor_name(host), latency_name(host)


def sidecar_command() -> Path | None:
    """Find the sidecar's command."""
    return _find_command("eyewall")


def monitor_command() -> Path | None:
    """Find the monitor's command."""
    return _find_command("eyewall-monitor")


def latency_command() -> Path | None:
    """Find the latency agent's command."""
    return _find_command("eyewall-latency")


def _find_command(name: str) -> Path | None:
    """Find a command in this environment, else on PATH."""
    here = Path(sys.executable).parent / name
    if here.is_file():
        return here
    on_path = shutil.which(name)
    return Path(on_path) if on_path else None


def start_stages(deployment: Deployment) -> list[list[str]]:
    """Return the names of programs that start together, each stage after those before it."""
    names = [program.name for program in programs(deployment)]
    servers = ["zookeeper", "redis"]
    if deployment.state.scheduler is SchedulerChoice.EYEWALL:
        servers.append("sidecar")
    hosts = deployment.cluster.hosts
    last = [*map(supervisor_name, hosts), *map(monitor_name, hosts), *map(latency_name, hosts)]
    last += ["ui", RATES, DASHBOARD, CONNECTIONS, LINKS]
    stages = (["router", MARKS, "forwarder"], servers, ["nimbus"], last)
    return [present for stage in stages if (present := [it for it in stage if it in names])]


def programs(deployment: Deployment) -> tuple[Program, ...]:
    """Return all programs."""
    return (
        *_network_programs(deployment),
        *_control_programs(deployment),
        *_host_programs(deployment),
    )


def _network_programs(deployment: Deployment) -> Iterator[Program]:
    if deployment.on_loopback:
        return
    run = deployment.run
    links: list[str] = []
    if deployment.has_two_kinds:
        links = ["--link-file", str(run.links), "--mark-file", str(run.marks)]
        yield _service(deployment, MARKS, "wan.policy_routing", *links)
        links += ["--traffic-file", str(run.traffic)]
    module = f"wan.{deployment.state.network}"
    yield _service(deployment, "router", module, "--delay-file", str(run.delays), *links)
    forwards = [part for forward in deployment.forwards() for part in ("--forward", forward)]
    yield _service(deployment, "forwarder", "wan.forwarder", *forwards)


def _control_programs(deployment: Deployment) -> Iterator[Program]:
    run, state, inner = deployment.run, deployment.state, deployment.inner
    control = _entry(deployment, CONTROL)
    sidecar, monitor = sidecar_command(), monitor_command()
    if state.own_zookeeper:
        serve = daemons.zookeeper_arguments(inner.zookeeper.port, run.data("zookeeper"))
        yield daemon_program(deployment, "zookeeper", daemons.ZOOKEEPER, control, serve)
    if state.redis_server is not None:
        bind = dict.fromkeys((LOCALHOST, inner.redis.host))
        flags = ("--port", str(inner.redis.port), "--bind", *bind, "--dir", str(run.data("redis")))
        flags += ("--save", "", "--appendonly", "no", "--protected-mode", "no")
        yield Program("redis", (*control, state.redis_server, *flags))
    if state.sidecar is not None and sidecar is not None:
        command = (str(sidecar), "serve", "--config", str(run.sidecar))
        yield Program("sidecar", (*control, *command))
    yield daemon_program(deployment, "nimbus", daemons.NIMBUS, control)
    if deployment.has_two_kinds:
        files = ("--nimbus", str(inner.nimbus), "--file", str(run.connections))
        watch = _service(deployment, CONNECTIONS, "storm.connections", *files)
        yield Program(CONNECTIONS, (*control, *watch.command))
        if sidecar is not None:
            yield Program(LINKS, (*control, str(sidecar), "links", str(run.path)))
    if state.ui is not None:
        yield daemon_program(deployment, "ui", daemons.UI, control)
    if state.rates and monitor is not None:
        yield Program(RATES, (*control, str(monitor), "rates", "--config", str(run.rates)))
    if state.dashboard is not None and monitor is not None:
        command = (str(monitor), "dashboard", "--config", str(run.dashboard))
        yield Program(DASHBOARD, (*control, *command))


def _host_programs(deployment: Deployment) -> Iterator[Program]:
    run, state = deployment.run, deployment.state
    monitor, latency = monitor_command(), latency_command()
    for host in deployment.cluster.hosts:
        entry = _entry(deployment, host.name)
        yield daemon_program(deployment, supervisor_name(host), daemons.SUPERVISOR, entry)
        if state.agents and monitor is not None:
            command = (str(monitor), "agent", "--config", str(run.monitor(host.name)))
            yield Program(monitor_name(host), (*entry, *command))
        if state.latency and latency is not None:
            command = (str(latency), "agent", "--config", str(run.latency(host.name)))
            yield Program(latency_name(host), (*entry, *command))


def _service(deployment: Deployment, name: str, module: str, *options: str) -> Program:
    ready = ("--ready-file", str(deployment.run.ready_file(name)))
    return Program(name, (sys.executable, "-m", f"eyewall_deploy.{module}", *options, *ready))


def _entry(deployment: Deployment, host: str) -> tuple[str, ...]:
    return () if deployment.on_loopback else entry_command(deployment, host)


def entry_command(deployment: Deployment, host: str) -> tuple[str, ...]:
    """Return what comes before a command to run it on an emulated host."""
    folders = deployment.groups.folders.get(host, ())
    flags = [part for folder in folders for part in ("--cgroup", folder)]
    enter = (sys.executable, "-m", "eyewall_deploy.host.enter", "--network-namespace", host)
    return (*enter, *flags, "--")
