"""What a running cluster is: `up` writes it once, every other command reads it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyewall_deploy.endpoint import Endpoint  # noqa: TC001 - msgspec reads it


class ClusterMode(StrEnum):
    """How hosts are made."""

    NAMESPACES = "namespaces"
    LOOPBACK = "loopback"


class NetworkEmulator(StrEnum):
    """What delays packets between hosts in namespaces."""

    ROUTER = "router"
    NETEM = "netem"


class SchedulerChoice(StrEnum):
    """Who places executors."""

    EYEWALL = "eyewall"
    RAS = "ras"
    DEFAULT = "default"


class DelaySource(StrEnum):
    """Where the sidecar gets its delays from: the latency agents, or the cluster file."""

    MEASURED = "measured"
    DECLARED = "declared"


class LatencyAlgorithm(StrEnum):
    """By which latency agents place hosts: our springs, or paper 002's, without heights."""

    SPRINGS = "springs"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class RunState:
    """One running cluster.

    Parameters
    ----------
    network
        None on loopback, where nothing delays packets.
    zookeeper, redis, nimbus, ui, sidecar, dashboard
        Where this machine's user reaches them; None for those that the cluster does not have.
    own_zookeeper
        Whether it is a program of the cluster, rather than the user's own.
    storm_home, java, redis_server
        Folder of Storm's jars; programs. `redis_server` is None if Redis is the user's own.
    host_ports
        First port of the hosts, in loopback mode.
    stock_timing
        Storm's own timing, and no push of assignments, for comparison.
    agents, latency
        Whether each host has a monitor agent, and a latency agent.
    rates
        Whether there is a rates job.
    latency_algorithm
        None is the agents' default.
    """

    cluster: str
    mode: ClusterMode
    network: NetworkEmulator | None
    scheduler: SchedulerChoice
    zookeeper: Endpoint
    redis: Endpoint
    nimbus: Endpoint
    ui: Endpoint | None
    sidecar: Endpoint | None
    dashboard: Endpoint | None
    own_zookeeper: bool
    storm_home: str
    java: str
    redis_server: str | None
    host_ports: int
    stock_timing: bool
    agents: bool
    latency: bool
    rates: bool
    delays: DelaySource
    latency_algorithm: LatencyAlgorithm | None = None
    version: int = 4
