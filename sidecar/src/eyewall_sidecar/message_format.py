"""How values are written in a message's sentence."""

import string
from collections.abc import Callable, Mapping, Sequence
from math import isfinite

from eyewall_sidecar.model.errors import listed

FEW = 3
"""Names in one sentence; further ones are counted."""


class _SentenceFormatter(string.Formatter):
    """Python's formats, and: `%`, `count NOUN`, and those of `_FORMATS`."""

    def format_field(self, value: object, format_spec: str) -> str:
        if format_spec == "%" and isinstance(value, float | int):
            return f"{100 * value:.3g} %"
        kind, _, noun = format_spec.partition(" ")
        if kind == "count" and isinstance(value, int):
            return counted(value, noun)
        if format_spec in _FORMATS:
            return _FORMATS[format_spec](value)
        return str(super().format_field(value, format_spec))


def _texts(values: object) -> list[str]:
    return [str(it) for it in values] if isinstance(values, Sequence) else []


def _gain(value: object) -> str:
    known = isinstance(value, float) and isfinite(value)
    return f", gain {100 * value:.3g} %" if known and isinstance(value, float) else ""


def _quantity(value: object, factor: float, unit: str) -> str:
    return f"{value * factor:.3g} {unit}" if isinstance(value, float) else "not known"


_FORMATS: Mapping[str, Callable[[object], str]] = {
    "list": lambda it: listed(_texts(it), FEW),
    "listed": lambda it: listed(_texts(it)),
    "first": lambda it: listed(_texts(it), 1),
    "given": lambda it: listed(_texts(it)) or "not given",
    "some": lambda it: listed(_texts(it)) or "none",
    "all": lambda it: ", ".join(_texts(it)),
    "joined": lambda it: "; ".join(_texts(it)),
    "remarks": lambda it: "".join(f"; {one}" for one in _texts(it)),
    "remark": lambda it: f"; {it}" if it else "",
    "appended": lambda it: f" ({it})" if it else "",
    "colon": lambda it: f": {it}" if it else "",
    "and": lambda it: f", and {it}" if it else "",
    "reasons": lambda it: f" ({listed(_texts(it), FEW)})" if it else "",
    "also": lambda it: f"; {listed(_texts(it), 1)}" if it else "",
    "guess": lambda it: f" (did you mean {it}?)" if it else "",
    "more": lambda it: f" and {it} more" if it else "",
    "ago": lambda it: "" if it is None else f" {it:.0f} s ago",
    "gain": _gain,
    "tuples/s": lambda it: _quantity(it, 1.0, "tuples/s"),
    "ms": lambda it: _quantity(it, 1000.0, "ms"),
    "cores": lambda it: _quantity(it, 1.0, "cores"),
}
"""Parts of a sentence that are left out where the value is empty, and lists."""

SENTENCES = _SentenceFormatter()


def counted(number: int, noun: str) -> str:
    """Return a number of things: `1 worker`, `2 workers`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
