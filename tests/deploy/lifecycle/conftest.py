from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fake_cluster import FakeCluster, make_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[FakeCluster]:
    cluster = make_cluster(tmp_path, "loopback")
    yield cluster
    cluster.end()


@pytest.fixture
def namespaces(tmp_path: Path, namespaces_allowed: None) -> Iterator[FakeCluster]:
    cluster = make_cluster(tmp_path, "namespaces")
    yield cluster
    cluster.end()


@pytest.fixture(scope="module")
def on_loopback(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeCluster]:
    """One that is up, for tests that leave it so."""
    cluster = make_cluster(tmp_path_factory.mktemp("loopback"), "loopback")
    cluster.up()
    yield cluster
    cluster.end()


@pytest.fixture(scope="module")
def emulated(
    tmp_path_factory: pytest.TempPathFactory, namespaces_allowed: None
) -> Iterator[FakeCluster]:
    """One that is up over an emulated network, for tests that leave it so."""
    cluster = make_cluster(tmp_path_factory.mktemp("namespaces"), "namespaces")
    cluster.up()
    yield cluster
    cluster.end()


@pytest.fixture(params=["loopback", pytest.param("namespaces", marks=pytest.mark.namespaces)])
def cluster(request: pytest.FixtureRequest) -> FakeCluster:
    found: FakeCluster = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["on_loopback", pytest.param("emulated", marks=pytest.mark.namespaces)])
def running(request: pytest.FixtureRequest) -> FakeCluster:
    """One that is up, for tests that leave it so."""
    found: FakeCluster = request.getfixturevalue(request.param)
    return found
