"""Reads a configuration file, and words what is wrong with it: the same for every program.

A message names the file, the key, its value and what is allowed. Which keys there are, each program
declares in its own `config`.
"""

from __future__ import annotations

import reprlib
import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

LARGEST_FILE: Final = 1024 * 1024

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = 100
_LONGEST_KEY: Final = 60


class ConfigError(ValueError):
    """A configuration that cannot be used; names file, key, value and what is allowed."""


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; ConfigError if there is none."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ConfigError(f"{path}: more than {LARGEST_FILE} bytes")
        return tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: values are nested too deep") from None
    except ConfigError:
        raise
    except ValueError as error:  # TOML, UTF-8, or a path that cannot be one
        raise ConfigError(f"{path}: {error}") from None


def name_key(key: str, table: str = "") -> str:
    """Return how a message names a key of a table: `[table] key`."""
    return f"[{table}] {key}" if table else key


def unknown_key(key: str, table: str, keys: Collection[str]) -> str:
    """Describe a key that does not exist, and the ones that do."""
    near = get_close_matches(key, keys, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return f"no key {name_key(key[:_LONGEST_KEY], table)}; keys there are {', '.join(keys)}{hint}"


def wrong_value(where: str, value: object, requirement: str) -> str:
    """Describe a value that is not allowed; `requirement` says what is: `it must be …`."""
    try:
        shown = _SHORT.repr(value)
    except ValueError:  # an integer of thousands of digits
        shown = "a number too long to print"
    return f"{where} is {shown}: {requirement}"


def no_table(table: str) -> str:
    """Describe a key that must be a table."""
    return f"[{table}] must be a table: its keys on lines of their own below [{table}]"
