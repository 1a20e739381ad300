"""When a search ends: small criteria that are passed in, and can be joined."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class SearchProgress(NamedTuple):
    """How far a search is.

    Parameters
    ----------
    steps
        Steps or rounds so far.
    idle
        How many of them, up to now, did not find a better placement.
    """

    steps: int = 0
    idle: int = 0


class StoppingCriterion(Protocol):
    """Says whether a search shall end; asked often, so it is quick."""

    def __call__(self, progress: SearchProgress, /) -> bool:
        """Say whether the search shall end now."""
        ...


@dataclass(frozen=True, slots=True)
class At:
    """Ends a search at a time of the clock, in seconds."""

    ends_at: float
    clock: Callable[[], float]

    def __call__(self, _: SearchProgress, /) -> bool:
        """Say whether it is time."""
        return self.clock() >= self.ends_at


@dataclass(frozen=True, slots=True)
class After:
    """Ends a search after so many steps, or after so many that found nothing better."""

    steps: int
    idle: int

    def __call__(self, progress: SearchProgress) -> bool:
        """Say whether that many were made."""
        return progress.steps >= self.steps or progress.idle >= self.idle


@dataclass(frozen=True, slots=True)
class Either:
    """Ends a search when one of two criteria does."""

    one: StoppingCriterion
    other: StoppingCriterion

    def __call__(self, progress: SearchProgress) -> bool:
        """Say whether one of them holds."""
        return self.one(progress) or self.other(progress)


def never(_: SearchProgress, /) -> bool:
    """Let the search end by itself."""
    return False
