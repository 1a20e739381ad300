"""Types of records' fields: what may be in them, and how a message describes it."""

from __future__ import annotations

import re
from typing import Annotated, Final

from msgspec import Meta

MOST_ROWS: Final = 10_000
"""In any one list."""
LONGEST_NAME: Final = 512
HOST_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})")
"""A host's name becomes part of a znode's path and of a Redis key."""

_LARGEST: Final = 2**53
"""A float holds every whole number up to here."""

Whole = Annotated[int, Meta(ge=-_LARGEST, le=_LARGEST, description="a whole number up to 2^53")]
Count = Annotated[int, Meta(ge=0, le=_LARGEST, description="a whole number from 0 to 2^53")]
Amount = Annotated[float, Meta(ge=0.0, le=_LARGEST, description="a number from 0 to 2^53")]
Number = Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST, description="a number up to 2^53")]
Share = Annotated[float, Meta(ge=0.0, le=1.0, description="a number from 0 to 1")]
Time = Annotated[float, Meta(ge=0.0, lt=1e11, description="seconds since the epoch, below 1e11")]
Name = Annotated[
    str,
    Meta(min_length=1, max_length=LONGEST_NAME, description="text of 1 to 512 characters"),
]
HostName = Annotated[
    str,
    Meta(
        pattern=rf"^{HOST_NAME.pattern}\Z",
        description="a host's name: 1 to 253 letters, digits, '.', '_' or '-', the first no sign",
    ),
]
Rows = Meta(max_length=MOST_ROWS, description=f"a list of at most {MOST_ROWS}")


def is_host_name(text: str) -> bool:
    """Whether a host may be called this."""
    return HOST_NAME.fullmatch(text) is not None
