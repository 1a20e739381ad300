"""TUN devices: interfaces whose packets a program reads and writes, and the layout of a packet."""

from __future__ import annotations

import fcntl
import os
import struct
from typing import Final

from eyewall_deploy.host.linux import in_network_namespace

INTERFACE: Final = "wan0"
"""The interface to the public network; the same name in each namespace."""
DEDICATED: Final = "ded0"
"""The interface to dedicated links, on hosts that have any."""

HEADER: Final = 10
"""Bytes of the virtio header before each packet."""
LARGEST: Final = HEADER + 65_536
ENDS: Final = slice(HEADER + 12, HEADER + 20)
"""Source and destination address of an IPv4 packet."""
SOURCE_PORT: Final = slice(HEADER + 20, HEADER + 22)
TARGET_PORT: Final = slice(HEADER + 22, HEADER + 24)
_PROTOCOL: Final = HEADER + 9
_IPV4_WITHOUT_OPTIONS: Final = 0x45
_TCP: Final = 6

_TUNSETIFF: Final = 0x4004_54CA
_TUNSETPERSIST: Final = 0x4004_54CB
_TUNSETOFFLOAD: Final = 0x4004_54D0
_IFF_TUN: Final = 0x0001
_IFF_NO_PI: Final = 0x1000
_IFF_VNET_HDR: Final = 0x4000
_CHECKSUM_AND_TSO4: Final = 0x01 | 0x02


def is_tcp(packet: bytes) -> bool:
    """Return whether `SOURCE_PORT` and `TARGET_PORT` are ports: TCP over IPv4 without options."""
    return (
        len(packet) >= TARGET_PORT.stop
        and packet[HEADER] == _IPV4_WITHOUT_OPTIONS
        and packet[_PROTOCOL] == _TCP
    )


def make_persistent(namespace: str, interface: str = INTERFACE) -> None:
    """Make an interface that stays (as a link without carrier) until a program opens it."""
    descriptor = in_network_namespace(namespace, lambda: _attach(interface))
    try:
        fcntl.ioctl(descriptor, _TUNSETPERSIST, 1)
    finally:
        os.close(descriptor)


def open_interface(namespace: str, interface: str = INTERFACE) -> int:
    """Attach to an interface of the namespace; the descriptor works from any namespace.

    Packets carry a virtio header, TCP comes in segments of up to 64 KB and without checksums: what
    one interface leaves out, the other does not ask for.
    """
    descriptor = in_network_namespace(namespace, lambda: _attach(interface))
    fcntl.ioctl(descriptor, _TUNSETOFFLOAD, _CHECKSUM_AND_TSO4)
    os.set_blocking(descriptor, False)
    return descriptor


def _attach(interface: str) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
    try:
        flags = _IFF_TUN | _IFF_NO_PI | _IFF_VNET_HDR
        fcntl.ioctl(descriptor, _TUNSETIFF, struct.pack("16sH22x", interface.encode(), flags))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
