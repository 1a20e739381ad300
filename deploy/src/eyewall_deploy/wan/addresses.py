"""Addresses inside the emulated network; a host's follows from its place in the cluster file."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTROL: Final = "control"
"""Name of the namespace (and host name) where Nimbus, ZooKeeper and their like run."""
NETWORK: Final = IPv4Network("10.83.0.0/16")
CONTROL_ADDRESS: Final = "10.83.0.1"
_BEFORE_FIRST_HOST: Final = int(IPv4Address("10.83.1.0"))


def host_address(index: int) -> str:
    """Address of the host at this place (from 0) of the cluster file or delay file."""
    return str(IPv4Address(_BEFORE_FIRST_HOST + index + 1))


def addresses(hosts: Sequence[str]) -> dict[str, str]:
    """Address by name: `control` first, then the hosts in their order."""
    return {CONTROL: CONTROL_ADDRESS} | {name: host_address(i) for i, name in enumerate(hosts)}
