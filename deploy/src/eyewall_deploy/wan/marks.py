"""Puts worker-to-worker connections on the kind of link that the mark file says.

By the kernel's policy routing in the hosts' namespaces: what the source sends to a marked port of
the target, and what the target answers from that port, leaves by the dedicated interface; all
else goes on over the public network. Addresses stay, so a connection that is open moves at once
and does not break.

    python -m eyewall_deploy.wan.marks --link-file L --mark-file M [--ready-file R]
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from eyewall_deploy.cluster_links import leased_hosts
from eyewall_deploy.host.linux import in_network_namespace
from eyewall_deploy.wan import link_file, mark_file, tun
from eyewall_deploy.wan.addresses import NETWORK, addresses
from eyewall_deploy.wan.file_watch import LOOK_EVERY, FileWatch
from eyewall_deploy.wan.state_file import StateFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eyewall_deploy.wan.mark_file import Mark

TABLE: Final = 83
"""Number of the routing table whose only way is the dedicated interface."""
PRIORITY: Final = 8300
"""Of our rules, and of no others: before the main table's."""

_TCP: Final = 6
_LINK: Final = 253
"""Scope of a route that needs no gateway."""
_OFF: Final = "0"

_log = logging.getLogger("marks")


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """What a host sends to this address leaves by the dedicated interface."""

    to: str
    port: int
    side: str
    """`dport` for a connection's own packets, `sport` for their answers."""


def rules_by_host(marks: Iterable[Mark], hosts: Iterable[str]) -> dict[str, frozenset[Rule]]:
    """The rules that put these marks in force, for each host in whose namespace they belong."""
    hosts = tuple(hosts)
    address_of = addresses(hosts)
    rules: dict[str, set[Rule]] = {host: set() for host in hosts}
    for mark in marks:
        rules[mark.source].add(Rule(address_of[mark.target], mark.port, "dport"))
        rules[mark.target].add(Rule(address_of[mark.source], mark.port, "sport"))
    return {host: frozenset(found) for host, found in rules.items()}


def prepare(address: str) -> None:
    """Give the namespace of this thread the table that marked packets are led by; twice is no harm.

    While a connection is being moved, a packet may come by the one interface and be answered by
    the other: reverse-path filtering is off. Its loose form is not enough, since it drops what
    comes by an interface without an address.
    """
    for interface in ("all", tun.INTERFACE, tun.DEDICATED):
        Path(f"/proc/sys/net/ipv4/conf/{interface}/rp_filter").write_text(_OFF, encoding="ascii")
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=tun.DEDICATED)
        routes.route(
            "replace", dst=str(NETWORK), oif=index, prefsrc=address, table=TABLE, scope=_LINK
        )


def enforce(wanted: frozenset[Rule]) -> int:
    """Have these rules and no other of ours in this thread's namespace; say how many changed.

    New rules come before old ones go: a connection whose route alone changes stays on its kind.
    """
    with IPRoute() as routes:
        there = set(_ours(routes))
        for rule in sorted(wanted - there):
            routes.rule("add", **_as_netlink(rule))
        for rule in sorted(there - wanted):
            routes.rule("del", **_as_netlink(rule))
    return len(wanted ^ there)


def rules_in_force() -> frozenset[Rule]:
    """Our rules in the namespace of this thread."""
    with IPRoute() as routes:
        return frozenset(_ours(routes))


def _as_netlink(rule: Rule) -> dict[str, Any]:
    return {
        "priority": PRIORITY,
        "table": TABLE,
        "dst": rule.to,
        "dst_len": 32,
        "ip_proto": _TCP,
        f"{rule.side}_range": f"{rule.port}:{rule.port}",
    }


def _ours(routes: IPRoute) -> Iterator[Rule]:
    for found in routes.get_rules(priority=PRIORITY):
        attributes = dict(found["attrs"])
        for side in ("dport", "sport"):
            ports = attributes.get(f"FRA_{side.upper()}_RANGE")
            if ports is not None:
                yield Rule(attributes["FRA_DST"], int(ports.split(":")[0]), side)


def follow(links: Path, marks: Path, ready: Path | None) -> None:
    """Keep the namespaces as the mark file says until this process is ended."""
    if ready is not None:
        ready.unlink(missing_ok=True)
    table = link_file.read(links)
    leased = leased_hosts(table.dedicated)
    address_of = addresses(table.hosts)
    for host in leased:
        in_network_namespace(host, lambda a=address_of[host]: prepare(a))  # type: ignore[misc]
    watch = FileWatch(marks, partial(mark_file.read, links=table.dedicated))
    _put_in_force(watch.content, table.hosts, leased)
    if ready is not None:
        ready.touch()
    while True:
        time.sleep(LOOK_EVERY)
        if watch.look():
            _put_in_force(watch.content, table.hosts, leased)


def _put_in_force(marks: Iterable[Mark], hosts: Iterable[str], leased: Iterable[str]) -> None:
    rules = rules_by_host(marks, hosts)
    changed = sum(
        in_network_namespace(host, lambda r=rules[host]: enforce(r))  # type: ignore[misc]
        for host in leased
    )
    _log.info("%d rules changed, %d in force", changed, sum(map(len, rules.values())))


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="marks", description=__doc__)
    parser.add_argument("--link-file", type=Path, required=True)
    parser.add_argument("--mark-file", type=Path, required=True)
    parser.add_argument("--ready-file", type=Path, help="made when the marks are in force")
    arguments = parser.parse_args()
    logging.basicConfig(format="marks: %(message)s", level=logging.INFO)
    try:
        follow(arguments.link_file, arguments.mark_file, arguments.ready_file)
    except (OSError, NetlinkError, StateFileError) as error:
        _log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
