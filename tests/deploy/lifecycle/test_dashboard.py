"""The dashboard of a cluster: the real one, next to light fakes of Storm's daemons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from fake_cluster import FakeCluster


def test_it_is_where_status_says_sees_the_clusters_stores_and_ends_with_the_cluster(
    cluster: FakeCluster,
) -> None:
    cluster.dashboard = True
    cluster.up()
    address = cluster.status()["addresses"]["dashboard"]
    cluster.until(lambda: parts(address)["redis"] == "fresh")
    # The fakes of ZooKeeper and Nimbus do not speak to it, which it survives.
    assert parts(address)["zookeeper"] == parts(address)["nimbus"] == "missing"
    assert cluster.run_command("down").returncode == 0
    assert cluster.processes() == []


def parts(address: str) -> dict[str, str]:
    """The state of each part, from the dashboard at that address."""
    health = httpx.get(f"{address}/api/v1/health", timeout=30).json()
    return {it["name"]: it["signal"]["state"] for it in health["parts"]}
