"""Reads a TOML file into a frozen model; an error names file, key, value and what is allowed.

The agent, the rates job and the sidecar each say in their own `config` which keys there are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from eyewall_contracts.config_file import (
    ConfigError,
    name_key,
    no_table,
    read_toml,
    unknown_key,
    wrong_value,
)
from pydantic import BaseModel, ConfigDict, ValidationError

if TYPE_CHECKING:
    from pathlib import Path

_SHOULD: Final = re.compile(r"[A-Z][a-z]+ should ")
"""How pydantic begins its messages."""


class Section(BaseModel):
    """A table of the file, or the whole of it. Every key has a default."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    secret: ClassVar[frozenset[str]] = frozenset()
    """Keys whose values no message shows: an address of Redis may hold a password."""


_TOML: Final = {"tuple_type": 'it must be a list such as ["a"]'}
"""What pydantic says in Python's words, in TOML's."""

_Config = TypeVar("_Config", bound=Section)


def read(kind: type[_Config], path: Path | None) -> _Config:
    """Read the file; without one, every key has its default."""
    if path is None:
        return kind()
    content = read_toml(path)
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        raise ConfigError(f"{path}: {_first(kind, error)}") from None


def _first(kind: type[Section], error: ValidationError) -> str:
    first = error.errors()[0]
    items = [part for part in first["loc"] if isinstance(part, int)]
    *tables, key = (str(part) for part in first["loc"] if not isinstance(part, int))
    table = _table(kind, tables)
    where = name_key(key, ".".join(tables)) + "".join(f"[{item}]" for item in items)
    requirement = _TOML.get(first["type"]) or _SHOULD.sub("it must ", first["msg"], count=1)
    if first["type"] == "extra_forbidden":
        return unknown_key(key, ".".join(tables), table.model_fields)
    if key in table.model_fields and _table(table, [key]) is not table:
        name = ".".join([*tables, key])
        return no_table(name) if first["type"] == "model_type" else f"[{name}]: {requirement}"
    if key in table.secret:
        return f"{where}: {requirement}"
    return wrong_value(where, first["input"], requirement)


def _table(kind: type[Section], names: list[str]) -> type[Section]:
    """Return the innermost section that `names` lead into."""
    for name in names:
        inner = kind.model_fields[name].annotation
        if not (isinstance(inner, type) and issubclass(inner, Section)):
            break
        kind = inner
    return kind
