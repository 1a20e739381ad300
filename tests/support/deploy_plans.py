"""A plan of the shipped cluster three-sites, as `up` makes it, without looking at this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyewall_deploy import cluster_file
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.lifecycle.programs import Plan
from eyewall_deploy.run_dir import RunDir
from eyewall_deploy.state import Delays, Mode, Network, RunState, Scheduler
from eyewall_deploy.storm_home.layout import StormHome

if TYPE_CHECKING:
    from pathlib import Path

HERE = "127.0.0.1"


def make_plan(folder: Path, **changes: Any) -> Plan:
    """In namespaces, on the cluster's own servers, with agents; `changes` are of its state."""
    state: dict[str, Any] = {
        "cluster": "three-sites",
        "mode": Mode.NAMESPACES,
        "network": Network.NETEM,
        "scheduler": Scheduler.EYEWALL,
        "zookeeper": Endpoint(HERE, 20_001),
        "redis": Endpoint(HERE, 20_002),
        "nimbus": Endpoint(HERE, 20_003),
        "ui": None,
        "sidecar": Endpoint(HERE, 20_004),
        "dashboard": Endpoint(HERE, 20_005),
        "own_zookeeper": True,
        "storm_home": str(folder / "storm"),
        "java": "java",
        "redis_server": "redis-server",
        "host_ports": 21_000,
        "stock_timing": False,
        "agents": True,
        "latency": True,
        "rates": True,
        "delays": Delays.MEASURED,
    }
    run = RunDir(folder)
    for part in ("conf", "data", "logs", "log4j2"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    home = StormHome(folder / "storm", "2.8.3")
    return Plan(run, cluster_file.load("three-sites"), RunState(**state | changes), home, groups={})
