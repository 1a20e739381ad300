"""How a bad problem is refused: the offender, its value and what is allowed, in one sentence."""

from collections.abc import Collection
from difflib import get_close_matches

_LISTED = 12


class ProblemError(ValueError):
    """A placement problem, or a part of one, that cannot be solved as it is written."""


def unknown(kind: str, name: str, known: Collection[str]) -> str:
    """Say that no `kind` is called `name`, what there is, and what may have been meant."""
    plural = f"{kind}s"
    if not known:
        return f"no {kind} {name}; there are no {plural}"
    close = get_close_matches(name, known, n=1)
    guess = f" (did you mean {close[0]}?)" if close else ""
    return f"no {kind} {name}; {plural} are {listed(known)}{guess}"


def listed(names: Collection[str]) -> str:
    """Join names for a person: the first dozen, and how many more there are."""
    shown = list(names)[:_LISTED]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
