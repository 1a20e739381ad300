"""Names and addresses in the emulated network."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONTROL: Final = "control"
"""Host name, and name of the namespace, of ZooKeeper, Redis, Nimbus and the other servers."""
OUTER: Final = "outer"
"""The network of this machine, for the forwarder."""
NETWORK: Final = IPv4Network("10.83.0.0/16")
CONTROL_ADDRESS: Final = "10.83.0.1"
_BEFORE_FIRST_HOST: Final = int(IPv4Address("10.83.1.0"))


def host_address(index: int) -> str:
    """Return the address of the host at this index (from 0) of the cluster file."""
    return str(IPv4Address(_BEFORE_FIRST_HOST + index + 1))


def addresses(hosts: Sequence[str]) -> dict[str, str]:
    """Return addresses by name: `control` first, then the hosts in their order."""
    return {CONTROL: CONTROL_ADDRESS} | {name: host_address(i) for i, name in enumerate(hosts)}


def hosts_file(address_of: Mapping[str, str], existing: str) -> str:
    """Return the text of an /etc/hosts with these names added to the existing ones.

    An existing line that gives one of these names another address is left out.
    """
    kept = [
        line
        for line in existing.splitlines()
        if address_of.keys().isdisjoint(line.partition("#")[0].split()[1:])
    ]
    ours = [f"{address}\t{name}" for name, address in address_of.items()]
    return "\n".join([*kept, "# the emulated network", *ours]) + "\n"
