"""A sidecar's configuration with a part of a real ZooKeeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_contracts.znodes import Znodes
    from real_stores import Server


@pytest.fixture
def config(zookeeper: Server, paths: Znodes, tmp_path: Path) -> Path:
    """A sidecar's, which names that part."""
    it = tmp_path / "sidecar.toml"
    it.write_text(f'[zookeeper]\nservers = "{zookeeper.address}"\nroot = "{paths.root}"\n')
    return it
