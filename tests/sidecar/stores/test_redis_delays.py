"""Delays out of a real Redis, as the agents' contract keeps them there."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from eyewall_contracts.latency import (
    HostCoordinate,
    LatencyKeys,
    RttRecord,
    encode_host,
    encode_rtt,
)
from eyewall_sidecar.stores import RedisDelays
from eyewall_sidecar.storm import DelayTable
from real_stores import Server, redis_server
from redis import Redis

PATIENCE = 120.0
"""Seconds; no test means to wait so long."""
KEYS = LatencyKeys()


class _Agents:
    """Writes what agents would, at Redis's time."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = Redis(port=server.port)

    def now(self) -> float:
        seconds, micros = self.client.time()
        return float(seconds + micros / 1e6)

    def lives(self, *hosts: str, keys: LatencyKeys = KEYS, error: float = 0.0) -> None:
        """All at one point."""
        for host in hosts:
            record = HostCoordinate("10.0.0.1", 7078, (0.0,), self.now(), error=error)
            self.client.set(keys.host(host), encode_host(record))
            self.client.zadd(keys.members, {host: record.at})

    def measures(
        self,
        source: str,
        target: str,
        milliseconds: float,
        *,
        ago: float = 0.0,
        keys: LatencyKeys = KEYS,
    ) -> None:
        record = RttRecord(milliseconds / 1000, 0.0, self.now() - ago)
        self.client.hset(keys.rtts(target), source, encode_rtt(record))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    it = redis_server()
    it.start()
    yield it
    it.stop()


@pytest.fixture
def agents(server: Server) -> Iterator[_Agents]:
    if server.process is None:
        server.start()
    it = _Agents(server)
    it.client.flushall()
    yield it
    it.client.close()


@pytest.fixture
def stores() -> Iterator[Callable[..., RedisDelays]]:
    opened: list[RedisDelays] = []

    def start(
        server: Server,
        prefix: str = "eyewall",
        minimum: float = 0.3,
        clock: Callable[[], float] = time.monotonic,
    ) -> RedisDelays:
        url = f"redis://{server.address}/0"
        opened.append(RedisDelays(url, prefix, minimum, clock))
        opened[-1].start()
        return opened[-1]

    yield start
    for it in opened:
        it.close()


Start = Callable[..., RedisDelays]


def once(store: RedisDelays, condition: Callable[[DelayTable], bool]) -> DelayTable:
    deadline = time.monotonic() + PATIENCE
    while not condition(table := store.read()):
        assert time.monotonic() < deadline, f"it never came to that: {table}"
        time.sleep(0.02)
    return table


def known(table: DelayTable) -> bool:
    return table.seconds_between("a", "b") is not None


def test_what_agents_measured_is_handed_out_with_its_age(agents: _Agents, stores: Start) -> None:
    agents.lives("a", "b")
    agents.measures("a", "b", 40, ago=30)
    table = once(stores(agents.server), known)
    assert table.seconds_between("a", "b") == table.seconds_between("b", "a") == 0.020
    # 30 s of 120: 1 - 0.5 · 0.25 = 0.875; the test may take a minute.
    assert 0.625 <= table.confidence_between("a", "b") <= 0.875
    assert 30 <= table.age < 90
    assert table.remark == ""


def test_reading_waits_for_nothing_and_what_is_not_read_yet_is_unknown(agents: _Agents) -> None:
    agents.lives("a", "b")
    store = RedisDelays(f"redis://{agents.server.address}", "eyewall", 0.3, time.monotonic)
    table = store.read()  # not even started
    assert table.seconds_between("a", "b") is None
    assert table.remark == f"redis://{agents.server.address}: not read yet"
    store.close()


def test_between_readings_a_table_grows_older(agents: _Agents) -> None:
    now = 500.0
    store = RedisDelays(f"redis://{agents.server.address}", "eyewall", 0.3, lambda: now)
    now += 7
    assert store.read().age == 7
    store.close()


def test_a_change_is_seen_without_a_restart(agents: _Agents, stores: Start) -> None:
    agents.lives("a", "b")
    agents.measures("a", "b", 20)
    store = stores(agents.server)
    before = once(store, known)
    agents.measures("a", "b", 21)
    time.sleep(2.5)  # two readings at least
    assert store.read() == before
    agents.measures("a", "b", 160)
    assert once(store, lambda it: it != before).seconds_between("a", "b") == 0.080


def test_clusters_that_share_a_redis_have_their_own_delays(agents: _Agents, stores: Start) -> None:
    theirs = LatencyKeys("storm-2:eyewall")
    agents.lives("a", "b")
    agents.measures("a", "b", 40)
    agents.lives("a", "b", keys=theirs)
    agents.measures("a", "b", 80, keys=theirs)
    assert once(stores(agents.server), known).seconds_between("a", "b") == 0.020
    other = once(stores(agents.server, theirs.prefix), known)
    assert other.seconds_between("a", "b") == 0.040


def test_a_host_that_left_or_was_silent_for_long_is_gone(agents: _Agents, stores: Start) -> None:
    agents.lives("a", "b", "c", "d")
    store = stores(agents.server)
    once(store, lambda it: set(it.hosts) == set("abcd"))
    agents.client.zrem(KEYS.members, "c")
    agents.client.zadd(KEYS.members, {"d": agents.now() - 121})
    once(store, lambda it: set(it.hosts) == {"a", "b"})


