"""In which order tests run; a real Redis and a real ZooKeeper, one for all tests of a process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from eyewall_contracts.znodes import Znodes
from hypothesis import HealthCheck, settings
from kazoo.client import KazooClient
from real_stores import Server, redis_server, zookeeper_server

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ["cluster_fixtures", "browser_fixtures", "installed_plugins"]

# Nothing is asserted of time: on a busy machine anything may take long.
settings.register_profile(
    "untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")

HERE = Path(__file__).parent
ON_THE_CLUSTER = (HERE / "cluster", HERE / "browser")
"""Folders whose tests share one running cluster, in this order."""
LONGEST = (
    HERE / "contracts/test_program_roll.py",
    HERE / "deploy/lifecycle",
    HERE / "monitor/rates",
    HERE / "sidecar/test_serve.py",
    HERE / "benchmarks/test_loop_simulation.py",
)
"""What takes minutes: begun last, one of several processes would be alone with it in the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _turn(item) > 0:
            item.add_marker(pytest.mark.cluster)
    # The cluster runs to the end of the session, at the expense of whatever comes after it.
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    """1 or 2 for a test that needs a cluster, -1 for one that takes minutes, 0 for any other."""
    places = (item.path, *item.path.parents)
    if any(it in places for it in LONGEST):
        return -1
    folders = (turn for turn, it in enumerate(ON_THE_CLUSTER, 1) if it in places)
    return next(folders, 0)


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


@pytest.fixture
def client(zookeeper: Server) -> Iterator[KazooClient]:
    it = KazooClient(zookeeper.address, timeout=40.0)
    it.start(timeout=120)
    yield it
    it.stop()
    it.close()


@pytest.fixture
def paths(tmp_path: Path) -> Znodes:
    """A part of the ZooKeeper for each test."""
    return Znodes(f"/{tmp_path.name}")
