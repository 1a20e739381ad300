"""The dashboard of a cluster: the real one, next to light fakes of Storm's daemons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from fake_cluster import FakeCluster


def parts(cluster: FakeCluster) -> dict[str, str]:
    """The state of each part, from the dashboard at the address in `status`."""
    address = cluster.status()["addresses"]["dashboard"]
    health = httpx.get(f"{address}/api/v1/health", timeout=30).json()
    return {it["name"]: it["signal"]["state"] for it in health["parts"]}


def test_it_is_where_status_says_and_sees_the_clusters_stores(cluster: FakeCluster) -> None:
    cluster.dashboard = True
    cluster.up()
    cluster.until(lambda: parts(cluster)["redis"] == "fresh")
    # The fakes of ZooKeeper and Nimbus do not speak to it, which it survives.
    assert parts(cluster)["zookeeper"] == parts(cluster)["nimbus"] == "missing"


def test_it_ends_with_its_cluster(loopback: FakeCluster) -> None:
    loopback.dashboard = True
    loopback.up()
    assert loopback.program("dashboard")["state"] == "RUNNING"
    assert loopback.run_command("down").returncode == 0
    assert loopback.processes() == []
