"""TOML files whose tables are dataclasses: values, and what is wrong in one line for people."""

from __future__ import annotations

import re
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
ORIGIN = "(origin)"
"""Alias of the field with the file's name, which is no key of the file."""


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
        found = found.get("items") or next(iter(found.get("prefixItems", [])), {})
        description = found.get("description", description)
    return description
