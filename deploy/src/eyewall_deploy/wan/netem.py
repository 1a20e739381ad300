"""The emulated network by the kernel's own means: veth pairs, a bridge, and netem per destination.

The bridge has a namespace of its own. On each host's interface an HTB qdisc sorts packets by
destination, and the netem below each of its classes holds them back.

    python -m eyewall_deploy.wan.netem --delay-file F [--ready-file R]

sets this up on the interfaces that `add_interfaces` made, and follows the file from then on.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys
import time
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyroute2 import IPRoute
from pyroute2.netlink import NLM_F_ACK, NLM_F_CREATE, NLM_F_REQUEST
from pyroute2.netlink.exceptions import NetlinkError
from pyroute2.netlink.rtnl import RTM_NEWQDISC
from pyroute2.netlink.rtnl.tcmsg import sched_netem, tcmsg

from eyewall_deploy.host.linux import NAMED, in_network_namespace
from eyewall_deploy.wan.addresses import NETWORK, addresses
from eyewall_deploy.wan.delay_file import DelayError
from eyewall_deploy.wan.delay_watch import DelayWatch
from eyewall_deploy.wan.file_watch import LOOK_EVERY
from eyewall_deploy.wan.namespaces import make_namespaces
from eyewall_deploy.wan.tun import INTERFACE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.wan.delay_file import DelayTable

SWITCH: Final = "switch"
"""Name of the namespace that holds the bridge."""
_BRIDGE: Final = "bridge0"
_IPV4: Final = 0x0800
_DESTINATION: Final = 16
"""Offset of the destination address in an IPv4 header."""
_ROOT: Final = 0x1_0000
_UNHINDERED: Final = "30gbit"
_FASTEST: Final = 2**32 - 1
"""Bytes/s; netem keeps packets in order only if it has a rate."""
_PACKETS: Final = 100_000

_log = logging.getLogger("netem")


def add_interfaces(address_of: Mapping[str, str]) -> None:
    """Join the namespaces by a bridge, without delay as yet."""
    make_namespaces([SWITCH])
    in_network_namespace(SWITCH, lambda: _make_switch(address_of))


def set_up(table: DelayTable) -> None:
    """Have each host's interface sort by destination, whatever an earlier process left there."""
    address_of = addresses(table.hosts)
    for place, name in enumerate(table.hosts):
        in_network_namespace(name, lambda i=place: sort_from(table, i, address_of))  # type: ignore[misc]


def apply(table: DelayTable) -> None:
    """Let each host's interface do what the table says from now on."""
    for place, name in enumerate(table.hosts):
        in_network_namespace(name, lambda i=place: delay_from(table, i))  # type: ignore[misc]


def netem_works() -> str | None:
    """Try netem and what it needs here; None, or why it does not work. In a namespace to spare."""
    try:
        with IPRoute() as routes:
            routes.link("add", ifname=_BRIDGE, kind="bridge")
            routes.link("add", ifname=INTERFACE, kind="veth", peer={"ifname": "port0"})
            (interface,) = routes.link_lookup(ifname=INTERFACE)
            _sort_by_destination(routes, interface)
            _add_destination(routes, interface, 1, NETWORK.network_address)
            _hold_back(routes, interface, 1, 0.01, 0.001, None)
    except NetlinkError as error:
        return f"the kernel has no netem, or not all it needs: {error.args[-1]}"
    return None


def _make_switch(address_of: Mapping[str, str]) -> None:
    with IPRoute() as routes:
        routes.link("add", ifname=_BRIDGE, kind="bridge")
        (bridge,) = routes.link_lookup(ifname=_BRIDGE)
        routes.link("set", index=bridge, state="up")
        for number, (name, address) in enumerate(address_of.items()):
            port = f"port{number}"
            with (NAMED / name).open() as namespace:
                peer = {"ifname": INTERFACE, "net_ns_fd": namespace.fileno()}
                routes.link("add", ifname=port, kind="veth", peer=peer)
            (index,) = routes.link_lookup(ifname=port)
            routes.link("set", index=index, master=bridge, state="up")
            in_network_namespace(name, lambda a=address: _set_up(a))  # type: ignore[misc]


