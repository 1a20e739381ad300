"""What can be asked of `up`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.lifecycle import inside
from eyewall_deploy.state import Scheduler
from eyewall_deploy.storm.settings import SLOT_PORT

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.state import Delays, Mode
    from eyewall_deploy.wan.kind import Kind


@dataclass(frozen=True, slots=True)
class UpOptions:
    """One wish for a cluster.

    Parameters
    ----------
    cluster
        A cluster file, or the name of a shipped one.
    run_dir
        None is the cluster's default.
    scheduler
        Who places executors from the start on.
    storm_home
        None is a home put together from Maven Central.
    zookeeper, redis
        `HOST:PORT` of the user's own servers; None starts one.
    jar
        The shim; None is the one of the source checkout, if this is one.
    mode
        None takes namespaces where they are allowed.
    network
        What delays packets, in namespaces; None takes netem where the kernel has it.
    stock_timing
        Storm's own timing and no push of assignments.
    agents
        A monitor agent and a latency agent on each host, where they are installed.
    rates
        The job that makes data rates of what the agents report, where Spark is installed.
    dashboard
        The operators' pages, where what they need is installed.
    delays
        Where the sidecar has its delays from; None is measured where hosts are emulated and have
        agents, else declared.
    host_ports
        First of as many ports as there are hosts, slots and agents, in loopback mode.
    """

    cluster: str
    run_dir: Path | None = None
    scheduler: Scheduler = Scheduler.EYEWALL
    storm_home: Path | None = None
    zookeeper: str | None = None
    redis: str | None = None
    jar: Path | None = None
    mode: Mode | None = None
    network: Kind | None = None
    stock_timing: bool = False
    agents: bool = True
    rates: bool = True
    dashboard: bool = True
    delays: Delays | None = None
    nimbus_port: int = inside.NIMBUS_PORT
    ui_port: int = inside.UI_PORT
    sidecar_port: int = inside.SIDECAR_PORT
    dashboard_port: int = inside.DASHBOARD_PORT
    zookeeper_port: int = inside.ZOOKEEPER_PORT
    redis_port: int = inside.REDIS_PORT
    host_ports: int = SLOT_PORT
