"""Ports of this machine that no other test and no connection takes.

A port that is bound, closed and bound again later may be gone by then: the kernel gives ports for
connections and for port 0 to any process, and other test processes look for free ports too. These
lie below the kernel's range, and each is reserved for this process until it ends.
"""

from __future__ import annotations

import socket
from pathlib import Path
from random import SystemRandom

_FIRST, _LAST = 10_000, 32_767
_reservations: list[socket.socket] = []


def free_port() -> int:
    return free_ports(1)[0]


def free_ports(count: int) -> range:
    """So many ports in a row."""
    starts = range(_FIRST, _end(), count)
    at = SystemRandom().randrange(len(starts))
    for first in (*starts[at:], *starts[:at]):
        ports = range(first, first + count)
        if all(map(_reserve, ports)):
            return ports
    raise AssertionError(f"no {count} free ports in a row")


def _end() -> int:
    """First port of the kernel's own range, where that leaves enough."""
    kernels = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    return kernels if kernels > _FIRST + 1_000 else _LAST


def _reserve(port: int) -> bool:
    reservation = socket.socket(socket.AF_UNIX)
    try:
        # An abstract name: the kernel frees it with the process, however that ends.
        reservation.bind(f"\0eyewall-test-port-{port}")
        with socket.socket() as trial:
            trial.bind(("0.0.0.0", port))
    except OSError:
        reservation.close()
        return False
    _reservations.append(reservation)
    return True
