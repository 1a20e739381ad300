"""Why a request cannot be answered: a code with a sentence for people."""

from __future__ import annotations

from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_LISTED: Final = 6
"""Names that are listed if none is similar."""


class Reason(Enum):
    """The kinds of failure."""

    UNKNOWN_NAME = "unknown name"
    BAD_VALUE = "bad value"
    NOT_NOW = "not now"
    NOT_INSTALLED = "not installed"
    AWAY = "away"
    FAILED = "failed"


class RequestError(Exception):
    """A request that cannot be answered.

    Parameters
    ----------
    message
        Names the offender, its value and what is allowed.
    nearest
        Names that the request may have meant.
    source
        The part that failed or does not answer; empty otherwise.
    """

    def __init__(
        self, reason: Reason, message: str, nearest: Sequence[str] = (), source: str = ""
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.nearest = tuple(nearest)
        self.source = source


def unknown_name(what: str, name: str, names: Collection[str]) -> RequestError:
    """Return the error for a name that is not one of `names`."""
    existing = sorted(set(names))
    near = get_close_matches(name, existing, n=3, cutoff=0.5)
    hint = ""
    if near:
        hint = f" (did you mean {' or '.join(near)}?)"
    elif existing:
        more = f" and {len(existing) - _LISTED} more" if len(existing) > _LISTED else ""
        hint = f"; known: {', '.join(existing[:_LISTED])}{more}"
    return RequestError(Reason.UNKNOWN_NAME, f"no {what} {name!r:.200}{hint}", near)
