"""Bytes from a connection, cut into lines of bounded length."""

from __future__ import annotations

from typing import Final

LONGEST_LINE: Final = 4096
"""Storm's own are below 300 bytes, unless users choose very long names."""


class Lines:
    """Cuts what one connection sends; never holds more than one line."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._begun = b""
        self._skipping = False
        self.too_long = 0
        """Lines that were dropped for their length."""

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
