"""Figures, texts and progress as all commands print them."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

from eyewall_contracts.objective_terms import describe
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROGRESS_SECONDS = 0.5
"""Before a command that waits says so."""


def printable(text: str, style: str = "") -> Text:
    """Return text without control characters: no name or message may command the terminal."""
    return Text("".join(it if it.isprintable() else "\ufffd" for it in text), style=style)


def display_unit(name: str, unit: str = "") -> tuple[float, str]:
    """Return the factor of a metric's value, and the unit of the product; `objective` has none.

    `unit` is that of the values; empty: the term's own.
    """
    term = describe(name, unit)
    return (term.factor, term.display_unit) if term else (1.0, "")


def figure(name: str, value: float | None, unit: str = "") -> str:
    """Return a metric with its unit: `41 ms`; `unit` as in `display_unit`."""
    if value is None:
        return "unknown"
    factor, shown = display_unit(name, unit)
    return f"{value * factor:.4g} {shown}".rstrip()


def difference(name: str, value: float, unit: str = "") -> str:
    """Return by how much a metric differs: `+3 ms`."""
    factor, shown = display_unit(name, unit)
    scaled = value * factor
    sign = "±" if abs(scaled) < 5e-10 else "+" if scaled > 0 else "−"
    size = 0.0 if sign == "±" else abs(scaled)
    return f"{sign}{size:.3g} {shown}".rstrip()


def seconds(value: float) -> str:
    """Return a time: `12 ms`, `3.5 s`, `2 min`, `5 h`."""
    if value < 1:
        return f"{value * 1e3:.0f} ms"
    for longest, unit, length in ((120, "s", 1.0), (7200, "min", 60.0), (172_800, "h", 3600.0)):
        if value < longest:
            return f"{value / length:.3g} {unit}"
    return f"{value / 86_400:.3g} d"


def counted(number: int, noun: str) -> str:
    """Return a number of things: `1 host`, `2 hosts`.

    That of messages would load numpy with the model, which takes longer than most commands.
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@contextmanager
def show_progress(sentence: str) -> Iterator[Callable[[str], None]]:
    """Show a sentence on standard error if the block takes a while; yields what replaces it.

    A terminal gets one line that changes, anything else a line for each sentence.
    """
    console = Console(stderr=True)
    status = console.status(Text(sentence))
    lock, shown = Lock(), [""]
    latest = [sentence]

    def show() -> None:
        with lock:
            if console.is_terminal:
                status.update(Text(latest[0]))
                status.start()
            elif shown[0] != latest[0]:
                console.print(Text(latest[0]))
            shown[0] = latest[0]

    def replace(another: str) -> None:
        latest[0] = another
        if shown[0]:
            show()

    timer = Timer(PROGRESS_SECONDS, show)
    timer.daemon = True
    timer.start()
    try:
        yield replace
    finally:
        timer.cancel()
        with lock:
            status.stop()
