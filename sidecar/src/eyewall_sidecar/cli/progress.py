"""A sign that something is going on, for whoever waits."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 0.5
"""Seconds before anything is shown."""


@contextmanager
def waiting(sentence: str) -> Iterator[Callable[[str], None]]:
    """Show a sentence on standard error once it takes longer; yields what shows another one.

    A terminal gets one line that changes, anything else a line for each sentence.
    """
    from rich.console import Console
    from rich.text import Text

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

    def say(another: str) -> None:
        latest[0] = another
        if shown[0]:
            show()

    timer = Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield say
    finally:
        timer.cancel()
        with lock:
            status.stop()
