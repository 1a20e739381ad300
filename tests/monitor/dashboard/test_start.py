"""What a dashboard says that has only just been started."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eyewall_monitor.dashboard import serve
from eyewall_monitor.dashboard.config import DashboardConfig, SidecarAddress
from running_dashboard import RunningDashboard
from scripted_operations import ScriptedOperations, SidecarServer
from sidecar_answers import a_status

if TYPE_CHECKING:
    import pytest
    from eyewall_contracts.proto import operations_pb2 as pb


@dataclass
class SlowOperations(ScriptedOperations):
    """Answers no status before a while is over, or before it may."""

    seconds: float = 0.0
    go_on: threading.Event = field(default_factory=threading.Event)

    def GetStatus(self, request: pb.StatusRequest, context: Any) -> pb.Status:  # noqa: N802
        self.go_on.wait(self.seconds)
        return super().GetStatus(request, context)


def config(server: SidecarServer) -> DashboardConfig:
    return DashboardConfig(listen="127.0.0.1:0", sidecar=SidecarAddress(address=server.address))


def test_the_first_response_waits_for_the_sidecar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "FIRST_SECONDS", 120.0)
    server = SidecarServer(SlowOperations(seconds=0.5))
    server.start()
    with RunningDashboard(config(server)) as dashboard:
        # Not 503, as while the topologies are unknown.
        assert dashboard.get("topologies/word_count").status_code == 200
        assert len(dashboard.get("cluster").json()["supervisors"]) == 2
    server.stop()


def test_before_the_first_round_no_topology_is_called_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serve, "FIRST_SECONDS", 120.0)
    status = a_status()
    for known in ("round_age", "topologies", "supervisors"):
        status.ClearField(known)
    server = SidecarServer(ScriptedOperations(status=status))
    server.start()
    with RunningDashboard(config(server)) as dashboard:
        answer = dashboard.get("topologies/word_count")
        assert answer.status_code == 503
        assert "Nimbus has not asked" in answer.json()["detail"]
    server.stop()


def test_a_silent_sidecar_does_not_prevent_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serve, "FIRST_SECONDS", 0.1)
    operations = SlowOperations(seconds=60.0)
    server = SidecarServer(operations)
    server.start()
    with RunningDashboard(config(server)) as dashboard:
        assert dashboard.get("cluster").json()["sidecar"]["state"] == "missing"
        operations.go_on.set()
        dashboard.until("cluster", lambda it: it["supervisors"])
    server.stop()
