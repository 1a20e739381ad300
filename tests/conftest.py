"""A real Redis and a real ZooKeeper, one for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from real_stores import Server, redis_server, zookeeper_server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def _redis() -> Iterator[Server]:
    server = redis_server()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def _zookeeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = zookeeper_server(tmp_path_factory.mktemp("zookeeper"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def redis(_redis: Server) -> Server:
    """It runs when the test begins, whatever the test before did to it."""
    if _redis.process is None:
        _redis.start()
    return _redis


@pytest.fixture
def zookeeper(_zookeeper: Server) -> Server:
    """It runs when the test begins, whatever the test before did to it."""
    if _zookeeper.process is None:
        _zookeeper.start()
    return _zookeeper
