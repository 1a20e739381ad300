"""Reads a TOML file into a frozen model; an error names file, key, value and what is allowed.

The agent, the rates job and the sidecar each say in their own `config` which keys there are.
"""

from __future__ import annotations

import reprlib
import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

if TYPE_CHECKING:
    from pathlib import Path

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = 100


class ConfigError(ValueError):
    """A configuration that cannot be used; names file, key, value and what is allowed."""


class Section(BaseModel):
    """A table of the file, or the whole of it. Every key has a default."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    secret: ClassVar[frozenset[str]] = frozenset()
    """Keys whose values no message shows: an address of Redis may hold a password."""


_Config = TypeVar("_Config", bound=Section)


def read(kind: type[_Config], path: Path | None) -> _Config:
    """Read the file; without one, every key has its default."""
    if path is None:
        return kind()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ConfigError(f"{path}: values are nested too deep") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        raise ConfigError(f"{path}: {_first(kind, error)}") from None


def _first(kind: type[Section], error: ValidationError) -> str:
    first = error.errors()[0]
    *tables, key = (str(part) for part in first["loc"])
    table = _table(kind, tables)
    where = f"[{'.'.join(tables)}] {key}" if tables else key
    if first["type"] == "extra_forbidden":
        keys = list(table.model_fields)
        near = get_close_matches(key, keys, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return f"no key {where}; keys there are {', '.join(keys)}{hint}"
    if key in table.model_fields and _table(table, [key]) is not table:
        whole = f"[{'.'.join([*tables, key])}]"
        if first["type"] == "model_type":
            return f"{whole} must be a table: its keys on lines of their own below {whole}"
        return f"{whole}: {first['msg']}"
    if key in table.secret:
        return f"{where}: {first['msg']}"
    value = _SHORT.repr(first["input"])
    return f"{where} is {value}: {first['msg'][0].lower()}{first['msg'][1:]}"


def _table(kind: type[Section], names: list[str]) -> type[Section]:
    """Return the innermost section that `names` lead into."""
    for name in names:
        inner = kind.model_fields[name].annotation
        if not (isinstance(inner, type) and issubclass(inner, Section)):
            break
        kind = inner
    return kind
