"""What is allowed, in words."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def choices(what: str, allowed: Sequence[str], given: str) -> str:
    """Say what is allowed, and what was probably meant."""
    near = get_close_matches(given, allowed, n=1)
    return f"{what} are {', '.join(allowed)}" + (f" (did you mean {near[0]}?)" if near else "")