def test_an_empty_redis_is_said_to_be_empty(agents: _Agents, stores: Start) -> None:
    table = once(stores(agents.server, "storm-3"), lambda it: "no host has said" in it.remark)
    assert table.remark == (
        f"redis://{agents.server.address}/0: no host has said anything of itself yet "
        "(prefix storm-3)"
    )


def test_values_that_the_contract_does_not_allow_are_counted_and_left_out(
    agents: _Agents, stores: Start
) -> None:
    agents.lives("a", "b", "c")
    agents.measures("a", "b", 40)
    agents.client.hset(KEYS.rtts("a"), "c", b'{"v":1,"at":1,"rtt":NaN,"spread":0}')
    agents.client.hset(KEYS.rtts("a"), "stranger", b"x")  # of no host of the cluster: not looked at
    agents.client.set(KEYS.rtts("c"), "no hash")
    agents.client.set(KEYS.host("b"), b"\x00")
    agents.client.zadd(KEYS.members, {"no name\n": agents.now()})
    store = stores(agents.server)
    table = once(store, known)
    # By name: the record of b, the RTT from c to a, the RTTs to c, and a host that is none.
    assert table.remark.startswith(
        f"redis://{agents.server.address}/0: 4 values left out, of which the first is "
        "host 'no name\\n': "
    )
    assert table.seconds_between("a", "b") == 0.020
    assert table.seconds_between("b", "c") is None  # b's coordinate cannot be read
    assert set(table.hosts) == {"a", "b", "c"}
    time.sleep(2.5)  # what stays wrong is said in the same words
    assert store.read().remark == table.remark


def test_a_newer_version_is_said_and_gone_without(agents: _Agents, stores: Start) -> None:
    agents.lives("a", "b")
    agents.client.set(KEYS.version, 2)
    agents.client.set(KEYS.host("b"), b'{"v":2,"whatever":1}')
    table = once(stores(agents.server), lambda it: bool(it.hosts))
    assert table.seconds_between("a", "b") is None
    assert table.remark.startswith(f"redis://{agents.server.address}/0: version 2 of the latency")
    assert "1 value left out, of which the first is coordinate of b: " in table.remark


def test_while_redis_is_away_the_last_delays_grow_old_and_then_it_is_back(
    agents: _Agents, stores: Start
) -> None:
    agents.lives("a", "b")
    agents.measures("a", "b", 40, ago=30)
    store = stores(agents.server)
    before = once(store, known)
    agents.server.stop()
    away = once(store, lambda it: bool(it.remark))
    assert away.remark.startswith(f"redis://{agents.server.address}/0: ")
    assert away.remark.endswith("; delays are over 30 s old")
    assert away == before
    later = once(store, lambda it: it.age > before.age + 5)
    # 3 s of 240, as confidence is up to a reading older than the age: 0.0125 less.
    assert later.confidence_between("a", "b") <= before.confidence_between("a", "b") - 0.0125
    agents.server.start()  # empty: it has no persistence
    once(store, lambda it: "no host has said anything" in it.remark)
    agents.lives("a", "b")
    agents.measures("a", "b", 40)
    assert once(store, known).remark == ""


def test_delays_that_nobody_can_renew_become_doubted_and_then_unknown(
    agents: _Agents, stores: Start
) -> None:
    # Measured 90 s ago: 1 - 0.5 · 90 / 120 = 0.625; at 120 s nothing is left to go by but the
    # coordinates, of which 0.2 = 1 - 2 · 0.4 is left at first and half of that after 60 s; less
    # than 0.3 is not trusted.
    agents.lives("a", "b", error=0.4)
    agents.measures("a", "b", 40, ago=90)
    later = [0.0]
    store = stores(agents.server, clock=lambda: time.monotonic() + later[0])
    assert once(store, known).trusts("a", "b")
    agents.server.stop()
    later[0] = 31.0
    doubted = once(store, lambda it: known(it) and not it.trusts("a", "b"))
    assert 0.1 <= doubted.confidence_between("a", "b") < 0.15  # 0.2 · (1 - 0.5 · 31 / 60) = 0.148


def test_a_redis_that_hangs_blocks_neither_reading_nor_the_end(
    agents: _Agents, stores: Start
) -> None:
    agents.lives("a", "b")
    agents.measures("a", "b", 40)
    store = stores(agents.server)
    once(store, known)
    agents.server.freeze()
    try:
        hung = once(store, lambda it: bool(it.remark))
        assert hung.seconds_between("a", "b") == 0.020
        store.close()
    finally:
        agents.server.thaw()
    end = time.monotonic() + PATIENCE
    while "redis-delays" in {it.name for it in threading.enumerate()}:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_redis_that_was_never_there_is_a_remark_and_every_delay_unknown(
    agents: _Agents, stores: Start
) -> None:
    agents.server.stop()
    table = once(stores(agents.server), lambda it: "not read yet" not in it.remark)
    assert "refused" in table.remark
    assert table.seconds_between("a", "b") is None


def test_a_surprise_ends_nothing_and_is_said(
    agents: _Agents,
    stores: Start,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    agents.lives("a", "b")
    store = stores(agents.server)
    once(store, known)
    with monkeypatch.context() as surprising:
        surprising.setattr(store, "_refresh", lambda: 1 / 0)
        table = once(store, lambda it: "ZeroDivisionError" in it.remark)
    assert table.seconds_between("a", "b") is None
    once(store, known)
    assert [it.exc_info is not None for it in caplog.records if it.levelname == "ERROR"]
