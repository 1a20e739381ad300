"""The ports of this machine that a cluster uses: they exist, differ and are free."""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from eyewall_deploy.endpoint import LARGEST_PORT, LOCALHOST
from eyewall_deploy.failure import Failure
from eyewall_deploy.storm import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_deploy.deployment import Deployment

_ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - where Storm's daemons listen, not where we do


@dataclass(frozen=True, slots=True)
class _PortUse:
    """A port, what it is for, and the option that chooses another."""

    address: str
    port: int
    purpose: str
    option: str

    def __str__(self) -> str:
        return f"port {self.port} for {self.purpose}"


def check_ports(deployment: Deployment) -> Failure | None:
    """Return what is wrong with the first port that cannot be used; None if all can."""
    seen: dict[int, _PortUse] = {}
    for use in _port_uses(deployment):
        if not 0 < use.port <= LARGEST_PORT:
            return Failure(f"{use}: allowed are 1 to {LARGEST_PORT}; choose with {use.option} PORT")
        other = seen.setdefault(use.port, use)
        if other is not use:
            options = " or ".join(dict.fromkeys((other.option, use.option)))
            return Failure(f"{use} is {other.purpose}'s too; choose another with {options} PORT")
        taken = _check_free(use)
        if taken is not None:
            return taken
    return None


def _port_uses(deployment: Deployment) -> Iterator[_PortUse]:
    state = deployment.state
    daemons = _ANY_ADDRESS if deployment.on_loopback else LOCALHOST
    for address, server, purpose, option in (
        (daemons, state.nimbus, "Nimbus", "nimbus"),
        (daemons, state.zookeeper if state.own_zookeeper else None, "ZooKeeper", "zookeeper"),
        (LOCALHOST, state.redis if state.redis_server else None, "Redis", "redis"),
        (daemons, state.ui, "Storm UI", "ui"),
        (LOCALHOST, state.sidecar, "the sidecar", "sidecar"),
        (LOCALHOST, state.dashboard, "the dashboard", "dashboard"),
    ):
        if server is not None:
            yield _PortUse(address, server.port, purpose, f"--{option}-port")
    for host in deployment.cluster.hosts if deployment.on_loopback else ():
        supervisor = settings.supervisor_port(deployment, host)
        for port in (supervisor, *settings.slot_ports(deployment, host)):
            yield _PortUse(daemons, port, f"host {host.name}", "--host-ports")
        if state.agents:
            port = settings.agent_port(deployment, host)
            yield _PortUse(LOCALHOST, port, f"the agent of {host.name}", "--host-ports")


def _check_free(use: _PortUse) -> Failure | None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((use.address, use.port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return Failure(f"{use}: {error.strerror}")
            advice = f"choose another with {use.option} PORT, or end that process"
            return Failure(f"{use} is taken{_owner(use.port)}; {advice}")
    return None


def _owner(port: int) -> str:
    try:
        for connection in psutil.net_connections("tcp"):
            listens = connection.status == psutil.CONN_LISTEN and connection.laddr
            if listens and connection.laddr[1:] == (port,) and connection.pid is not None:
                return f" by {psutil.Process(connection.pid).name()} (process {connection.pid})"
    except psutil.Error:
        pass
    return ""
