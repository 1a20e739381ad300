"""TOML files whose tables are dataclasses: values, and what is wrong in one line for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

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
    allowed = properties.get(location[-1], {}).get("description")
    match detail["type"]:
        case "unexpected_keyword_argument":
            keys = [key for key in properties if key != ORIGIN]
            choices = name_choices("allowed", keys, str(location[-1]))
            return f"{key} = {given!r}: unknown key; {choices}"
        case "missing":
            name = f" ({given['name']})" if isinstance(given, dict) and "name" in given else ""
            return f"{key}: missing{name}; needed: {allowed or 'a value'}"
        case "string_pattern_mismatch":
            return f"{key} = {given!r}: allowed: {allowed}"
        case _:
            message = detail["msg"]
            return f"{key} = {given!r}: {message[:1].lower()}{message[1:]}"
