"""Delays that are known, but with little confidence: enough to place by, too little to move by.

What has no slot has to run somewhere, and a vague delay is better than none: it is used, and said.
What runs is moved only by delays that are known well: a doubted one counts as unknown.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import floor

DelayBetween = Callable[[str, str], float | None]
"""One-way delay in seconds from one host to another; None if it is unknown."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """How little a known delay is worth.

    Parameters
    ----------
    confidence
        0 to 1.
    wanted
        How much would be enough to move by, 0 to 1.
    age
        Seconds since it was measured.
    """

    confidence: float
    wanted: float
    age: float


Doubts = Mapping[tuple[str, str], Doubt]
"""(source, target) → doubt; a pair that is not in it is not doubted."""


def undoubted(between: DelayBetween, doubts: Doubts) -> DelayBetween:
    """Return the delays that are known well; a doubted one is unknown."""
    return lambda source, target: None if (source, target) in doubts else between(source, target)


def how_little(doubts: Iterable[Doubt]) -> str:
    """Word doubts, of which there is one at least: `only with confidence 0.2 of the 0.3 wanted`."""
    given = list(doubts)
    # Rounded down: 0.299 must not read as if it were the 0.3 wanted.
    confidence = _span(floor(100 * it.confidence) / 100 for it in given)
    wanted = max(it.wanted for it in given)
    age = _span(round(it.age) for it in given)
    return f"only with confidence {confidence} of the {wanted:g} wanted, {age} s old"


def _span(values: Iterable[float]) -> str:
    ordered = sorted(values)
    least, most = f"{ordered[0]:g}", f"{ordered[-1]:g}"
    return least if least == most else f"{least} to {most}"
