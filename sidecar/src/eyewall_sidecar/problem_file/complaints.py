"""What pydantic finds wrong with a file, said as offender, value and what is allowed."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.problem_file import schema

_SHOWN = 5
_CURRENT = "current"
_BRANCH = 2
"""Where pydantic puts the type that a value of `current` was compared with."""
_SECTIONS: dict[str, type[BaseModel]] = {
    "operators": schema.OperatorEntry,
    "streams": schema.StreamEntry,
    "nodes": schema.NodeEntry,
    "links": schema.LinkEntry,
    "delays": schema.DelaysEntry,
    "load": schema.LoadEntry,
    "objects": schema.ObjectEntry,
    "servers": schema.ServerEntry,
}
_ALLOWED = {
    "greater_than_equal": "it must be ≥ {ge:g}",
    "less_than_equal": "it must be ≤ {le:g}",
    "tiny": "it must be 0 or ≥ {least:g}",
    "literal_error": "it must be {expected}",
    "enum": "it must be {expected}",
    "float_type": "it must be a number",
    "int_type": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "finite_number": "it must be a finite number",
    "string_type": "it must be a text",
    "bool_type": "it must be true or false",
    "list_type": "it must be a list",
    "dict_type": "it must be an object",
    "model_type": "it must be an object",
    "too_short": "it must have at least {min_length}",
    "string_too_short": "it must not be empty",
}


def complaints(error: ValidationError) -> str:
    """One line for each of the first few findings."""
    found = [_complaint(it["type"], it) for it in error.errors() if not _of_other_type(it)]
    lines = list(dict.fromkeys(found))
    more = [f"… and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "\n".join(lines[:_SHOWN] + more)


def _complaint(kind: str, detail: Any) -> str:
    place = list(detail["loc"])
    if place[0:1] == [_CURRENT]:
        del place[_BRANCH : _BRANCH + 1]
    owner = _path(place) or "the problem"
    if kind == "json_invalid":
        return f"not JSON: {detail['ctx']['error']}"
    if kind == "extra_forbidden":
        return _unknown_key(place)
    if kind == "missing":
        return f"{_path(place[:-1]) or 'the problem'}: {place[-1]} is missing"
    if _is_of_branch(detail) and kind in ("string_type", "list_type"):
        return f"{owner} is {_shown(detail['input'])}; it must be a node or a list of nodes"
    if kind in _ALLOWED:
        allowed = _ALLOWED[kind].format(**detail.get("ctx", {}))
        return f"{owner} is {_shown(detail['input'])}; {allowed}"
    return f"{owner} is {_shown(detail['input'])}: {detail['msg']}"


def _is_of_branch(detail: Any) -> bool:
    """Whether it is about where an operator runs now: each type that may be complains of it."""
    place = detail["loc"]
    return place[0:1] == (_CURRENT,) and len(place) == _BRANCH + 1


def _of_other_type(detail: Any) -> bool:
    """Whether a text is said to be no list of nodes, or a list no node."""
    other = {"list_type": str, "string_type": list}.get(detail["type"])
    return other is not None and _is_of_branch(detail) and isinstance(detail["input"], other)


def _unknown_key(place: Sequence[str | int]) -> str:
    *owner, key = place
    model = _SECTIONS.get(str(owner[0]), schema.ProblemEntry) if owner else schema.ProblemEntry
    keys = [field.alias or name for name, field in model.model_fields.items()]
    close = get_close_matches(str(key), keys, n=1)
    guess = f" (did you mean {close[0]}?)" if close else ""
    return f"{_path(owner) or 'the problem'}: unknown key {key}; keys are {listed(keys)}{guess}"


def _path(place: Sequence[str | int]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
