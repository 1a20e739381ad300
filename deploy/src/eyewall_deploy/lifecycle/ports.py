"""The ports of this machine that a cluster takes: that there are such, and that they are free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.endpoint import LARGEST_PORT
from eyewall_deploy.failure import Failure
from eyewall_deploy.processes.ports import check_port
from eyewall_deploy.state import Mode
from eyewall_deploy.storm import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_deploy.lifecycle.programs import Plan

_HERE = "127.0.0.1"
_ALL = "0.0.0.0"  # noqa: S104 - where Storm's daemons listen, not where we do


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A port, for whom, and the option that chooses another."""

    address: str
    port: int
    purpose: str
    option: str


def check_ports(plan: Plan) -> Failure | None:
    """Name the first port that cannot be had; None if all can."""
    seen: dict[int, _Wanted] = {}
    for wanted in _wanted(plan):
        other = seen.setdefault(wanted.port, wanted)
        failure = _impossible(wanted, other) or check_port(
            wanted.address, wanted.port, wanted.purpose, wanted.option
        )
        if failure is not None:
            return failure
    return None


def _impossible(wanted: _Wanted, other: _Wanted) -> Failure | None:
    port = f"port {wanted.port} for {wanted.purpose}"
    if not 0 < wanted.port <= LARGEST_PORT:
        return Failure(f"{port}: allowed are 1 to {LARGEST_PORT}; choose with {wanted.option} PORT")
    if other is not wanted:
        options = " or ".join(dict.fromkeys((other.option, wanted.option)))
        return Failure(f"{port} is {other.purpose}'s too; choose another with {options} PORT")
    return None


def _wanted(plan: Plan) -> Iterator[_Wanted]:
    state = plan.state
    loopback = state.mode is Mode.LOOPBACK
    daemons = _ALL if loopback else _HERE
    yield _Wanted(daemons, state.nimbus.port, "Nimbus", "--nimbus-port")
    if state.own_zookeeper:
        yield _Wanted(daemons, state.zookeeper.port, "ZooKeeper", "--zookeeper-port")
    if state.redis_server is not None:
        yield _Wanted(_HERE, state.redis.port, "Redis", "--redis-port")
    if state.ui is not None:
        yield _Wanted(daemons, state.ui.port, "Storm UI", "--ui-port")
    if state.sidecar is not None:
        yield _Wanted(_HERE, state.sidecar.port, "the sidecar", "--sidecar-port")
    if state.dashboard is not None:
        yield _Wanted(_HERE, state.dashboard.port, "the dashboard", "--dashboard-port")
    if loopback:
        for host in plan.cluster.hosts:
            first = settings.supervisor_port(plan.storm, host)
            for port in (first, *settings.slot_ports(plan.storm, host)):
                yield _Wanted(daemons, port, f"host {host.name}", "--host-ports")
            if state.agents:
                port = settings.agent_port(plan.storm, host)
                yield _Wanted(_HERE, port, f"the agent of {host.name}", "--host-ports")
