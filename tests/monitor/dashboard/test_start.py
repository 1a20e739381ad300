"""What a dashboard says that has only just been started."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eyewall_monitor.dashboard import serve
from eyewall_monitor.dashboard.config import Config, Sidecar
from running_dashboard import RunningDashboard
from scripted_operations import ScriptedOperations, SidecarServer, a_status

if TYPE_CHECKING:
    import pytest
    from eyewall_contracts.proto import operations_pb2 as pb


@dataclass
class SlowOperations(ScriptedOperations):
    """Answers no status before a while is over, or before it is told to."""

    seconds: float = 0.0
    go_on: threading.Event = field(default_factory=threading.Event)

    def GetStatus(self, request: pb.StatusRequest, context: Any) -> pb.Status:  # noqa: N802
        self.go_on.wait(self.seconds)
        return super().GetStatus(request, context)


def config(server: SidecarServer) -> Config:
    return Config(listen="127.0.0.1:0", sidecar=Sidecar(address=server.address))


def test_its_first_answer_has_what_the_sidecar_says_however_soon_it_is_asked() -> None:
    server = SidecarServer(SlowOperations(seconds=0.5))
    server.start()
    with RunningDashboard(config(server)) as dashboard:
        # Not 503, as while nobody has told which topologies there are.
        assert dashboard.get("topologies/word_count").status_code == 200
        assert len(dashboard.get("cluster").json()["supervisors"]) == 2
    server.stop()


def test_while_no_nimbus_has_been_heard_no_name_of_a_topology_is_called_unknown() -> None:
    status = a_status()
    for known in ("round_age", "topologies", "supervisors"):
        status.ClearField(known)
    server = SidecarServer(ScriptedOperations(status=status))
    server.start()
    with RunningDashboard(config(server)) as dashboard:
        answer = dashboard.get("topologies/word_count")
        assert answer.status_code == 503
        assert answer.json()["detail"].endswith("no Nimbus has been heard yet")
    server.stop()


def test_a_sidecar_that_says_nothing_does_not_keep_it_from_answering(
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
