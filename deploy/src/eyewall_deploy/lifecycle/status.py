"""What runs, where, and how to reach it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy.lifecycle.down import processes_of
from eyewall_deploy.lifecycle.ended import has_ended
from eyewall_deploy.processes.control import Control, SupervisordGoneError
from eyewall_deploy.state import Mode
from eyewall_deploy.storm import nimbus
from eyewall_deploy.wan.addresses import addresses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.failure import Failure
    from eyewall_deploy.lifecycle.programs import Plan
    from eyewall_deploy.run_dir import RunDir


@dataclass(frozen=True, slots=True)
class ProgramStatus:
    """A program; `pid` as seen from outside, 0 unless it runs; `uptime` in seconds."""

    name: str
    state: str
    pid: int
    uptime: float


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
class Status:
    """A running cluster.

    Parameters
    ----------
    network
        By what delays are made: router, netem or none.
    delays
        What the sidecar goes by: measured or declared ones.
    addresses
        How each server is reached from here.
    not_limited
        Which of the hosts' CPU and memory limits this machine does not keep, and why.
    nimbus_error
        Why hosts and topologies are unknown; None when they are known.
    """

    cluster: str
    run_dir: str
    mode: str
    network: str
    scheduler: str
    stock_timing: bool
    delays: str
    addresses: Mapping[str, str]
    programs: tuple[ProgramStatus, ...]
    hosts: tuple[HostStatus, ...]
    topologies: tuple[TopologyStatus, ...]
    not_limited: tuple[str, ...]
    nimbus_error: str | None


def status(plan: Plan, not_limited: tuple[str, ...]) -> Status | Failure:
    """Look at everything once."""
    state = plan.state
    try:
        programs = _programs(plan.run)
    except SupervisordGoneError:
        return has_ended(plan.run)
    try:
        view = nimbus.look(state.nimbus)
        error = None
    except nimbus.NimbusUnreachableError as unreachable:
        view = nimbus.ClusterView("", has_leader=False, supervisors=(), topologies=())
        error = str(unreachable)
    return Status(
        cluster=state.cluster,
        run_dir=str(plan.run.path),
        mode=state.mode,
        network=state.network,
        scheduler=state.scheduler,
        stock_timing=state.stock_timing,
        delays=state.delays,
        addresses=_addresses(plan),
        programs=programs,
        hosts=_hosts(plan, view),
        topologies=running_topologies(view),
        not_limited=not_limited,
        nimbus_error=error,
    )


def _addresses(plan: Plan) -> dict[str, str]:
    state = plan.state
    found = {"nimbus": str(state.nimbus)}
    if state.ui is not None:
        found["storm ui"] = f"http://{state.ui}"
    if state.dashboard is not None:
        found["dashboard"] = f"http://{state.dashboard}"
    if state.sidecar is not None:
        found["sidecar"] = str(state.sidecar)
    return found | {"zookeeper": str(state.zookeeper), "redis": str(state.redis)}


def _programs(run: RunDir) -> tuple[ProgramStatus, ...]:
    outside = _pids_outside(run)
    return tuple(
        ProgramStatus(p.name, p.state, outside.get(p.pid, p.pid), p.uptime)
        for p in Control(run.socket).states()
    )


def _pids_outside(run: RunDir) -> dict[int, int]:
    """Process ids of this machine by those of the cluster's own process namespace."""
    found = {}
    for process in processes_of(run):
        try:
            text = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        except OSError:
            continue
        ids = next(line for line in text.splitlines() if line.startswith("NSpid:")).split()[1:]
        found[int(ids[-1])] = process.pid
    return found


def _hosts(plan: Plan, view: nimbus.ClusterView) -> tuple[HostStatus, ...]:
    used = {supervisor.host: supervisor.slots_used for supervisor in view.supervisors}
    address_of = addresses([host.name for host in plan.cluster.hosts])
    if plan.state.mode is Mode.LOOPBACK:
        address_of = dict.fromkeys(address_of, "127.0.0.1")
    return tuple(
        HostStatus(host.name, host.site, address_of[host.name], host.slots, used.get(host.name))
        for host in plan.cluster.hosts
    )


def running_topologies(view: nimbus.ClusterView) -> tuple[TopologyStatus, ...]:
    """What runs, as the status shows it."""
    return tuple(
        TopologyStatus(
            name=topology.name,
            id=topology.id,
            status=topology.status,
            scheduling=topology.scheduling,
            executors=tuple(
                ExecutorStatus(
                    executor.component,
                    (executor.first_task, executor.last_task),
                    slot.host,
                    slot.port,
                )
                for executor, slot in sorted(topology.slots.items())
            ),
        )
        for topology in view.topologies
    )
