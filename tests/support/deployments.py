"""A deployment of a shipped cluster, as `up` makes it, without looking at this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyewall_deploy import cluster_file
from eyewall_deploy.deployment import Deployment
from eyewall_deploy.endpoint import LOCALHOST, Endpoint
from eyewall_deploy.host.cgroups import ControlGroups
from eyewall_deploy.run_dir import RunDir
from eyewall_deploy.state import (
    ClusterMode,
    DelaySource,
    NetworkEmulator,
    RunState,
    SchedulerChoice,
)
from eyewall_deploy.storm.home import StormHome

if TYPE_CHECKING:
    from pathlib import Path


def make_deployment(folder: Path, cluster: str = "three-sites", **changes: Any) -> Deployment:
    """In namespaces, on the cluster's own servers, with agents; `changes` are of its state.

    The folder is prepared if it exists.
    """
    state: dict[str, Any] = {
        "cluster": cluster,
        "mode": ClusterMode.NAMESPACES,
        "network": NetworkEmulator.ROUTER,
        "scheduler": SchedulerChoice.EYEWALL,
        "zookeeper": Endpoint(LOCALHOST, 20_001),
        "redis": Endpoint(LOCALHOST, 20_002),
        "nimbus": Endpoint(LOCALHOST, 20_003),
        "ui": None,
        "sidecar": Endpoint(LOCALHOST, 20_004),
        "dashboard": Endpoint(LOCALHOST, 20_005),
        "own_zookeeper": True,
        "storm_home": str(folder / "storm"),
        "java": "java",
        "redis_server": "redis-server",
        "host_ports": 21_000,
        "stock_timing": False,
        "agents": True,
        "latency": True,
        "rates": True,
        "delays": DelaySource.MEASURED,
    }
    run = RunDir(folder)
    if folder.is_dir():
        assert run.prepare() is None
    return Deployment(
        run,
        cluster_file.load(cluster),
        RunState(**state | changes),
        StormHome(folder / "storm", "2.8.3"),
        ControlGroups(),
    )
