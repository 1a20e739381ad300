"""The operator's desk that all tests in this folder look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from operators_desk import Desk, desk_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from running_cluster import Cluster


@pytest.fixture(scope="session")
def submitted(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return desk_of(cluster, tmp_path_factory.mktemp("desk") / "rates.json")


@pytest.fixture
def desk(submitted: Desk) -> Iterator[Desk]:
    """Nothing is frozen when a test begins, nor when it ends."""
    submitted.unfreeze()
    yield submitted
    submitted.unfreeze()
