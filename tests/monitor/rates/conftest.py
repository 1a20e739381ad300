from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from redis import Redis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from real_stores import Server


@pytest.fixture
def redis(redis: Server) -> Server:
    """It runs when the test begins, and is empty."""
    with Redis(port=redis.port) as store:
        store.flushall()
    return redis


@pytest.fixture
def store(redis: Server) -> Iterator[Redis]:
    with Redis(port=redis.port) as it:
        yield it