def _set_up(address: str) -> None:
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=INTERFACE)
        routes.addr("add", index=index, address=address, prefixlen=NETWORK.prefixlen)
        routes.link("set", index=index, state="up")


def sort_from(
    table: DelayTable, source: int, address_of: Mapping[str, str], interface: str = INTERFACE
) -> None:
    """Have an interface of the host at place `source` sort its packets by destination."""
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=interface)
        with contextlib.suppress(NetlinkError):  # there is none yet
            routes.tc("del", index=index, root=True)
        _sort_by_destination(routes, index)
        for target, name in enumerate(table.hosts):
            if target != source:
                _add_destination(routes, index, target + 1, IPv4Address(address_of[name]))


def delay_from(table: DelayTable, source: int, interface: str = INTERFACE) -> None:
    """Let that interface hold back what is sorted as the table says."""
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=interface)
        for target in range(len(table.hosts)):
            if target != source:
                _hold_back(
                    routes,
                    index,
                    target + 1,
                    table.delay[source][target],
                    table.deviation[source][target],
                    table.bandwidth[source][target],
                )


def _sort_by_destination(routes: IPRoute, interface: int) -> None:
    routes.tc("add", "htb", index=interface, handle=_ROOT, default=0)


def _add_destination(routes: IPRoute, interface: int, number: int, address: IPv4Address) -> None:
    target = _class(number)
    routes.tc("add-class", "htb", index=interface, handle=target, parent=_ROOT, rate=_UNHINDERED)
    routes.tc(
        "add-filter",
        "u32",
        index=interface,
        parent=_ROOT,
        prio=1,
        protocol=_IPV4,
        target=target,
        keys=[f"{int(address):#x}/0xffffffff+{_DESTINATION}"],
    )


def _class(number: int) -> int:
    return _ROOT + 0x10 + number


def _hold_back(
    routes: IPRoute,
    interface: int,
    number: int,
    delay: float,
    deviation: float,
    bandwidth: float | None,
) -> None:
    """Add or change a destination's netem.

    Without a table of its own netem draws evenly from delay ± jitter; a jitter of √3 deviations
    has the standard deviation that is asked for.
    """
    settings: dict[str, int] = {
        "delay": round(delay * 1e6),
        "jitter": round(min(deviation * 3**0.5, delay) * 1e6),
        "limit": _PACKETS,
    }
    if bandwidth is not None or deviation:
        settings["rate"] = min(_FASTEST, round(bandwidth or _FASTEST))
    # not through IPRoute.tc(), which takes `rate` for the qdisc's estimator too
    message = tcmsg()
    message["index"] = interface
    message["handle"] = (0x10 + number) << 16
    message["parent"] = _class(number)
    message["attrs"] = [
        ("TCA_KIND", "netem"),
        ("TCA_OPTIONS", sched_netem.get_parameters(settings)),
    ]
    routes.status["nlm_generator"] = (
        False  # which nlm_request of pyroute2 0.9 reads but nobody sets
    )
    routes.nlm_request(message, RTM_NEWQDISC, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE)


def follow(delays: Path, ready: Path | None) -> None:
    """Serve the network until this process is ended."""
    if ready is not None:
        ready.unlink(missing_ok=True)
    watch = DelayWatch(delays)
    set_up(watch.table)
    apply(watch.table)
    _log.info("%d hosts", len(watch.table.hosts))
    if ready is not None:
        ready.touch()
    while True:
        time.sleep(LOOK_EVERY)
        if watch.look():
            apply(watch.table)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="netem", description=__doc__)
    parser.add_argument("--delay-file", type=Path, required=True)
    parser.add_argument("--ready-file", type=Path, help="made when the delays are in force")
    arguments = parser.parse_args()
    logging.basicConfig(format="netem: %(message)s", level=logging.INFO)
    try:
        follow(arguments.delay_file, arguments.ready_file)
    except (OSError, NetlinkError, DelayError) as error:
        _log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
