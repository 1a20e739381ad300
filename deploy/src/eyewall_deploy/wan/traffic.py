"""The traffic file: bytes that arrived from host to host, by target port and by kind of link.

The router writes it; a reader that wants a rate reads it twice. Only packets to a port below the
ephemeral ones count: a connection is known by its server's port, and its answers are left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Final

from eyewall_deploy import state_file
from eyewall_deploy.wan.tun import ENDS, HEADER, TARGET_PORT, is_tcp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eyewall_deploy.wan.link_kinds import LinkKind

WRITE_EVERY: Final = 1.0
"""Seconds from file to file."""

_EPHEMERAL: Final = 0x80
"""The first byte of 32768, from which on ports are a client's own."""


@dataclass(frozen=True, slots=True, order=True)
class _Row:
    source: str
    target: str
    port: int
    kind: LinkKind
    bytes: int
    lost: int


@dataclass(frozen=True, slots=True)
class _Traffic:
    as_of: float
    connections: list[_Row]
    version: int = 1


class TrafficCounter:
    """Bytes and losses since the router's start."""

    def __init__(self, address_of: Mapping[str, str]) -> None:
        self._host = {IPv4Address(it).packed: name for name, it in address_of.items()}
        self._bytes: Counter[tuple[bytes, LinkKind]] = Counter()
        self._lost: Counter[tuple[bytes, LinkKind]] = Counter()

    def count(self, packet: bytes, kind: LinkKind) -> None:
        """Count a packet that arrived."""
        if _counts(packet):
            self._bytes[packet[ENDS] + packet[TARGET_PORT], kind] += len(packet) - HEADER

    def count_loss(self, packet: bytes, kind: LinkKind) -> None:
        """Count a packet that found a queue full."""
        if _counts(packet):
            self._lost[packet[ENDS] + packet[TARGET_PORT], kind] += 1

    def write(self, path: Path, *, as_of: float) -> None:
        """Put the counters in place of the file; `as_of` in seconds since the epoch."""
        rows = [
            _Row(
                self._host[ends[:4]],
                self._host[ends[4:8]],
                int.from_bytes(ends[8:]),
                kind,
                self._bytes[ends, kind],
                self._lost[ends, kind],
            )
            for ends, kind in self._bytes.keys() | self._lost.keys()
        ]
        state_file.write(path, _Traffic(as_of, sorted(rows)))


def _counts(packet: bytes) -> bool:
    return is_tcp(packet) and packet[TARGET_PORT.start] < _EPHEMERAL
