"""How a bad problem is refused: the offender, its value and what is allowed, in one sentence."""

import math
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


def listed(names: Collection[str], most: int = _LISTED) -> str:
    """Join names for a person: the first few, and how many more there are."""
    shown = list(names)[:most]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def require_amount(owner: object, name: str, value: float, *, unlimited: bool = False) -> None:
    """Refuse what is negative, not a number, or (unless `unlimited`) infinite."""
    if value >= 0 and (unlimited or not math.isinf(value)):
        return
    allowed = "a number ≥ 0" if unlimited else "a finite number ≥ 0"
    raise ProblemError(f"{owner}: {name} is {value:g}; it must be {allowed}")


def require_probability(owner: str, value: float) -> None:
    """Refuse what is not in [0, 1]."""
    if not 0 <= value <= 1:
        raise ProblemError(f"{owner}: availability is {value:g}; it must be in [0, 1]")
