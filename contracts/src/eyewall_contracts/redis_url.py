"""The URL of a Redis server: what it may be, and how people may read it."""

import re
from typing import Final
from urllib.parse import urlsplit

ALLOWED: Final = (
    "it must be redis://HOST:PORT/DB, rediss://… or unix://…, with %2F for / and %40 for @ in a "
    "password"
)

_DATABASE: Final = re.compile(r"(?:/[0-9]*)?")


def is_redis_url(text: str) -> bool:
    """Whether this names a Redis server."""
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("redis", "rediss", "unix") and bool(parts.hostname or parts.path)
        good = good and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    # A password with a slash that is not written %2F would pass for a path, and be shown.
    good = good and "@" not in f"{parts.path}{parts.query}{parts.fragment}"
    return good and (parts.scheme == "unix" or _DATABASE.fullmatch(parts.path) is not None)


def server_of(url: str) -> str:
    """Return a Redis URL as people may read it: without account and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
