"""The traffic file: bytes that arrived from host to host, by the port they went to and by kind.

The router counts; whoever wants a rate reads the file twice. Only what goes to a port below the
ephemeral ones is counted: a connection by its server's port, and not its answers.
"""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Final

from eyewall_deploy.wan import state_file
from eyewall_deploy.wan.packet import ENDS, TARGET_PORT, is_tcp
from eyewall_deploy.wan.tun import HEADER

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eyewall_deploy.wan.link_kind import LinkKind

VERSION: Final = 1
WRITE_EVERY: Final = 1.0
"""Seconds from file to file."""

_EPHEMERAL: Final = 0x80
"""The first byte of 32768, from which on ports are a client's own."""


class Traffic:
    """Counters since the router began."""

    def __init__(self, address_of: Mapping[str, str]) -> None:
        self._host = {IPv4Address(it).packed: name for name, it in address_of.items()}
        self._arrived: Counter[tuple[bytes, LinkKind]] = Counter()
        self._lost: Counter[tuple[bytes, LinkKind]] = Counter()

    def arrived(self, packet: bytes, kind: LinkKind) -> None:
        """Count a packet that came out at its target."""
        if _counts(packet):
            self._arrived[packet[ENDS] + packet[TARGET_PORT], kind] += len(packet) - HEADER

    def lost(self, packet: bytes, kind: LinkKind) -> None:
        """Count a packet that found a queue full."""
        if _counts(packet):
            self._lost[packet[ENDS] + packet[TARGET_PORT], kind] += 1

    def write(self, path: Path, *, as_of: float) -> None:
        """Put the counters in place of the file; `as_of` in seconds since the epoch."""
        rows = []
        for key, kind in self._arrived.keys() | self._lost.keys():
            rows.append(
                {
                    "source": self._host[key[:4]],
                    "target": self._host[key[4:8]],
                    "port": int.from_bytes(key[8:]),
                    "kind": str(kind),
                    "bytes": self._arrived[key, kind],
                    "lost": self._lost[key, kind],
                }
            )
        rows.sort(key=lambda row: tuple(str(it) for it in row.values()))
        state_file.put(path, {"version": VERSION, "as_of": as_of, "connections": rows})


def _counts(packet: bytes) -> bool:
    return is_tcp(packet) and packet[TARGET_PORT.start] < _EPHEMERAL
