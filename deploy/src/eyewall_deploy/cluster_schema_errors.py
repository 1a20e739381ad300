"""A schema's first error as one line: key, value, what is allowed, what was probably meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from eyewall_deploy import cluster_schema as schema

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

_TABLES: Final[dict[str, type[BaseModel]]] = {
    "sites": schema.SiteTable,
    "hosts": schema.HostTable,
    "delays": schema.DelayTable,
    "dedicated": schema.DedicatedTable,
    "public": schema.PublicTable,
}


def first_error(error: ValidationError) -> str:
    """Put the error that helps most (an unknown key before what is missing) in one line."""
    details = sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    return _line(details[0], error)


def _line(detail: ErrorDetails, error: ValidationError) -> str:
    key = _key(detail["loc"])
    given = detail["input"]
    match detail["type"]:
        case "extra_forbidden":
            return f"{key} = {given!r}: unknown key; {_allowed(detail['loc'])}"
        case "missing":
            name = f" ({given['name']})" if isinstance(given, dict) and "name" in given else ""
            return f"{key}: missing{name}; {_meaning(detail['loc'])}"
        case "string_pattern_mismatch":
            is_host = detail["loc"][0] == "hosts" and detail["loc"][-1] == "name"
            letter = ", the first of them a letter" if is_host else ""
            return f"{key} = {given!r}: allowed are a-z, 0-9 and '-', at most 63 characters{letter}"
        case _:
            more = error.error_count() - 1
            rest = f" (and {more} more)" if more else ""
            return f"{key} = {given!r}: {_lower(detail['msg'])}{rest}"


def _key(location: tuple[int | str, ...]) -> str:
    """`("hosts", 2, "slots")` is written hosts[2].slots; the index counts from 0."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _fields(location: tuple[int | str, ...]) -> list[str]:
    table = _TABLES.get(str(location[0]), schema.ClusterTable)
    if len(location) == 1:
        table = schema.ClusterTable
    return [field.alias or name for name, field in table.model_fields.items()]


def _allowed(location: tuple[int | str, ...]) -> str:
    fields = _fields(location)
    near = get_close_matches(str(location[-1]), fields, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return f"allowed are {', '.join(fields)}{meant}"


_MEANINGS: Final = {
    "slots": "a whole number of at least 1",
    "one_way_ms": "milliseconds, 0 or more",
    "between": "the names of two hosts",
    "bandwidth_mbit": "Mbit/s, above 0",
    "version": "1",
    "name": "a name of a-z, 0-9 and '-'",
    "site": "the name of one of the sites",
    "sites": "at least one [[sites]] with a name",
    "hosts": "at least one [[hosts]] with name, site and slots",
}


def _meaning(location: tuple[int | str, ...]) -> str:
    return f"needed: {_MEANINGS[str(location[-1])]}"


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
