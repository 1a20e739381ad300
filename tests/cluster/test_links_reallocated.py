"""A connection of a running topology is moved to the leased line and back; nothing else happens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_deploy.measure.tuple_events import read_events
from running_cluster import PATIENCE, Cluster, assignment, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "hauled"
EXECUTORS = 3
TUPLES = 20


@pytest.fixture
def events_dir(cluster: Cluster, tmp_path: Path) -> Iterator[Path]:
    """Where a topology that was promised 2 Mbit/s from edge-1 to cloud-1 writes its events."""
    cluster.run("reallocation", "off")
    options: dict[str, object] = {
        "eyewall.pin": {"source": ["edge-1"], "consumer": ["cloud-1"]},
        "eyewall.rate.promised.mbit": {"source": 2.0},
        "measure.dir": str(tmp_path),
        "topology.workers": 2,
    }
    cluster.submit("haul", options, under=NAME)
    yield tmp_path
    cluster.run("kill", NAME)
    cluster.run("reallocation", "on")


def arrived(cluster: Cluster, port: int) -> dict[str, int]:
    """Bytes from edge-1 to cloud-1's worker by the kind of link, as the router has counted them."""
    traffic: dict[str, Any] = json.loads((cluster.run_dir / "traffic.json").read_text())
    ends = ("edge-1", "cloud-1", port)
    return {
        row["kind"]: row["bytes"]
        for row in traffic["connections"]
        if (row["source"], row["target"], row["port"]) == ends
    }


def test_a_connection_is_moved_while_its_topology_runs_on(
    cluster: Cluster, events_dir: Path
) -> None:
    def seen() -> int:
        return len(read_events(events_dir).arrivals)

    placed = cluster.placed(NAME, EXECUTORS)
    (port,) = (it["port"] for it in placed["executors"] if it["component"] == "consumer")
    wait_for(lambda: seen() >= TUPLES, PATIENCE, f"{TUPLES} tuples at the consumer")
    assert set(arrived(cluster, port)) == {"public"}

    cluster.run("reallocation", "on")
    wait_for(
        lambda: arrived(cluster, port).get("dedicated", 0) >= 500_000,
        PATIENCE,
        "500 KB over the leased line",
    )
    cluster.run("reallocation", "off")
    back = arrived(cluster, port)["public"]
    wait_for(
        lambda: arrived(cluster, port)["public"] >= back + 500_000,
        PATIENCE,
        "500 KB over the public network again",
    )
    # Two processes, one of the source and one of the consumer, from the first tuple to the last.
    assert len(list(events_dir.glob("*.jsonl"))) == 2
    assert read_events(events_dir).failed == ()
    after = cluster.topology(NAME)
    assert after is not None
    assert assignment(after) == assignment(placed)
