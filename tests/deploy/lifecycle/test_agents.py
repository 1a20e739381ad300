"""Both agents on every host: the real ones, next to light fakes of Storm's daemons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import redis as redis_client
from eyewall_contracts.latency import LatencyKeys

if TYPE_CHECKING:
    from fake_cluster import FakeCluster


def hosts_with_history(cluster: FakeCluster) -> set[str]:
    client = redis_client.Redis.from_url(f"redis://{cluster.status()['addresses']['redis']}/0")
    found: Any = client.zrange("eyewall:v1:history", 0, -1)
    client.close()
    return {name.decode() for name in found}


def hosts_with_a_coordinate(cluster: FakeCluster) -> set[str]:
    client = redis_client.Redis.from_url(f"redis://{cluster.status()['addresses']['redis']}/0")
    found: Any = client.zrange(LatencyKeys().members, 0, -1)
    client.close()
    return {name.decode() for name in found}


def test_every_host_has_agents_that_write_its_history_and_its_place(cluster: FakeCluster) -> None:
    cluster.agents = True
    cluster.up()
    running = {p["name"] for p in cluster.status()["programs"] if p["state"] == "RUNNING"}
    assert {"monitor-h1", "monitor-h2", "latency-h1", "latency-h2"} <= running
    cluster.until(lambda: hosts_with_history(cluster) == {"h1", "h2"})
    cluster.until(lambda: hosts_with_a_coordinate(cluster) == {"h1", "h2"})


def test_the_agents_end_with_their_cluster(cluster: FakeCluster) -> None:
    cluster.agents = True
    cluster.up()
    assert cluster.run_command("down").returncode == 0
    assert cluster.processes() == []
