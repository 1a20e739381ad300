"""Bodies of answers: serialised once, compressed once, identified by their content."""

from __future__ import annotations

import gzip
import hashlib
import threading
from typing import Final

from pydantic_core import to_json

LEAST_COMPRESSED: Final = 500
"""Bytes: a smaller body gains nothing."""
_LEVEL: Final = 5


class Body:
    """The bytes of an answer, for any number of requests.

    Parameters
    ----------
    media_type
        As in the Content-Type header.
    level
        Of compression.
    """

    def __init__(
        self, data: bytes, media_type: str = "application/json", level: int = _LEVEL
    ) -> None:
        self.data: Final = data
        self.media_type: Final = media_type
        self.etag: Final = f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
        self._level = level
        self._lock = threading.Lock()
        self._gzipped: bytes | None = None

    def compress(self) -> bytes:
        """Return the compressed bytes; they are made once."""
        with self._lock:
            if self._gzipped is None:
                self._gzipped = gzip.compress(self.data, self._level, mtime=0)
            return self._gzipped

    def matches(self, if_none_match: str | None) -> bool:
        """Whether a request's If-None-Match has this body."""
        if if_none_match is None:
            return False
        tags = {it.strip().removeprefix("W/") for it in if_none_match.split(",")}
        return self.etag in tags or "*" in tags


def json_body(view: object) -> Body:
    """Serialise a view, or a tuple of views."""
    return Body(to_json(view, inf_nan_mode="null"))
