"""Against a real Redis and a real ZooKeeper."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import redis as redis_client
from eyewall_contracts.metric_history import HistoryKeys, decode_entry
from eyewall_contracts.sample import decode_sample
from eyewall_contracts.stores.redis_client import connect
from eyewall_contracts.znodes import Znodes
from eyewall_monitor.agent.delivery import StoreAwayError
from eyewall_monitor.agent.history_writer import HistoryWriter
from eyewall_monitor.agent.sample_writer import SampleWriter
from kazoo.client import KazooClient
from msgspec.structs import replace
from reports import FULL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_contracts.sample import Sample
    from real_stores import Server

NOW = 1_700_000_000.0
STREAM = HistoryKeys().stream("edge-1")
PATH = Znodes().sample("edge-1")


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def report(number: int) -> Sample:
    return replace(FULL, sequence=number)


def writer(server: Server, clock: Clock, **changes: Any) -> HistoryWriter:
    settings = {"keep_seconds": 60.0, "most_entries": 1000} | changes
    return HistoryWriter(
        connect(f"redis://{server.address}/0", 60.0),
        HistoryKeys(),
        "edge-1",
        clock=clock,
        **settings,
    )


@pytest.fixture
def entries(redis: Server) -> Iterator[Any]:
    client = redis_client.Redis.from_url(redis.patient_url)
    client.flushall()

    def read() -> list[tuple[str, int]]:
        found: Any = client.xrange(STREAM)
        return [(i.decode(), decode_entry(fields).sequence) for i, fields in found]

    yield read
    client.close()


def test_each_report_is_one_entry_of_the_hosts_stream(redis: Server, entries: Any) -> None:
    clock = Clock()
    history_writer = writer(redis, clock)
    history_writer.send(report(0))
    clock.now += 5
    history_writer.send(report(1))
    assert entries() == [("1700000000000-0", 0), ("1700000005000-0", 1)]


def test_hosts_are_listed_by_their_last_report(redis: Server, entries: Any) -> None:
    began = time.monotonic()
    writer(redis, Clock()).send(report(0))
    client = redis_client.Redis.from_url(redis.patient_url)
    assert client.zrange(HistoryKeys().hosts, 0, -1, withscores=True) == [(b"edge-1", NOW)]
    passed = time.monotonic() - began
    assert 119 - passed <= int(str(client.ttl(STREAM))) <= 121  # twice what is kept
    client.close()


def test_a_report_that_is_sent_again_is_there_once(redis: Server, entries: Any) -> None:
    # The first attempt arrived, its answer got lost.
    history_writer = writer(redis, Clock())
    it = report(0)
    history_writer.send(it)
    history_writer.send(it)
    assert entries() == [("1700000000000-0", 0)]


def test_an_agent_that_starts_again_with_its_clock_behind_goes_on_after_the_last_entry(
    redis: Server, entries: Any
) -> None:
    clock = Clock()
    writer(redis, clock).send(report(7))
    clock.now -= 3600
    writer(redis, clock).send(report(0))
    assert entries() == [("1700000000000-0", 7), ("1700000000000-1", 0)]


def test_two_agents_of_one_name_lose_no_report(redis: Server, entries: Any) -> None:
    clock = Clock()
    one, other = writer(redis, clock), writer(redis, clock)
    one.send(report(0))
    other.send(report(10))
    one.send(report(1))
    other.send(report(11))
    assert [number for _, number in entries()] == [0, 10, 1, 11]


def test_old_entries_go_and_many_entries_go(redis: Server, entries: Any) -> None:
    # Redis drops whole blocks of 100 entries: 1,000 at one a second, 60 s kept, leave 60 to 160.
    clock = Clock()
    history_writer = writer(redis, clock)
    for number in range(1000):
        history_writer.send(report(number))
        clock.now += 1
    assert 60 <= len(entries()) <= 162
    assert entries()[-1][1] == 999
    # Without any age, 500 wanted: up to a block more.
    by_number = writer(redis, clock, keep_seconds=1e9, most_entries=500)
    for number in range(1000):
        by_number.send(report(number))
    assert 500 <= len(entries()) <= 601


def test_a_redis_that_is_away_is_said_to_be_and_taken_up_again(redis: Server, entries: Any) -> None:
    history_writer = writer(redis, Clock())
    history_writer.send(report(0))
    redis.stop()
    with pytest.raises(StoreAwayError, match="refused"):
        history_writer.send(report(1))
    redis.start()
    history_writer.send(report(1))
    assert entries() == [("1700000000000-1", 1)]  # without persistence it forgot the first


def test_a_redis_that_takes_nothing_is_said_to(redis: Server, entries: Any) -> None:
    client = redis_client.Redis.from_url(redis.patient_url)
    client.set(STREAM, "no stream")
    with pytest.raises(StoreAwayError, match="WRONGTYPE"):
        writer(redis, Clock()).send(report(0))
    client.delete(STREAM)
    client.close()


# ------------------------------------------------------------------------------- ZooKeeper


@pytest.fixture
def zoo(zookeeper: Server) -> Iterator[KazooClient]:
    client = KazooClient(zookeeper.address, timeout=40.0)
    client.start(timeout=120)
    client.delete("/eyewall", recursive=True)
    yield client
    client.stop()
    client.close()


def is_refused(sample_writer: SampleWriter, it: Sample) -> bool:
    """Whether it says so, as soon as it has noticed."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            sample_writer.send(it)
        except StoreAwayError:
            return True
    return False


def send(sample_writer: SampleWriter, it: Sample, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            sample_writer.send(it)
        except StoreAwayError:
            assert time.monotonic() < end
            time.sleep(0.05)
        else:
            return


def test_the_latest_report_is_there_while_the_agent_lives(
    zookeeper: Server, zoo: KazooClient
) -> None:
    sample_writer = SampleWriter(zookeeper.address, PATH, time.monotonic)
    send(sample_writer, report(0))
    send(sample_writer, report(1))
    data, stat = zoo.get(PATH)
    assert decode_sample(data) == report(1)
    assert stat.ephemeralOwner != 0
    sample_writer.close()
    assert zoo.exists(PATH) is None


def test_what_a_killed_agent_left_is_replaced_and_does_not_vanish_with_its_session(
    zookeeper: Server, zoo: KazooClient
) -> None:
    killed = SampleWriter(zookeeper.address, PATH, time.monotonic)
    send(killed, report(0))
    successor = SampleWriter(zookeeper.address, PATH, time.monotonic)
    send(successor, report(1))
    killed.close()
    data, _ = zoo.get(PATH)
    assert decode_sample(data) == report(1)
    successor.close()


def test_a_zookeeper_that_is_away_is_said_to_be_and_taken_up_again(zookeeper: Server) -> None:
    # On a clock ten times as fast, or it would take 20 s until the session is lost for certain.
    sample_writer = SampleWriter(zookeeper.address, PATH, lambda: 10 * time.monotonic())
    send(sample_writer, report(0))
    zookeeper.stop()
    assert is_refused(sample_writer, report(1))
    zookeeper.start()  # and it is empty
    send(sample_writer, report(2))
    client = KazooClient(zookeeper.address, timeout=40.0)
    client.start(timeout=120)
    data, _ = client.get(PATH)
    assert decode_sample(data) == report(2)
    client.stop()
    client.close()
    sample_writer.close()
