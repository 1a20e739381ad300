"""Expected failures as values, and what their messages have in common."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something could not be done, in words that name the offender and what is allowed."""

    reason: str


def name_choices(what: str, allowed: Sequence[str], given: str) -> str:
    """Return what is allowed, and the one that was probably meant."""
    near = get_close_matches(given, allowed, n=1)
    return f"{what} are {', '.join(allowed)}" + (f" (did you mean {near[0]}?)" if near else "")
