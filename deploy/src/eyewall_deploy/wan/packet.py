"""Where things stand in a packet as a TUN device gives it: virtio header, IPv4, TCP."""

from __future__ import annotations

from typing import Final

from eyewall_deploy.wan import tun

ENDS: Final = slice(tun.HEADER + 12, tun.HEADER + 20)
"""Source and destination address of an IPv4 packet."""
SOURCE_PORT: Final = slice(tun.HEADER + 20, tun.HEADER + 22)
TARGET_PORT: Final = slice(tun.HEADER + 22, tun.HEADER + 24)

_FIRST: Final = tun.HEADER
_PROTOCOL: Final = tun.HEADER + 9
_WITHOUT_OPTIONS: Final = 0x45
_TCP: Final = 6


def is_tcp(packet: bytes) -> bool:
    """Whether the ports stand where `SOURCE_PORT` and `TARGET_PORT` say: no IPv4 options, TCP."""
    return (
        len(packet) >= TARGET_PORT.stop
        and packet[_FIRST] == _WITHOUT_OPTIONS
        and packet[_PROTOCOL] == _TCP
    )
