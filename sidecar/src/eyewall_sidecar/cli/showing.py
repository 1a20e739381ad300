"""Figures and texts as all of the desk's pages show them."""

from __future__ import annotations

from rich.text import Text

FACTORS = {"R": (1e3, "ms"), "A": (1e2, "%"), "T": (1.0, "tuples/s"), "N": (1.0, "tuples")}
"""Metric → what its value is multiplied by, and the unit it has then."""
UNITS = {**FACTORS, "EE": (1.0, "tuples·s")}


def printable(text: str, style: str = "") -> Text:
    """Return text for a terminal, which nothing that was sent shall command."""
    return Text("".join(it if it.isprintable() else "\ufffd" for it in text), style=style)


def figure(name: str, value: float | None) -> str:
    """Word a metric: `41 ms`."""
    if value is None:
        return "unknown"
    factor, unit = UNITS.get(name, (1.0, ""))
    return f"{value * factor:.4g} {unit}".rstrip()


def difference(name: str, value: float) -> str:
    """Word by how much a metric differs: `+3 ms`."""
    factor, unit = UNITS.get(name, (1.0, ""))
    scaled = value * factor
    sign = "±" if abs(scaled) < 5e-10 else "+" if scaled > 0 else "−"
    size = 0.0 if sign == "±" else abs(scaled)
    return f"{sign}{size:.3g} {unit}".rstrip()


def seconds(value: float) -> str:
    """Word a time: `12 ms`, `3.5 s`, `2 min`, `5 h`."""
    if value < 1:
        return f"{value * 1e3:.0f} ms"
    for longest, unit, length in ((120, "s", 1.0), (7200, "min", 60.0), (172_800, "h", 3600.0)):
        if value < longest:
            return f"{value / length:.3g} {unit}"
    return f"{value / 86_400:.3g} d"


def counted(number: int, noun: str) -> str:
    """Word a number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
