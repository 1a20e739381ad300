"""Changes for open pages; a slow page delays no other."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from eyewall_monitor.dashboard.errors import Reason, RequestError
from eyewall_monitor.dashboard.view_cache import ViewChange

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

MOST_PAGES: Final = 1_000


class Events:
    """The open pages, and the changes that each has not received yet.

    A slow page receives several changes as one: what is queued for a page is at most the name of
    every view.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._queues: set[_Queue] = set()
        self._closed = False

    def begin(self) -> None:
        """Remember the event loop that serves pages."""
        self._loop = asyncio.get_running_loop()

    def publish(self, change: ViewChange) -> None:
        """Send a change to all pages; from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._deliver, change)

    def close(self) -> None:
        """End all streams; from the event loop."""
        self._closed = True
        for queue in self._queues:
            queue.ready.set()

    @property
    def pages(self) -> int:
        """The number of open pages."""
        return len(self._queues)

    def changes(self, everything: Callable[[], ViewChange]) -> AsyncIterator[ViewChange]:
        """Yield `everything`, and then each change."""
        if len(self._queues) >= MOST_PAGES:
            raise RequestError(Reason.AWAY, f"{MOST_PAGES} pages are open already")
        return self._changes(everything)

    async def _changes(self, everything: Callable[[], ViewChange]) -> AsyncIterator[ViewChange]:
        queue = _Queue()
        self._queues.add(queue)
        try:
            queue.put(everything())
            while not self._closed:
                await queue.ready.wait()
                if not self._closed:
                    yield queue.take()
        finally:
            self._queues.discard(queue)

    def _deliver(self, change: ViewChange) -> None:
        for queue in self._queues:
            queue.put(change)


class _Queue:
    """The changes that one page has not received, merged into one."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self._revision = 0
        self._changed: set[str] = set()

    def put(self, change: ViewChange) -> None:
        self._revision = change.revision
        self._changed.update(change.changed)
        self.ready.set()

    def take(self) -> ViewChange:
        changed, self._changed = self._changed, set()
        self.ready.clear()
        return ViewChange(revision=self._revision, changed=tuple(sorted(changed)))
