"""Answers as bytes: serialised once, compressed once, named by what is in them."""

from __future__ import annotations

import gzip
import hashlib
import threading
from typing import Any, Final

from pydantic import TypeAdapter

LEAST_COMPRESSED: Final = 500
"""Bytes; less is not worth it."""
_LEVEL: Final = 5


class Body:
    """The bytes of an answer, for any number of requests.

    Parameters
    ----------
    kind
        Its media type.
    level
        How hard it is compressed.
    """

    def __init__(self, data: bytes, kind: str = "application/json", level: int = _LEVEL) -> None:
        self.data: Final = data
        self.kind: Final = kind
        self.etag: Final = f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
        self._level = level
        self._lock = threading.Lock()
        self._gzipped: bytes | None = None

    def compress(self) -> bytes:
        """Return the same, compressed; the work is done once."""
        with self._lock:
            if self._gzipped is None:
                self._gzipped = gzip.compress(self.data, self._level, mtime=0)
            return self._gzipped

    def is_known_by(self, if_none_match: str | None) -> bool:
        """Whether the asker has it already, by its If-None-Match."""
        if if_none_match is None:
            return False
        tags = {it.strip().removeprefix("W/") for it in if_none_match.split(",")}
        return self.etag in tags or "*" in tags


def json_body(view: object, adapter: TypeAdapter[Any] | None = None) -> Body:
    """Serialise a view, or what `adapter` is of."""
    return Body((adapter or TypeAdapter(type(view))).dump_json(view))
