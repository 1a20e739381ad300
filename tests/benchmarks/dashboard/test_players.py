"""The players write what the readers of the stores read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eyewall_contracts.latency import LatencyKeys, decode_host, decode_rtt
from eyewall_contracts.sample import decode_sample
from eyewall_contracts.znodes import Znodes
from redis import Redis

from benchmarks.dashboard.players import AgentPlayer
from benchmarks.dashboard.recording import MOMENT, ClusterSize, record

if TYPE_CHECKING:
    from real_stores import Server


def test_agents_write_present_coordinates_rtts_and_reports(
    redis: Server, zookeeper: Server
) -> None:
    recording = record(ClusterSize(hosts=3, executors=12, topologies=1))
    agents = AgentPlayer(recording, f"redis://{redis.address}/0", zookeeper.address)
    agents.write_all()
    store: Any = Redis.from_url(f"redis://{redis.address}/0")
    for host, place in recording.places.items():
        written = decode_host(store.get(LatencyKeys().host(host)))
        assert written.position == place.position
        assert written.at > MOMENT
        report = decode_sample(agents.zookeeper.get(Znodes().sample(host))[0])
        assert report.host == host
        assert report.time > MOMENT
    source, target = next(iter(recording.probes))
    rtt = decode_rtt(store.hget(LatencyKeys().rtts(target), source))
    assert rtt.seconds == pytest.approx(recording.probes[source, target])
    store.flushdb()
    agents.zookeeper.delete(agents.paths.root, recursive=True)
    agents.zookeeper.stop()
    agents.zookeeper.close()
    store.close()
