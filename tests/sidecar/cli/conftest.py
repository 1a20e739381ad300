"""Commands of a busy machine: nothing is asserted of how soon others answer them."""

from __future__ import annotations

import pytest
from eyewall_sidecar.cli import switch_desk


@pytest.fixture(autouse=True)
def _waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a cluster that starts, ZooKeeper and a sidecar may have no CPU for seconds."""
    monkeypatch.setattr("eyewall_sidecar.zookeeper.PATIENCE", 60.0)
    monkeypatch.setattr(switch_desk, "HELD_SECONDS", 60.0)
    monkeypatch.setattr(switch_desk, "ANSWER_SECONDS", 60.0)
    monkeypatch.setattr("eyewall_contracts.stores.switch_store.ANSWER_SECONDS", 60.0)
    monkeypatch.setattr("eyewall_sidecar.cli.completion.ANSWER_SECONDS", 60.0)
