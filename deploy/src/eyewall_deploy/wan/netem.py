"""The emulated network by the kernel's own means: veth pairs, a bridge, and netem per destination.

The bridge has a namespace of its own. On each host's interface an HTB qdisc sorts packets by
destination, and the netem below each of its classes delays them.

    python -m eyewall_deploy.wan.netem --delay-file F [--ready-file R]

sets this up on the interfaces that `add_interfaces` made, and follows the file from then on.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from functools import partial
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyroute2 import IPRoute
from pyroute2.netlink import NLM_F_ACK, NLM_F_CREATE, NLM_F_REQUEST
from pyroute2.netlink.exceptions import NetlinkError
from pyroute2.netlink.rtnl import RTM_NEWQDISC
from pyroute2.netlink.rtnl.tcmsg import sched_netem, tcmsg

from eyewall_deploy.host.linux import NAMED, in_network_namespace
from eyewall_deploy.service import make_parser, run_service
from eyewall_deploy.state_file import LOOK_EVERY, FileWatch
from eyewall_deploy.wan import delay_file
from eyewall_deploy.wan.addresses import addresses
from eyewall_deploy.wan.namespaces import make_namespaces, set_up
from eyewall_deploy.wan.tun import INTERFACE

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping

    from eyewall_deploy.wan.delay_file import EmulatedDelays

SWITCH: Final = "switch"
"""Name of the namespace that holds the bridge."""
_BRIDGE: Final = "bridge0"
_IPV4: Final = 0x0800
_DESTINATION: Final = 16
"""Offset of the destination address in an IPv4 header."""
_ROOT: Final = 0x1_0000
_FIRST_CLASS: Final = 0x11
_UNHINDERED: Final = "30gbit"
_FASTEST: Final = 2**32 - 1
"""Bytes/s; netem keeps packets in order only if it has a rate."""
_PACKETS: Final = 100_000

_log = logging.getLogger("netem")


def add_interfaces(address_of: Mapping[str, str]) -> None:
    """Join the namespaces by a bridge, without delays."""
    make_namespaces([SWITCH])
    in_network_namespace(SWITCH, lambda: _make_switch(address_of))


def find_obstacle() -> str | None:
    """Try netem in this network namespace, which is not used any more; say why it does not work."""
    try:
        with IPRoute() as routes:
            routes.link("add", ifname=_BRIDGE, kind="bridge")
            routes.link("add", ifname=INTERFACE, kind="veth", peer={"ifname": "port0"})
        table = delay_file.EmulatedDelays(
            ("a", "b"), ((0.0, 0.01),) * 2, ((0.0, 0.001),) * 2, ((None, None),) * 2, "", 0.0
        )
        sort_packets(table, "a")
        delay_packets(table, "a")
    except NetlinkError as error:
        return f"the kernel has no netem, or not all it needs: {error.args[-1]}"
    return None


def sort_packets(table: EmulatedDelays, source: str, interface: str = INTERFACE) -> None:
    """Sort the packets of a host's interface by destination, whatever an earlier process set up."""
    address_of = addresses(table.hosts)
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=interface)
        with contextlib.suppress(NetlinkError):  # there is none yet
            routes.tc("del", index=index, root=True)
        routes.tc("add", "htb", index=index, handle=_ROOT, default=0)
        for number, target in enumerate(table.hosts):
            if target == source:
                continue
            handle = _ROOT + _FIRST_CLASS + number
            address = int(IPv4Address(address_of[target]))
            routes.tc(
                "add-class", "htb", index=index, handle=handle, parent=_ROOT, rate=_UNHINDERED
            )
            routes.tc(
                "add-filter",
                "u32",
                index=index,
                parent=_ROOT,
                prio=1,
                protocol=_IPV4,
                target=handle,
                keys=[f"{address:#x}/0xffffffff+{_DESTINATION}"],
            )


def delay_packets(table: EmulatedDelays, source: str, interface: str = INTERFACE) -> None:
    """Delay the sorted packets of a host's interface as the table says."""
    row = table.hosts.index(source)
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=interface)
        for number, target in enumerate(table.hosts):
            if target != source:
                _set_netem(
                    routes,
                    index,
                    _FIRST_CLASS + number,
                    table.delay[row][number],
                    table.deviation[row][number],
                    table.bandwidth[row][number],
                )


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
            in_network_namespace(name, lambda a=address: set_up(INTERFACE, a))  # type: ignore[misc]


def _set_netem(
    routes: IPRoute,
    interface: int,
    number: int,
    delay: float,
    deviation: float,
    bandwidth: float | None,
) -> None:
    """Add or change the netem of a class.

    Without a table of its own netem draws evenly from delay ± jitter; a jitter of √3 deviations
    has the standard deviation that is wanted.
    """
    settings: dict[str, int] = {
        "delay": round(delay * 1e6),
        "jitter": round(min(deviation * 3**0.5, delay) * 1e6),
        "limit": _PACKETS,
    }
    if bandwidth is not None or deviation:
        settings["rate"] = min(_FASTEST, round(bandwidth or _FASTEST))
    # Not through IPRoute.tc(), which takes `rate` for the qdisc's estimator too.
    message = tcmsg()
    message["index"] = interface
    message["handle"] = number << 16
    message["parent"] = _ROOT + number
    message["attrs"] = [
        ("TCA_KIND", "netem"),
        ("TCA_OPTIONS", sched_netem.get_parameters(settings)),
    ]
    # nlm_request of pyroute2 0.9 reads this key, which nothing sets.
    routes.status["nlm_generator"] = False
    routes.nlm_request(message, RTM_NEWQDISC, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE)


def follow(options: Namespace, ready: Callable[[], None]) -> None:
    """Serve the network until this process is ended."""
    table = delay_file.read(options.delay_file)
    for host in table.hosts:
        in_network_namespace(host, partial(sort_packets, table, host))

    def delay_all(table: EmulatedDelays) -> None:
        for host in table.hosts:
            in_network_namespace(host, partial(delay_packets, table, host))

    read = partial(delay_file.read, hosts=table.hosts)
    watch = FileWatch(options.delay_file, read, delay_all)
    _log.info("%d hosts", len(table.hosts))
    ready()
    while True:
        time.sleep(LOOK_EVERY)
        watch.look()


def main() -> int:
    """Run netem's program from the command line."""
    parser = make_parser("netem", __doc__)
    parser.add_argument("--delay-file", type=Path, required=True)
    return run_service(parser, follow, NetlinkError)


if __name__ == "__main__":
    sys.exit(main())
