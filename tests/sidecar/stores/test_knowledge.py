"""What was learned of a cluster, kept in a real ZooKeeper: here what was learned of waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from contract_records import FULL_WAITS
from eyewall_contracts.wait_fit import CODEC, WaitRecord, decode_waits, encode_waits
from eyewall_sidecar.stores import NoKnowledge, ZookeeperKnowledge
from eyewall_sidecar.stores.knowledge import WRITE_SECONDS
from eyewall_sidecar.stores.zookeeper_thread import PAUSE_SECONDS
from free_ports import free_port
from msgspec.structs import replace
from obedient_nimbus import Clock
from real_stores import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eyewall_contracts.znodes import Znodes
    from kazoo.client import KazooClient
    from real_stores import Server

PATIENCE = 120.0
LATER = replace(FULL_WAITS, written=FULL_WAITS.written + 60.0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def opened(
    servers: str, paths: Znodes, steady: Callable[[], float]
) -> ZookeeperKnowledge[WaitRecord]:
    return ZookeeperKnowledge(servers, paths.waits, CODEC, WaitRecord(), steady)


@pytest.fixture
def store(
    zookeeper: Server, paths: Znodes, clock: Clock
) -> Iterator[ZookeeperKnowledge[WaitRecord]]:
    it = opened(zookeeper.address, paths, clock)
    yield it
    it.close()


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def there(client: KazooClient, paths: Znodes) -> WaitRecord | None:
    if client.exists(paths.waits) is None:
        return None
    return decode_waits(client.get(paths.waits)[0])


def test_what_is_put_is_read_by_the_next_sidecar(
    zookeeper: Server, store: ZookeeperKnowledge[WaitRecord], client: KazooClient, paths: Znodes
) -> None:
    store.start()
    store.put(FULL_WAITS)
    until(lambda: there(client, paths))
    store.close()
    following = opened(zookeeper.address, paths, time.monotonic)
    assert following.read() is None
    following.start()
    until(lambda: following.read() == FULL_WAITS)
    following.close()


def test_it_is_written_once_a_minute_and_at_the_end(
    store: ZookeeperKnowledge[WaitRecord], client: KazooClient, paths: Znodes, clock: Clock
) -> None:
    store.start()
    store.put(FULL_WAITS)
    until(lambda: there(client, paths) == FULL_WAITS)
    store.put(LATER)
    time.sleep(2.5 * PAUSE_SECONDS)  # time to write it twice
    assert there(client, paths) == FULL_WAITS
    clock.now += WRITE_SECONDS
    until(lambda: there(client, paths) == LATER)
    store.put(FULL_WAITS)
    store.close()
    until(lambda: there(client, paths) == FULL_WAITS)


def test_a_record_of_a_later_version_is_neither_used_nor_replaced(
    store: ZookeeperKnowledge[WaitRecord],
    client: KazooClient,
    paths: Znodes,
    caplog: pytest.LogCaptureFixture,
) -> None:
    later = encode_waits(FULL_WAITS).replace(b'"version":1', b'"version":2')
    client.create(paths.waits, later, makepath=True)
    store.start()
    store.put(FULL_WAITS)
    until(lambda: "version" in caplog.text)
    store.close()
    assert store.read() is None
    assert client.get(paths.waits)[0] == later


def test_without_a_zookeeper_nothing_is_kept_and_nothing_fails(paths: Znodes) -> None:
    store = opened(f"{HERE}:{free_port()}", paths, time.monotonic)
    store.start()
    store.put(FULL_WAITS)
    assert store.read() is None
    store.close()
    assert NoKnowledge(WaitRecord()).read() == WaitRecord()
