"""TOML files whose tables are dataclasses: values, and what is wrong in one line for people."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import AllowInfNan, ConfigDict, Strict, TypeAdapter, with_config

from eyewall_deploy.failure import name_choices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError

Text = Annotated[str, Strict()]
Whole = Annotated[int, Strict()]
Number = Annotated[float, Strict(), AllowInfNan(allow_inf_nan=False)]
toml_table: Final = with_config(ConfigDict(extra="forbid"))
"""Of a dataclass: no other keys."""

_INSTANCE: Final = re.compile(r" or an instance of \w+")
_WORDS: Final = {
    "tuple": "list",
    "Tuple": "List",
    "dictionary": "table",
    "a valid boolean": "true or false",
    "a valid string": "text in quotes",
    " after validation": "",
}
"""What pydantic says, and what TOML calls it."""
_TOO_LARGE: Final = 2**63
_DEEPEST: Final = 50
_TOO_DEEP: Final = f"tables and lists are nested too deeply; allowed are {_DEEPEST} levels"
ORIGIN = "(origin)"
"""Alias of the field with the file's name, which is no key of the file."""


class TomlError(ValueError):
    """A text that is not TOML, in one line that says where and why."""


def read_toml(text: str) -> dict[str, Any]:
    """Return a TOML document whose numbers and tables are of a size that everything else takes.

    Raises
    ------
    TomlError
        If the text is no such document.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TomlError(f"not TOML: {error}") from None
    except RecursionError:
        raise TomlError(_TOO_DEEP) from None
    except ValueError:  # of Python's int
        raise TomlError(
            "a number has thousands of digits; allowed are whole numbers of 64 bits"
        ) from None
    _check_sizes("", document, 0)
    return document


def _check_sizes(key: str, value: Any, depth: int) -> None:
    if depth > _DEEPEST:
        raise TomlError(_TOO_DEEP)
    if isinstance(value, dict):
        for name, it in value.items():
            _check_sizes(f"{key}.{name}" if key else name, it, depth + 1)
    elif isinstance(value, list):
        for place, it in enumerate(value):
            _check_sizes(f"{key}[{place}]", it, depth + 1)
    elif isinstance(value, int) and not -_TOO_LARGE <= value < _TOO_LARGE:
        bits = value.bit_length() + 1
        raise TomlError(f"{key} is a whole number of {bits} bits; allowed are 64")


def describe_error(error: ValidationError, whole: type, tables: Mapping[str, type]) -> str:
    """Return the error that helps most: key, value, what is allowed.

    Parameters
    ----------
    whole
        The dataclass of the file.
    tables
        Those of its tables, by their keys.
    """
    # An unknown key explains what is missing; a list is too short if its only table is wrong.
    order = {"unexpected_keyword_argument": 0, "too_short": 2}
    detail = min(error.errors(), key=lambda it: order.get(it["type"], 1))
    location, given = detail["loc"], detail["input"]
    key = "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in location)[1:]
    table = tables.get(str(location[0]), whole) if len(location) > 1 else whole
    properties = TypeAdapter(table).json_schema()["properties"]
    allowed = _description(properties, location)
    match detail["type"]:
        case "unexpected_keyword_argument":
            keys = [key for key in properties if key != ORIGIN]
            choices = name_choices("allowed", keys, str(location[-1]))
            return f"{key} = {given!r}: unknown key; {choices}"
        case "missing":
            name = f" ({given['name']})" if isinstance(given, dict) and "name" in given else ""
            return f"{key}: missing{name}; needed: {allowed or 'a value'}"
        case "string_pattern_mismatch" | "too_short" if allowed is not None:
            return f"{key} = {given!r}: allowed: {allowed}"
        case "tuple_type" if isinstance(given, dict) and key in tables:
            return f"{key} = {given!r}: one table, not a list of them: write [[{key}]]"
        case _:
            return f"{key} = {given!r}: {toml_words(detail['msg'])}"


def toml_words(message: str) -> str:
    """Return what pydantic says of a value in the words of TOML."""
    words = _INSTANCE.sub("", message)
    for theirs, ours in _WORDS.items():
        words = words.replace(theirs, ours)
    return f"{words[:1].lower()}{words[1:]}"


def _description(properties: Mapping[str, Any], location: tuple[int | str, ...]) -> str | None:
    """Return what a field's annotation says of the value at a location; None if it says nothing."""
    *_, at = [place for place, it in enumerate(location) if isinstance(it, str)]
    found: dict[str, Any] = properties.get(str(location[at]), {})
    description: str | None = found.get("description")
    for _ in location[at + 1 :]:
        first: list[dict[str, Any]] = found.get("prefixItems", [])
        found = found.get("items") or (first[0] if first else {})
        description = found.get("description", description)
    return description
