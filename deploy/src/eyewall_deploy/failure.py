"""An expected failure, as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something could not be done, in words that name the offender and what is allowed."""

    reason: str
