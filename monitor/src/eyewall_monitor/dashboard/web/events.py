"""Changes, told to every page that is open; none waits for another, and none is waited for."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.views.change import Change

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

MOST_PAGES: Final = 1_000


class TooManyPagesError(RuntimeError):
    """No further page can be told of changes."""


class Events:
    """Who listens, and what each was not told yet.

    Whoever is slow gets several changes as one: what is kept for a page is at most a name for each
    thing that there is.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._boxes: set[_Box] = set()
        self._closed = False

    def begin(self) -> None:
        """Remember the loop that pages are served in."""
        self._loop = asyncio.get_running_loop()

    def publish(self, change: Change) -> None:
        """Tell all pages; from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._deliver, change)

    def close(self) -> None:
        """End all streams; in the loop."""
        self._closed = True
        for box in self._boxes:
            box.ready.set()

    @property
    def pages(self) -> int:
        """How many listen."""
        return len(self._boxes)

    def changes(self, everything: Callable[[], Change]) -> AsyncIterator[Change]:
        """Yield all that there is, at once, and from then on what changes.

        TooManyPagesError if there are.
        """
        if len(self._boxes) >= MOST_PAGES:
            raise TooManyPagesError(f"{MOST_PAGES} pages are told of changes already")
        return self._changes(everything)

    async def _changes(self, everything: Callable[[], Change]) -> AsyncIterator[Change]:
        box = _Box()
        self._boxes.add(box)
        try:
            box.put(everything())
            while not self._closed:
                await box.ready.wait()
                if not self._closed:
                    yield box.take()
        finally:
            self._boxes.discard(box)

    def _deliver(self, change: Change) -> None:
        for box in self._boxes:
            box.put(change)


class _Box:
    """What one page was not told yet."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self._revision = 0
        self._changed: set[str] = set()

    def put(self, change: Change) -> None:
        """Add a change."""
        self._revision = change.revision
        self._changed.update(change.changed)
        self.ready.set()

    def take(self) -> Change:
        """Take all of it."""
        changed, self._changed = self._changed, set()
        self.ready.clear()
        return Change(revision=self._revision, changed=tuple(sorted(changed)))
