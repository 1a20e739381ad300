"""A Redis client that never waits long, and one error for all that Redis raises."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWER_SECONDS: Final = 2.0
"""For connecting, and for an answer."""


class RedisAwayError(Exception):
    """Redis does not answer, or not as it should; says why in one line."""


def connect(url: str, answer_seconds: float = ANSWER_SECONDS) -> Any:
    """Return a client; it connects when first used, and again after the connection broke.

    Which URLs redis-py understands, `redis_url` knows.
    """
    return Redis.from_url(
        url,
        socket_timeout=answer_seconds,
        socket_connect_timeout=answer_seconds,
        retry=Retry(NoBackoff(), 0),  # the caller tries again
    )


def reason(error: RedisError) -> str:
    """Return what is wrong, in one line."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


@contextmanager
def redis_errors() -> Iterator[None]:
    """Raise RedisAwayError for whatever redis-py raises."""
    try:
        yield
    except RedisError as error:
        raise RedisAwayError(reason(error)) from None
