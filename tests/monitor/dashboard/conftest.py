"""A dashboard on real stores, and a scripted sidecar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_stores import Stores
from eyewall_monitor.dashboard.config import DashboardConfig, SidecarAddress
from eyewall_monitor.dashboard.sidecar_client import SidecarClient
from eyewall_monitor.dashboard.views import health, signal
from kazoo.client import KazooClient
from running_dashboard import RunningDashboard
from scripted_operations import ScriptedOperations, SidecarServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from real_stores import Server


SESSION_SECONDS = 40.0
"""The longest that ZooKeeper grants."""


@pytest.fixture(autouse=True)
def _patient_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that does all else at once may take long to answer."""
    _, distribution = SidecarClient._call.__defaults__ or ()
    monkeypatch.setattr(SidecarClient._call, "__defaults__", (120.0, distribution))


@pytest.fixture
def _long_freshness(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written once is fresh for as long as a test takes."""
    for name in ("ANSWER_SECONDS", "REPORT_SECONDS", "LATENCY_SECONDS", "RATES_SECONDS"):
        monkeypatch.setattr(signal, name, 600.0)
    monkeypatch.setattr(health, "RATES_SECONDS", 600.0)


@pytest.fixture
def sidecar() -> Iterator[SidecarServer]:
    server = SidecarServer(ScriptedOperations())
    server.start()
    yield server
    server.stop()


@pytest.fixture
def stores(zookeeper: Server, redis: Server, tmp_path: Path) -> Iterator[Stores]:
    client = KazooClient(zookeeper.address, timeout=SESSION_SECONDS)
    client.start(timeout=120)
    yield (
        found := Stores(
            zookeeper.address,
            redis.patient_url,
            f"/{tmp_path.name}",
            f"test:{tmp_path.name}",
            client,
        )
    )
    found.store.close()
    client.stop()
    client.close()


@pytest.fixture
def running(
    _long_freshness: None, stores: Stores, sidecar: SidecarServer
) -> Iterator[RunningDashboard]:
    with RunningDashboard(stores.config(sidecar.address)) as dashboard:
        yield dashboard


@pytest.fixture
def alone(_long_freshness: None, sidecar: SidecarServer) -> Iterator[RunningDashboard]:
    """It knows the sidecar and no store."""
    config = DashboardConfig(listen="127.0.0.1:0", sidecar=SidecarAddress(address=sidecar.address))
    with RunningDashboard(config) as dashboard:
        dashboard.until("cluster", lambda it: it["supervisors"])
        yield dashboard
