"""What runs, where, and how to reach it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy.lifecycle.down import cluster_processes
from eyewall_deploy.processes.control import Control, SupervisordGoneError
from eyewall_deploy.storm.nimbus import NimbusSummary, NimbusUnreachableError, read_summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.failure import Failure
    from eyewall_deploy.processes.control import ProgramState
    from eyewall_deploy.run_dir import RunDir
    from eyewall_deploy.storm.nimbus import RunningTopology


@dataclass(frozen=True, slots=True)
class HostStatus:
    """A host; `slots_used` is None while Nimbus does not know its supervisor."""

    name: str
    site: str
    address: str
    slots: int
    slots_used: int | None


@dataclass(frozen=True, slots=True)
class ExecutorStatus:
    """An executor and where it runs."""

    component: str
    tasks: tuple[int, int]
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class TopologyStatus:
    """A topology; `scheduling` is the scheduler's status text."""

    name: str
    id: str
    status: str
    scheduling: str
    executors: tuple[ExecutorStatus, ...]


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """A running cluster.

    Parameters
    ----------
    network
        What delays packets: router, netem or none.
    delays
        Which delays the sidecar uses: measured or declared ones.
    addresses
        How each server is reached from here.
    programs
        With process ids as seen from outside.
    not_limited
        Which of the hosts' CPU and memory limits this machine does not keep, and why.
    nimbus_error
        Why hosts and topologies are unknown; None if they are known.
    """

    cluster: str
    run_dir: str
    mode: str
    network: str
    scheduler: str
    stock_timing: bool
    delays: str
    addresses: Mapping[str, str]
    programs: tuple[ProgramState, ...]
    hosts: tuple[HostStatus, ...]
    topologies: tuple[TopologyStatus, ...]
    not_limited: tuple[str, ...]
    nimbus_error: str | None


def read_status(deployment: Deployment) -> ClusterStatus | Failure:
    """Return what a cluster does now."""
    state = deployment.state
    try:
        programs = _programs(deployment.run)
    except SupervisordGoneError:
        return deployment.run.end_notice
    try:
        nimbus, error = read_summary(state.nimbus), None
    except NimbusUnreachableError as unreachable:
        nimbus, error = NimbusSummary("", False, (), ()), str(unreachable)  # noqa: FBT003
    used = {supervisor.host: supervisor.slots_used for supervisor in nimbus.supervisors}
    address_of = deployment.address_of
    return ClusterStatus(
        cluster=state.cluster,
        run_dir=str(deployment.run.path),
        mode=state.mode,
        network=state.network or "none",
        scheduler=state.scheduler,
        stock_timing=state.stock_timing,
        delays=state.delays,
        addresses=_server_addresses(deployment),
        programs=programs,
        hosts=tuple(
            HostStatus(it.name, it.site, address_of[it.name], it.slots, used.get(it.name))
            for it in deployment.cluster.hosts
        ),
        topologies=running_topologies(nimbus),
        not_limited=deployment.groups.refused,
        nimbus_error=error,
    )


def _server_addresses(deployment: Deployment) -> dict[str, str]:
    state = deployment.state
    pages = {"storm ui": state.ui, "dashboard": state.dashboard}
    return {
        "nimbus": str(state.nimbus),
        **{name: f"http://{page}" for name, page in pages.items() if page is not None},
        **({} if state.sidecar is None else {"sidecar": str(state.sidecar)}),
        "zookeeper": str(state.zookeeper),
        "redis": str(state.redis),
    }


def _programs(run: RunDir) -> tuple[ProgramState, ...]:
    """Return the programs, with process ids of this machine, not of the cluster's own namespace."""
    outside = {}
    for process in cluster_processes(run):
        try:
            text = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        except OSError:
            continue
        ids = next(line for line in text.splitlines() if line.startswith("NSpid:")).split()[1:]
        outside[int(ids[-1])] = process.pid
    states = Control(run.socket).states()
    return tuple(replace(state, pid=outside.get(state.pid, state.pid)) for state in states)


def running_topologies(summary: NimbusSummary) -> tuple[TopologyStatus, ...]:
    """Return the topologies of Nimbus's summary in the form that the status shows."""
    return tuple(map(_topology_status, summary.topologies))


def _topology_status(topology: RunningTopology) -> TopologyStatus:
    return TopologyStatus(
        name=topology.name,
        id=topology.id,
        status=topology.status,
        scheduling=topology.scheduling,
        executors=tuple(
            ExecutorStatus(it.component, (it.first_task, it.last_task), slot.host, slot.port)
            for it, slot in sorted(topology.slots.items())
        ),
    )
