"""A dashboard on real stores, and a scripted sidecar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_stores import Stores
from eyewall_monitor.dashboard.config import DashboardConfig, SidecarAddress
from kazoo.client import KazooClient
from running_dashboard import RunningDashboard
from scripted_operations import ScriptedOperations, SidecarServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from real_stores import Server


@pytest.fixture
def sidecar() -> Iterator[SidecarServer]:
    server = SidecarServer(ScriptedOperations())
    server.start()
    yield server
    server.stop()


@pytest.fixture
def stores(zookeeper: Server, redis: Server, tmp_path: Path) -> Iterator[Stores]:
    client = KazooClient(zookeeper.address)
    client.start(timeout=120)
    url = f"redis://{redis.address}/0"
    yield (
        found := Stores(
            zookeeper.address, url, f"/{tmp_path.name}", f"test:{tmp_path.name}", client
        )
    )
    found.store.close()
    client.stop()
    client.close()


@pytest.fixture
def running(stores: Stores, sidecar: SidecarServer) -> Iterator[RunningDashboard]:
    with RunningDashboard(stores.config(sidecar.address)) as dashboard:
        yield dashboard


@pytest.fixture
def alone(sidecar: SidecarServer) -> Iterator[RunningDashboard]:
    """It knows the sidecar and no store."""
    config = DashboardConfig(listen="127.0.0.1:0", sidecar=SidecarAddress(address=sidecar.address))
    with RunningDashboard(config) as dashboard:
        dashboard.until("cluster", lambda it: it["supervisors"])
        yield dashboard
