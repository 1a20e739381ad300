"""Both agents on every host: the real ones, next to light fakes of Storm's daemons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import redis as redis_client
from eyewall_contracts.latency import LatencyKeys

if TYPE_CHECKING:
    from fake_cluster import FakeCluster


def test_every_host_has_agents_that_write_its_history_and_its_place_and_end_with_the_cluster(
    cluster: FakeCluster,
) -> None:
    cluster.agents = True
    cluster.up()
    seen = cluster.status()
    running = {p["name"] for p in seen["programs"] if p["state"] == "RUNNING"}
    assert {"monitor-h1", "monitor-h2", "latency-h1", "latency-h2"} <= running
    redis = seen["addresses"]["redis"]
    cluster.until(lambda: members(redis, "eyewall:v1:history") == {"h1", "h2"})
    cluster.until(lambda: members(redis, LatencyKeys().members) == {"h1", "h2"})
    assert cluster.run_command("down").returncode == 0
    assert cluster.processes() == []


def members(redis: str, key: str) -> set[str]:
    with redis_client.Redis.from_url(f"redis://{redis}/0") as client:
        found: Any = client.zrange(key, 0, -1)
    return {name.decode() for name in found}
