"""The latency agents' records, read from a real Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import redis as redis_client
from eyewall_contracts.latency import (
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    encode_host,
    encode_rtt,
)
from eyewall_deploy.delays.registry import LatencyRecords, read
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.failure import Failure
from free_ports import free_port
from real_stores import HERE, redis_server

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "eyewall-deploy:pair"
HOST = HostCoordinate("10.83.1.1", 7078, (0.001,), 1_760_000_000.0, error=0.1)
RTT = RttRecord(0.022, 0.001, 1_760_000_000.0)


@pytest.fixture(scope="module")
def redis() -> Iterator[Endpoint]:
    server = redis_server()
    server.start()
    yield Endpoint(HERE, server.port)
    server.stop()


def found(redis: Endpoint, prefix: str = PREFIX) -> LatencyRecords:
    registry = read(redis, prefix, ["h1", "h2"])
    assert not isinstance(registry, Failure), registry.reason
    return registry


def test_records_are_those_of_the_clusters_own_prefix(redis: Endpoint) -> None:
    keys = LatencyKeys(PREFIX)
    client: Any = redis_client.Redis(redis.host, redis.port)
    client.flushall()
    client.zadd(keys.members, {"h1": 1.0, "h2": 1.0, "another": 1.0})
    client.set(keys.host("another"), encode_host(HOST))
    client.set(keys.host("h1"), encode_host(HOST))
    client.set(keys.host("h2"), b"no record")
    client.hset(keys.rtts("h2"), "h1", encode_rtt(RTT))
    client.hset(keys.rtts("h1"), "h2", b"\xff")
    seconds, _ = client.time()
    client.close()
    registry = found(redis)
    assert registry.hosts == {"h1": HOST}
    assert registry.probed("h1", "h2") == registry.probed("h2", "h1") == {"h1": RTT}
    assert registry.unreadable == 2
    assert seconds <= registry.now < seconds + 60  # Redis's time, not that of the records
    others = found(redis, "eyewall")
    assert (others.hosts, others.probed("h1", "h2")) == ({}, {})


def test_a_redis_that_does_not_answer_is_named() -> None:
    nowhere = Endpoint(HERE, free_port())
    failure = read(nowhere, PREFIX, ["h1"])
    assert isinstance(failure, Failure)
    assert failure.reason.startswith(f"no answer from Redis at {nowhere}: ")
