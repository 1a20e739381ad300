"""What tells that a program is ready: a server that answers, a line, a file, a registration."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from eyewall_deploy.lifecycle.programs import (
    DASHBOARD,
    LINKS,
    RATES,
    latency_name,
    monitor_name,
    supervisor_name,
)
from eyewall_deploy.processes import probes
from eyewall_deploy.processes.supervisord import output_file
from eyewall_deploy.storm import nimbus

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.endpoint import Endpoint
    from eyewall_deploy.lifecycle.programs import Plan

Probe: TypeAlias = Callable[[], str | None]
"""Says what is missing, or None when nothing is."""

_ROUNDING = 1
"""Seconds that an uptime in whole seconds may be off."""


def probe_before_start(plan: Plan, name: str, *, runs: bool) -> Probe:
    """Make a program's probe; to be called before the program is started.

    What an earlier life of it left (its line, its file, its registration with Nimbus) tells
    nothing of the new one. A program that `runs` already is ready by what it has said.
    """
    state = plan.state
    output = output_file(plan.run.logs(), name)
    said = partial(_says, output, 0 if runs else _size(output))
    servers: dict[str, Probe] = {
        "zookeeper": partial(probes.zookeeper, state.zookeeper),
        "redis": partial(probes.redis, state.redis),
        "nimbus": partial(_leading, state.nimbus),
    }
    if state.ui is not None:
        servers["ui"] = partial(probes.http_ok, state.ui, "/index.html")
    if state.sidecar is not None:
        servers["sidecar"] = partial(probes.grpc_health, state.sidecar)
    if state.dashboard is not None:
        servers[DASHBOARD] = partial(probes.http_ok, state.dashboard, "/api/v1/health")
    if name in servers:
        return servers[name]
    for host in plan.cluster.hosts:
        if name == supervisor_name(host):
            return partial(_registered, state.nimbus, host.name, None if runs else time.monotonic())
        if name == monitor_name(host):
            return partial(said, " ready on ")
        if name == latency_name(host):
            return partial(said, " probes by ")
    if name in {RATES, LINKS}:
        return partial(said, " ready on ")
    file = plan.run.ready_file(name)
    if not runs:
        file.unlink(missing_ok=True)
    return partial(_made, file)


def _made(file: Path) -> str | None:
    return None if file.exists() else f"{file} is not there"


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _says(output: Path, begin: int, words: str) -> str | None:
    """Whether a program has said so; what it listens on is out of reach, inside its host."""
    missing = f"nothing of being ready in {output}"
    if not output.exists():
        return missing
    if _size(output) < begin:  # supervisord has begun a new file
        begin = 0
    with output.open("rb") as file:
        file.seek(begin)
        return None if words.encode() in file.read() else missing


def _leading(endpoint: Endpoint) -> str | None:
    try:
        view = nimbus.look(endpoint, with_topologies=False)
    except nimbus.NimbusUnreachableError as error:
        return str(error)
    return None if view.has_leader else "Nimbus answers, but does not lead yet"


def _registered(endpoint: Endpoint, host: str, since: float | None) -> str | None:
    """Whether Nimbus knows the host's supervisor, and not only one that was before `since`."""
    try:
        view = nimbus.look(endpoint, with_topologies=False)
    except nimbus.NimbusUnreachableError as error:
        return str(error)
    uptimes = [supervisor.uptime for supervisor in view.supervisors if supervisor.host == host]
    if not uptimes:
        return f"Nimbus does not know host {host} yet"
    if since is not None and min(uptimes) > time.monotonic() - since + _ROUNDING:
        return f"Nimbus knows host {host} only as it was before"
    return None
