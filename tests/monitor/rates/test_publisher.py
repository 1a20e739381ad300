"""Against a real ZooKeeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eyewall_contracts.rates import StreamRate, decode_rates
from eyewall_contracts.znodes import Znodes
from eyewall_monitor.rates.figures import Figures
from eyewall_monitor.rates.publisher import Publisher, ZookeeperAwayError
from eyewall_monitor.rates.rates_document import Batch
from kazoo.client import KazooClient
from rate_documents import UNTIL, an_estimate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from real_stores import Server

FORGET = 600.0
PATIENCE = 40.0


@pytest.fixture
def paths(request: pytest.FixtureRequest) -> Znodes:
    return Znodes(f"/{request.node.name[:80]}")


@pytest.fixture
def client(zookeeper: Server) -> Iterator[KazooClient]:
    it = KazooClient(zookeeper.address, timeout=PATIENCE)
    it.start(timeout=120)
    yield it
    it.stop()
    it.close()


@pytest.fixture
def publisher(zookeeper: Server, paths: Znodes) -> Iterator[Publisher]:
    it = Publisher(zookeeper.address, paths, PATIENCE, 60.0, FORGET)
    yield it
    it.close()


def batch(number: int, value: float, *topologies: str, time: float = UNTIL + 1) -> Batch:
    row = StreamRate("spout", "s", "bolt", 1, 1.0, an_estimate(value, time - 1), None)
    names = topologies or ("line-1-2",)
    return Batch("run", number, time, {it: Figures(streams=(row,)) for it in names}, {}, 0)


def value(client: KazooClient, path: str) -> float:
    return decode_rates(client.get(path)[0]).streams[0].rate.value


def test_rates_stand_at_their_topologys_path(
    publisher: Publisher, client: KazooClient, paths: Znodes
) -> None:
    publisher.publish(batch(0, 10))
    publisher.publish(batch(1, 20))
    assert value(client, paths.rates("line-1-2")) == 20


def test_a_batch_done_again_is_not_written_again(
    publisher: Publisher, client: KazooClient, paths: Znodes
) -> None:
    publisher.publish(batch(1, 10))
    written = client.get(paths.rates("line-1-2"))[1].version
    publisher.publish(batch(1, 99))
    publisher.publish(batch(0, 99))
    assert client.get(paths.rates("line-1-2"))[1].version == written
    assert value(client, paths.rates("line-1-2")) == 10


def test_a_batch_that_broke_off_between_two_topologies_is_completed(
    publisher: Publisher, client: KazooClient, paths: Znodes
) -> None:
    publisher.publish(batch(5, 10, "a-1-1"))
    publisher.publish(batch(5, 10, "a-1-1", "b-2-2"))
    assert value(client, paths.rates("b-2-2")) == 10


def test_what_is_no_document_is_replaced_but_a_later_versions_is_left(
    publisher: Publisher, client: KazooClient, paths: Znodes
) -> None:
    client.create(paths.rates("broken-1-1"), b"\xff", makepath=True)
    client.create(paths.rates("later-1-1"), b'{"version": 2}')
    publisher.publish(batch(0, 10, "broken-1-1", "later-1-1"))
    assert value(client, paths.rates("broken-1-1")) == 10
    assert client.get(paths.rates("later-1-1"))[0] == b'{"version": 2}'


def test_a_topology_that_cannot_have_a_znode_does_not_keep_others_from_theirs(
    publisher: Publisher, client: KazooClient, paths: Znodes
) -> None:
    publisher.publish(batch(0, 10, "../../x", "line-1-2"))
    assert client.get_children(paths.all_rates) == ["line-1-2"]


def test_rates_of_topologies_long_gone_are_taken_away(
    publisher: Publisher, client: KazooClient, paths: Znodes
) -> None:
    publisher.publish(batch(0, 10, "old-1-1"))
    now = client.get(paths.rates("old-1-1"))[1].mtime / 1000
    publisher.publish(batch(1, 10, "new-2-2", time=now + FORGET - 1))
    assert sorted(client.get_children(paths.all_rates)) == ["new-2-2", "old-1-1"]
    publisher.publish(batch(2, 10, "new-2-2", time=now + FORGET + 1))
    assert client.get_children(paths.all_rates) == ["new-2-2"]


def test_a_zookeeper_that_is_away_is_said_and_then_written_to(
    publisher: Publisher, zookeeper: Server, paths: Znodes
) -> None:
    publisher.publish(batch(0, 10))
    zookeeper.stop()
    publisher._timeout = 2.0
    with pytest.raises(ZookeeperAwayError, match=f"ZooKeeper at {zookeeper.address}"):
        publisher.publish(batch(1, 20))
    publisher._timeout = PATIENCE
    zookeeper.start()
    publisher.publish(batch(1, 20))
    client = KazooClient(zookeeper.address, timeout=PATIENCE)
    client.start(timeout=120)
    assert value(client, paths.rates("line-1-2")) == 20
    client.stop()
    client.close()
