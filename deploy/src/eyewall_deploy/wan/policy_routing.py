"""Puts worker-to-worker connections on the kind of link that the mark file says.

It sets the kernel's policy routing in the hosts' namespaces: what the source sends to a marked
port of the target, and what the target answers from that port, leaves by the dedicated interface;
all else goes on over the public network. Addresses stay, so an open connection moves at once and
does not break.

    python -m eyewall_deploy.wan.policy_routing --link-file L --mark-file M [--ready-file R]
"""

from __future__ import annotations

import logging
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from eyewall_deploy.host.linux import in_network_namespace
from eyewall_deploy.service import make_parser, run_service
from eyewall_deploy.state_file import LOOK_EVERY, FileWatch
from eyewall_deploy.wan import link_file, tun
from eyewall_deploy.wan.addresses import NETWORK, addresses

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from eyewall_deploy.wan.link_file import Mark

_TABLE: Final = 83
"""Number of the routing table whose only route is the dedicated interface."""
_PRIORITY: Final = 8300
"""Of our rules, and of no others: before the main table's."""
_TCP: Final = 6
_LINK: Final = 253
"""Scope of a route that needs no gateway."""
_OFF: Final = "0"

_log = logging.getLogger("marks")


@dataclass(frozen=True, slots=True, order=True)
class RoutingRule:
    """What a host sends to this address leaves by the dedicated interface.

    Parameters
    ----------
    side
        `dport` for a connection's own packets, `sport` for their answers.
    """

    to: str
    port: int
    side: str


def rules_by_host(marks: Iterable[Mark], hosts: Iterable[str]) -> dict[str, frozenset[RoutingRule]]:
    """Return the rules that put these marks into force, for each host's namespace."""
    hosts = tuple(hosts)
    address_of = addresses(hosts)
    rules: dict[str, set[RoutingRule]] = {host: set() for host in hosts}
    for mark in marks:
        rules[mark.source].add(RoutingRule(address_of[mark.target], mark.port, "dport"))
        rules[mark.target].add(RoutingRule(address_of[mark.source], mark.port, "sport"))
    return {host: frozenset(own) for host, own in rules.items()}


def read_rules() -> frozenset[RoutingRule]:
    """Return our rules in the namespace of this thread."""
    with IPRoute() as routes:
        return _rules(routes)


def _prepare(address: str) -> None:
    """Make the routing table of marked packets in this thread's namespace; may be repeated.

    While a connection moves, a packet may come by one interface and be answered by the other, so
    reverse-path filtering is off. Its loose form is not enough: it drops what comes by an
    interface without an address.
    """
    for interface in ("all", tun.INTERFACE, tun.DEDICATED):
        Path(f"/proc/sys/net/ipv4/conf/{interface}/rp_filter").write_text(_OFF, encoding="ascii")
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=tun.DEDICATED)
        routes.route(
            "replace", dst=str(NETWORK), oif=index, prefsrc=address, table=_TABLE, scope=_LINK
        )


def _enforce(wanted: frozenset[RoutingRule]) -> int:
    """Install exactly these rules of Eyewall in this thread's namespace; return how many changed.

    New rules come before old ones go: a connection of which only the route changes stays on its
    kind of link.
    """
    with IPRoute() as routes:
        present = _rules(routes)
        for rule in sorted(wanted - present):
            routes.rule("add", **_as_netlink(rule))
        for rule in sorted(present - wanted):
            routes.rule("del", **_as_netlink(rule))
    return len(wanted ^ present)


def _as_netlink(rule: RoutingRule) -> dict[str, Any]:
    return {
        "priority": _PRIORITY,
        "table": _TABLE,
        "dst": rule.to,
        "dst_len": 32,
        "ip_proto": _TCP,
        f"{rule.side}_range": f"{rule.port}:{rule.port}",
    }


def _rules(routes: IPRoute) -> frozenset[RoutingRule]:
    rules = set()
    for message in routes.get_rules(priority=_PRIORITY):
        attributes = dict(message["attrs"])
        for side in ("dport", "sport"):
            ports = attributes.get(f"FRA_{side.upper()}_RANGE")
            if ports is not None:
                rules.add(RoutingRule(attributes["FRA_DST"], int(ports.split(":")[0]), side))
    return frozenset(rules)


def follow(options: Namespace, ready: Callable[[], None]) -> None:
    """Keep the namespaces as the mark file says until this process is ended."""
    table = link_file.read(options.link_file)
    leased = link_file.leased_hosts(table.dedicated)
    address_of = addresses(table.hosts)
    for host in leased:
        in_network_namespace(host, partial(_prepare, address_of[host]))

    def enforce_all(marks: Iterable[Mark]) -> None:
        rules = rules_by_host(marks, table.hosts)
        changed = sum(in_network_namespace(host, partial(_enforce, rules[host])) for host in leased)
        _log.info("%d rules changed, %d in force", changed, sum(map(len, rules.values())))

    read = partial(link_file.read_marks, links=table.dedicated)
    watch = FileWatch(options.mark_file, read, enforce_all)
    ready()
    while True:
        time.sleep(LOOK_EVERY)
        watch.look()


def main() -> int:
    """Run the program from the command line."""
    parser = make_parser("marks", __doc__)
    parser.add_argument("--link-file", type=Path, required=True)
    parser.add_argument("--mark-file", type=Path, required=True)
    return run_service(parser, follow, NetlinkError)


if __name__ == "__main__":
    sys.exit(main())
