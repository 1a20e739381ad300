"""A worker's log, read as it grows, for the whole names of the worker's threads.

Workers of one topology on one port write to one log, one after the other: what counts begins
where this worker says that it is launched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eyewall_monitor.agent.thread_names import Name, names_in

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES: Final = 4 * 1024 * 1024
"""Every executor writes a line as it starts; what comes much later holds no new thread."""
_AT_ONCE: Final = 512 * 1024


class WorkerLog:
    """Reads one log, a piece at a time."""

    def __init__(self, file: Path, worker_id: str) -> None:
        self._file = file
        self._mark = f" with id {worker_id} "
        self._marked = False
        self._from: int | None = None
        self._read = 0
        self._rest = b""
        self.names: dict[int, Name] = {}
        """By the JVM's number of the thread."""

    def read_on(self) -> None:
        """Read the next piece, unless enough has been read; a log that is not there is no fault."""
        if self._read >= MOST_BYTES:
            return
        try:
            with self._file.open("rb") as log:
                if self._from is None:
                    size = log.seek(0, 2)
                    self._from = 0 if size <= MOST_BYTES else size - MOST_BYTES // 2
                log.seek(self._from + self._read)
                data = log.read(_AT_ONCE)
        except OSError:
            return
        self._read += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-_AT_ONCE:]
        text = b"\n".join(lines).decode(errors="replace")
        if not self._marked:
            _, mark, text = text.partition(self._mark)
            self._marked = bool(mark)
        if self._marked:
            self.names |= {name.number: name for name in names_in(text)}
