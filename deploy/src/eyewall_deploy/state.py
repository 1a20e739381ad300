"""What a running cluster was asked to be: written once by `up`, read by every other command."""

from __future__ import annotations

import enum
import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.endpoint import Endpoint

if TYPE_CHECKING:
    from pathlib import Path


class Mode(enum.StrEnum):
    """How hosts are made."""

    NAMESPACES = "namespaces"
    LOOPBACK = "loopback"


class Network(enum.StrEnum):
    """How delays come about: the program that makes them, or nothing does."""

    ROUTER = "router"
    NETEM = "netem"
    NONE = "none"


class Scheduler(enum.StrEnum):
    """Who places executors."""

    EYEWALL = "eyewall"
    RAS = "ras"
    DEFAULT = "default"


class Delays(enum.StrEnum):
    """Where the sidecar has its delays from: the latency agents, or the cluster file."""

    MEASURED = "measured"
    DECLARED = "declared"


@dataclass(frozen=True, slots=True)
class RunState:
    """One running cluster.

    Parameters
    ----------
    zookeeper, redis, nimbus, ui, sidecar, dashboard
        Where this machine's user reaches them. `ui`, `sidecar` and `dashboard` are None where there
        is none.
    own_zookeeper
        Whether it is a program of the cluster, rather than the user's own.
    storm_home, java, redis_server
        Folder of Storm's jars; programs. `redis_server` is None where Redis is the user's own.
    host_ports
        First port of the hosts, in loopback mode.
    stock_timing
        Storm's own timing, and no push of assignments, for comparison.
    agents, latency
        Whether each host has a monitor agent, and a latency agent.
    rates
        Whether there is a rates job.
    delays
        Where the sidecar has its delays from.
    """

    cluster: str
    mode: Mode
    network: Network
    scheduler: Scheduler
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
    delays: Delays


_ENDPOINTS = ("zookeeper", "redis", "nimbus", "ui", "sidecar", "dashboard")
_VERSION = 3


def write_state(path: Path, state: RunState) -> None:
    """Replace the file in one step."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    content = {"version": _VERSION, **asdict(state)}
    beside.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    beside.replace(path)


def read_state(path: Path) -> RunState | None:
    """Read the state; None where no cluster runs."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if content.pop("version") != _VERSION:
        raise ValueError(f"{path}: written by another version of eyewall-deploy")
    for name in _ENDPOINTS:
        if content[name] is not None:
            content[name] = Endpoint(**content[name])
    content["mode"] = Mode(content["mode"])
    content["network"] = Network(content["network"])
    content["scheduler"] = Scheduler(content["scheduler"])
    content["delays"] = Delays(content["delays"])
    return RunState(**content)
