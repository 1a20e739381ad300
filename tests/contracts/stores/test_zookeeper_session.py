"""A session with a real ZooKeeper that goes, and comes back without what it knew."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_contracts.stores.zookeeper_session import LOST_SECONDS, ZookeeperSession

if TYPE_CHECKING:
    from kazoo.client import KazooClient
    from real_stores import Server

PATIENCE = 60.0


def client_of(session: ZookeeperSession, seconds: float = PATIENCE) -> KazooClient | None:
    """The client once it is connected, or None if it is not by then."""
    end = time.monotonic() + seconds
    while (client := session.client()) is None and time.monotonic() < end:
        time.sleep(0.1)
    return client


def test_a_zookeeper_that_lost_its_data_is_taken_up_once_the_session_is_lost_for_certain(
    zookeeper: Server,
) -> None:
    now = 0.0
    session = ZookeeperSession(zookeeper.address, lambda: now)
    client = client_of(session)
    assert client is not None
    for _ in range(50):  # more than a ZooKeeper knows that has just begun
        client.create("/seen-", sequence=True)
    zookeeper.stop()
    while session.client() is not None:
        time.sleep(0.1)
    zookeeper.start()  # and it is empty
    # It refuses a client that has seen more than it knows, however often that comes.
    assert client_of(session, 5.0) is None
    now = LOST_SECONDS + 0.1
    assert client_of(session) is not None
    session.close()
