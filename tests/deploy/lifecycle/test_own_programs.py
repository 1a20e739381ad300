"""Both agents on every host, and the dashboard: the real ones. Storm's daemons are light fakes.

All in one cluster, since a start of each takes many seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import redis as redis_client
from eyewall_contracts.latency import LatencyKeys

if TYPE_CHECKING:
    from fake_cluster import FakeCluster


def test_agents_write_for_each_host_the_dashboard_reads_it_and_they_end_with_the_cluster(
    cluster: FakeCluster,
) -> None:
    cluster.agents = cluster.dashboard = True
    cluster.up()
    seen = cluster.status()
    running = {p["name"] for p in seen["programs"] if p["state"] == "RUNNING"}
    assert {"monitor-h1", "monitor-h2", "latency-h1", "latency-h2"} <= running
    redis, dashboard = (seen["addresses"][it] for it in ("redis", "dashboard"))
    cluster.until(lambda: members(redis, "eyewall:v1:history") == {"h1", "h2"})
    cluster.until(lambda: members(redis, LatencyKeys().members) == {"h1", "h2"})
    cluster.until(lambda: parts(dashboard)["redis"] == "fresh")
    # The fakes of ZooKeeper and Nimbus do not speak to it, which it survives.
    assert parts(dashboard)["zookeeper"] == parts(dashboard)["nimbus"] == "missing"
    assert cluster.run_command("down").returncode == 0
    assert cluster.processes() == []


def members(redis: str, key: str) -> set[str]:
    with redis_client.Redis.from_url(f"redis://{redis}/0") as client:
        found: Any = client.zrange(key, 0, -1)
    return {name.decode() for name in found}


def parts(address: str) -> dict[str, str]:
    """The state of each part, from the dashboard at that address."""
    health = httpx.get(f"{address}/api/v1/health", timeout=120).json()
    return {it["name"]: it["signal"]["state"] for it in health["parts"]}
