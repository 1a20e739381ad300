"""Checks of values that came as JSON: each takes a value and where it was, and gives it typed.

Documents have thousands of values, and to name the place of each takes longer than to check it. So
an object's values are checked without places first (where: ""), and again with them if one is bad.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST_ROWS: Final = 10_000
"""In any one list."""
LONGEST_NAME: Final = 512
HOST: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})")
"""What may be a host's name: it becomes part of a znode's path and of a Redis key."""

_MOST: Final = 2**53
T = TypeVar("T")


class BadValueError(ValueError):
    """A value that cannot be; says where, which, and what it must be."""


class Object:
    """The keys of a JSON object; those that nobody asks for are a later version's and harmless."""

    def __init__(self, content: Mapping[str, object], where: str) -> None:
        self._content = content
        self._where = where

    def __call__(self, key: str, check: Callable[[object, str], T]) -> T:
        """Return the checked value of a key."""
        if key not in self._content:
            raise BadValueError(f"{self._where}: no {key}")
        value = self._content[key]
        try:
            return check(value, "")
        except BadValueError:
            return check(value, f"{self._where}: {key}")


def name(value: object, where: str) -> str:
    """Check a name of anything but a host."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not value.isprintable():
        raise _refused(where, value, f"text of 1 to {LONGEST_NAME} characters")
    return value


def host(value: object, where: str) -> str:
    """Check a host's name."""
    if not isinstance(value, str) or HOST.fullmatch(value) is None:
        raise _refused(where, value, "a host's name")
    return value


def whole(value: object, where: str) -> int:
    """Check a whole number that a float holds exactly."""
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _MOST:
        raise _refused(where, value, "a whole number")
    return value


def count(value: object, where: str) -> int:
    """Check a number of things."""
    found = whole(value, where)
    if found < 0:
        raise _refused(where, value, "a whole number ≥ 0")
    return found


def amount(value: object, where: str) -> float:
    """Check a quantity: finite and not negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST:
        raise _refused(where, value, "a finite number ≥ 0")
    return float(value)


def number(value: object, where: str) -> float:
    """Check a finite number of either sign."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= _MOST:
        raise _refused(where, value, "a finite number")
    return float(value)


def or_none(check: Callable[[object, str], T]) -> Callable[[object, str], T | None]:
    """Check what may be absent."""
    return lambda value, where: None if value is None else check(value, where)


def rows(check: Callable[[object, str], T]) -> Callable[[object, str], tuple[T, ...]]:
    """Check a list of anything."""

    def made(value: object, where: str) -> tuple[T, ...]:
        if not where:
            return tuple([check(it, "") for it in _list(value, where)])
        return tuple(check(it, f"{where}[{i}]") for i, it in enumerate(_list(value, where)))

    return made


def row(
    kind: Callable[..., T], checks: Sequence[Callable[[object, str], Any]]
) -> Callable[[object, str], T]:
    """Check a list of the values of `kind`, in the order of its fields."""

    def made(value: object, where: str) -> T:
        values = _list(value, where)
        if len(values) != len(checks):
            raise BadValueError(f"{where}: {len(values)} values; it must be {len(checks)}")
        pairs = zip(values, checks, strict=True)
        if not where:
            return kind(*[check(it, "") for it, check in pairs])
        return kind(*(check(it, f"{where}[{i}]") for i, (it, check) in enumerate(pairs)))

    return made


def counters(value: object, where: str) -> dict[str, int]:
    """Check an object of numbers by name."""
    if not isinstance(value, dict) or len(value) > MOST_ROWS:
        raise _refused(where, value, "an object of numbers")
    return {name(key, where): count(number, f"{where}: {key}") for key, number in value.items()}


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list) or len(value) > MOST_ROWS:
        raise _refused(where, value, f"a list of at most {MOST_ROWS}")
    return value


def _refused(where: str, value: object, wanted: str) -> BadValueError:
    return BadValueError(f"{where} is {value!r:.80}; it must be {wanted}")
