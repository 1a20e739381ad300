"""A part of a real ZooKeeper for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from real_stores import Server


@pytest.fixture
def paths(tmp_path: Path) -> Znodes:
    return Znodes(f"/{tmp_path.name}")


@pytest.fixture
def client(zookeeper: Server) -> Iterator[KazooClient]:
    it = KazooClient(zookeeper.address)
    it.start(timeout=120)
    yield it
    it.stop()
    it.close()


@pytest.fixture
def config(zookeeper: Server, paths: Znodes, tmp_path: Path) -> Path:
    """A sidecar's, which names that part."""
    it = tmp_path / "sidecar.toml"
    it.write_text(f'[zookeeper]\nservers = "{zookeeper.address}"\nroot = "{paths.root}"\n')
    return it
