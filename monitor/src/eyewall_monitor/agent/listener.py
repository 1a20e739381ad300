"""Receives what this host's workers send: TCP on loopback, without threads."""

from __future__ import annotations

import selectors
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from eyewall_monitor.addresses import ListenError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable

MOST_CONNECTIONS: Final = 256
"""Storm's workers open one for each counter report and close it at once."""
LONGEST_LINE: Final = 4096
"""Storm's own are below 300 bytes, unless users choose very long names."""
_AT_ONCE: Final = 64 * 1024


class LineBuffer:
    """Cuts what one connection sends into lines of bounded length; holds at most one line."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._begun = b""
        self._skipping = False
        self.too_long = 0
        """LineBuffer that were dropped for their length."""

    def cut(self, data: bytes) -> list[bytes]:
        """Return the lines that this ends."""
        *ended, begun = data.split(b"\n")
        lines = []
        for piece in ended:
            if self._add(piece):
                lines.append(self._begun.removesuffix(b"\r"))
            self._begun = b""
            self._skipping = False
        self._add(begun)
        return lines

    @property
    def torn(self) -> bool:
        """Whether the connection ended within a line."""
        return self._skipping or self._begun != b""

    def _add(self, piece: bytes) -> bool:
        """Lengthen the line; False if it has become too long."""
        if not self._skipping and len(self._begun) + len(piece) > self._longest:
            self.too_long += 1
            self._skipping = True
        self._begun = b"" if self._skipping else self._begun + piece
        return not self._skipping


@dataclass(slots=True)
class _Connection:
    socket: socket.socket
    last: float
    lines: LineBuffer = field(default_factory=LineBuffer)


class Listener:
    """Listens, and hands over lines as they end.

    Parameters
    ----------
    take
        Gets the lines that came together.
    counters
        Of what was dropped for its form.
    steady
        A clock that never jumps.
    """

    def __init__(
        self,
        host: str,
        port: int,
        take: Callable[[Iterable[bytes]], None],
        counters: Counter[str],
        steady: Callable[[], float],
    ) -> None:
        self._take = take
        self._counters = counters
        self._steady = steady
        self._selector = selectors.DefaultSelector()
        self._connections: dict[int, _Connection] = {}
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._server = socket.create_server((host, port), family=family, backlog=128)
        except OSError as error:
            self._selector.close()
            raise ListenError(f"{host}:{port}: {error.strerror or error}") from None
        self._server.settimeout(0)
        self.port: int = self._server.getsockname()[1]
        self._selector.register(self._server, selectors.EVENT_READ)

    def wake_on(self, other: socket.socket) -> None:
        """Return from `poll` when this one can be read, too."""
        self._selector.register(other, selectors.EVENT_READ)

    def poll(self, seconds: float) -> None:
        """Take what comes; return after `seconds` at the latest, and after each piece."""
        for key, _ in self._selector.select(max(0.0, seconds)):
            if key.fileobj is self._server:
                self._accept()
            elif key.fd in self._connections:
                self._receive(self._connections[key.fd])

    def close(self) -> None:
        """Listen no more."""
        for connection in list(self._connections.values()):
            self._drop(connection)
        self._server.close()
        self._selector.close()

    def _accept(self) -> None:
        try:
            made, _ = self._server.accept()
        except OSError:
            return  # gone before it was taken, or no descriptor left
        made.settimeout(0)
        if len(self._connections) >= MOST_CONNECTIONS:
            self._drop(min(self._connections.values(), key=lambda c: c.last))
            self._counters["dropped: connections"] += 1
        self._connections[made.fileno()] = _Connection(made, self._steady())
        self._selector.register(made, selectors.EVENT_READ)

    def _receive(self, connection: _Connection) -> None:
        try:
            data = connection.socket.recv(_AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        connection.last = self._steady()
        lines = connection.lines
        if not data:
            self._drop(connection)
            return
        too_long = lines.too_long
        cut = lines.cut(data)
        self._counters["rejected: too long"] += lines.too_long - too_long
        self._take(cut)

    def _drop(self, connection: _Connection) -> None:
        if connection.lines.torn:
            self._counters["rejected: torn"] += 1
        self._connections.pop(connection.socket.fileno(), None)
        self._selector.unregister(connection.socket)
        connection.socket.close()
