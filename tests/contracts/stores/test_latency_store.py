"""Coordinates and RTTs read from a real Redis, whatever is in it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from eyewall_contracts.latency import HostCoordinate, RttRecord, encode_host, encode_rtt
from eyewall_contracts.stores.delay_reader import DelayReader, StoppedError
from eyewall_contracts.stores.latency_store import LatencyStore
from eyewall_contracts.stores.redis_client import RedisAwayError
from free_ports import free_port
from real_stores import HERE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from real_stores import Server


@pytest.fixture
def store(redis: Server, tmp_path: Path) -> Iterator[LatencyStore]:
    it = LatencyStore(redis.patient_url, tmp_path.name)
    yield it
    it.close()


def now(store: LatencyStore) -> float:
    seconds, micros = store.redis.time()
    return float(seconds + micros / 1e6)


def live(store: LatencyStore, *hosts: str, ago: float = 0.0) -> None:
    at = now(store) - ago
    for host in hosts:
        store.redis.set(store.keys.host(host), encode_host(coordinate(at)))
        store.redis.zadd(store.keys.members, {host: at})


def coordinate(at: float) -> HostCoordinate:
    return HostCoordinate("10.0.0.1", 7078, (0.0,), round(at, 3))


def rtt(milliseconds: float) -> RttRecord:
    return RttRecord(milliseconds / 1000, 0.0, 1_000.0)


def measure(store: LatencyStore, source: str, target: str, milliseconds: float) -> None:
    store.redis.hset(store.keys.rtts(target), source, encode_rtt(rtt(milliseconds)))


def test_hosts_are_those_that_reported_lately_the_last_one_first(store: LatencyStore) -> None:
    live(store, "old", ago=100)
    live(store, "new")
    assert store.read_hosts().members == ("new", "old")
    assert store.read_hosts(within=50).members == ("new",)
    assert set(store.read_hosts(within=50).coordinates) == {"new"}


def test_what_the_contract_does_not_allow_is_left_out_and_named(store: LatencyStore) -> None:
    live(store, "a", "b", "c")
    store.redis.set(store.keys.host("b"), b"\x00")
    store.redis.delete(store.keys.host("c"))
    store.redis.zadd(store.keys.members, {"no name\n": now(store)})
    store.redis.rpush(store.keys.version, "1")  # no string
    found = store.read_hosts()
    assert set(found.members) == {"a", "b", "c"}
    assert set(found.coordinates) == {"a"}
    assert found.newer_version is None
    named = " ".join(found.left_out)
    assert len(found.left_out) == 3
    assert all(it in named for it in ("host 'no name\\n'", "version: ", "coordinate of b: "))


def test_a_newer_version_is_reported(store: LatencyStore) -> None:
    store.redis.set(store.keys.version, 2)
    assert store.read_hosts().newer_version == 2


def test_rtts_are_read_for_the_pairs_that_are_asked_for(store: LatencyStore) -> None:
    measure(store, "a", "b", 40)
    measure(store, "c", "b", 50)
    store.redis.hset(store.keys.rtts("b"), "bad", b"{}")
    store.redis.set(store.keys.rtts("d"), "no hash")
    rtts, left_out = store.read_rtts({"b": ["a", "bad", "silent"], "d": ["a"], "no name\n": ["a"]})
    assert rtts == {"b": {"a": rtt(40)}}
    assert len(left_out) == 2


def test_a_redis_that_is_away_is_one_error() -> None:
    store = LatencyStore(f"redis://{HERE}:{free_port()}/0", "eyewall")
    for ask in (store.read_hosts, DelayReader(store).read, lambda: store.read_rtts({"a": ["b"]})):
        with pytest.raises(RedisAwayError):
            ask()


def same(one: Any, other: Any) -> bool:
    return all(
        np.array_equal(getattr(one, it), getattr(other, it), equal_nan=True)
        for it in ("seconds", "spread", "at")
    )


def test_a_reader_that_remembers_reads_the_same_as_one_that_begins(store: LatencyStore) -> None:
    # 60 rounds of hosts that come and go, and of RTTs that change, vanish or are damaged.
    rng, reader = Random(1), DelayReader(store)
    hosts = [f"h{it}" for it in range(6)]
    for _ in range(60):
        for host in rng.sample(hosts, 2):
            (live if rng.random() < 0.5 else leave)(store, host)
        for _ in range(4):
            source, target = rng.sample(hosts, 2)
            change = rng.random()
            if change < 0.6:
                measure(store, source, target, rng.randrange(1, 1000))
            elif change < 0.8:
                store.redis.hdel(store.keys.rtts(target), source)
            else:
                store.redis.hset(store.keys.rtts(target), source, b"damaged")
        remembered, fresh = reader.read(), DelayReader(store).read()
        assert remembered.hosts == fresh.hosts
        assert same(remembered.rtts, fresh.rtts)
        assert remembered.coordinates == fresh.coordinates
        assert sorted(remembered.left_out) == sorted(fresh.left_out)


def leave(store: LatencyStore, host: str) -> None:
    store.redis.zrem(store.keys.members, host)


def test_rows_are_the_hosts_that_measured(store: LatencyStore) -> None:
    live(store, "a", "b")
    measure(store, "a", "b", 40)
    reading = DelayReader(store).read()
    assert reading.hosts == ("a", "b")
    assert reading.rtts.seconds[0, 1] == 0.040
    assert np.isnan(reading.rtts.seconds[1, 0])


def test_a_reading_does_not_change_when_more_is_read(store: LatencyStore) -> None:
    live(store, "a", "b")
    measure(store, "a", "b", 40)
    reader = DelayReader(store)
    before = reader.read()
    measure(store, "a", "b", 80)
    assert reader.read().rtts.seconds[0, 1] == 0.080
    assert before.rtts.seconds[0, 1] == 0.040


def test_reading_can_be_given_up(store: LatencyStore) -> None:
    live(store, "a", "b")
    with pytest.raises(StoppedError):
        DelayReader(store).read(lambda: True)
