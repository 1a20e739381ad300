"""How a bad problem is refused: the offender, its value and what is allowed, in one sentence."""

from collections import Counter
from collections.abc import Collection
from difflib import get_close_matches
from math import inf

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


def listed(names: Collection[str], most: int = _LISTED) -> str:
    """Join names for a person: the first few, and how many more there are."""
    shown = list(names)[:most]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def require_amount(
    owner: object, name: str, value: float, most: float, *, unlimited: bool = False
) -> None:
    """Refuse what is negative, not a number, or more than `most` (unless `unlimited`: infinite)."""
    if 0 <= value <= most or (unlimited and value == inf):
        return
    allowed = f"a number from 0 to {most:g}" + (", or infinite" if unlimited else "")
    raise ProblemError(f"{owner}: {name} is {value:g}; it must be {allowed}")


def require_unique(kind: str, ids: Collection[str]) -> None:
    """Refuse an id that is given twice."""
    twice = [name for name, times in Counter(ids).items() if times > 1]
    if twice:
        raise ProblemError(f"{kind} {twice[0]} is listed more than once; ids must be unique")


def require_probability(owner: str, value: float) -> None:
    """Refuse what is not in [0, 1]."""
    if not 0 <= value <= 1:
        raise ProblemError(f"{owner}: availability is {value:g}; it must be in [0, 1]")
