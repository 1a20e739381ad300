"""Fields of settings: a default and the allowed values."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Allowed:
    """The range of a number, ends included, or the words of a choice."""

    low: float = 0.0
    high: float = 0.0
    words: tuple[str, ...] = ()

    def has(self, value: Any) -> bool:
        """Whether a value is in the range, or one of the words; its type is another question."""
        return value in self.words if self.words else bool(self.low <= value <= self.high)

    def __str__(self) -> str:
        """Return the range or the choices as text."""
        return " or ".join(self.words) if self.words else f"{self.low:g} to {self.high:g}"


def number(default: float, low: float, high: float) -> Any:
    """Return a field for a number from `low` to `high`."""
    return field(default=default, metadata={"allowed": Allowed(low, high)})


def whole_number(default: int, low: int, high: int) -> Any:
    """Return a field for a whole number from `low` to `high`."""
    return field(default=default, metadata={"allowed": Allowed(low, high)})


def choice(default: str, *others: str) -> Any:
    """Return a field for one of some words."""
    return field(default=default, metadata={"allowed": Allowed(words=(default, *others))})
