"""TUN devices: an interface in a network namespace whose packets a program reads and writes."""

from __future__ import annotations

import fcntl
import os
import struct
from typing import Final

from eyewall_deploy.host.linux import in_network_namespace

INTERFACE: Final = "wan0"
"""The way to the public network; the same name in each namespace."""
DEDICATED: Final = "ded0"
"""The way to dedicated links, where a host has any."""
HEADER: Final = 10
"""Bytes of the virtio header in front of each packet."""
LARGEST: Final = HEADER + 65_536

_TUNSETIFF: Final = 0x4004_54CA
_TUNSETPERSIST: Final = 0x4004_54CB
_TUNSETOFFLOAD: Final = 0x4004_54D0
_IFF_TUN: Final = 0x0001
_IFF_NO_PI: Final = 0x1000
_IFF_VNET_HDR: Final = 0x4000
_CHECKSUM_AND_TSO4: Final = 0x01 | 0x02


def make_persistent(namespace: str, interface: str = INTERFACE) -> None:
    """Make an interface in this namespace; it stays (as a link without carrier) until opened."""
    descriptor = in_network_namespace(namespace, lambda: _attached(interface))
    try:
        fcntl.ioctl(descriptor, _TUNSETPERSIST, 1)
    finally:
        os.close(descriptor)


def opened(namespace: str, interface: str = INTERFACE) -> int:
    """Attach to an interface of the namespace; the descriptor works from any namespace.

    Packets come and go with a virtio header, TCP in segments of up to 64 KB and without
    checksums: what one interface leaves out, the other does not ask for.
    """
    descriptor = in_network_namespace(namespace, lambda: _attached(interface))
    fcntl.ioctl(descriptor, _TUNSETOFFLOAD, _CHECKSUM_AND_TSO4)
    os.set_blocking(descriptor, False)
    return descriptor


def _attached(interface: str) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
    try:
        flags = _IFF_TUN | _IFF_NO_PI | _IFF_VNET_HDR
        fcntl.ioctl(descriptor, _TUNSETIFF, struct.pack("16sH22x", interface.encode(), flags))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
