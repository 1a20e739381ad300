"""The namespaces of a cluster: a private room, and in it a network namespace for each host.

Mounts, process ids and network names of the room are invisible outside. When the first process of
the room ends, in whatever way, the kernel kills all others in it and removes the room's mounts,
among them the named network namespaces: nothing is left behind.

    child:       enter_room()
    its child:   mount_room(hosts_file)   # process 1 of the room
                 make_namespaces(…), add_interfaces(…)
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyroute2 import IPRoute

from eyewall_deploy.host import linux
from eyewall_deploy.wan import tun
from eyewall_deploy.wan.addresses import NETWORK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_LOOPBACK: Final = "lo"


def enter_room() -> None:
    """Give this process mounts of its own, and its next child a process tree of its own.

    Without root a user namespace comes first, in which this user is root. The caller must have one
    thread only, and forks next.
    """
    if os.geteuid() != 0:
        user, group = os.geteuid(), os.getegid()
        linux.unshare(linux.CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1", encoding="ascii")
    linux.unshare(linux.CLONE_NEWNS | linux.CLONE_NEWPID)
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)


def mount_room(hosts_file: Path | None = None) -> None:
    """Mount /proc, the folder of named network namespaces, and a file as /etc/hosts.

    For the first process of the room, before it starts others.
    """
    linux.mount("proc", "/proc", "proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)
    linux.NAMED.mkdir(parents=True, exist_ok=True)
    linux.mount("tmpfs", str(linux.NAMED), "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=755")
    if hosts_file is not None:
        linux.mount(str(hosts_file), "/etc/hosts", flags=linux.MS_BIND)


def make_namespaces(names: Iterable[str]) -> None:
    """Make a network namespace for each name; its only interface is the loopback, which is up."""
    for name in names:
        linux.in_thread(lambda name=name: _make_namespace(name))  # type: ignore[misc]
        linux.in_network_namespace(name, lambda: set_up(_LOOPBACK))


def add_interfaces(address_of: Mapping[str, str], leased: Collection[str] = ()) -> None:
    """Give each namespace the interface that the user-space router serves.

    `leased` hosts get a second one, to their dedicated links. It has no address: policy routing
    decides by which of the two a packet leaves (`policy_routing.py`), and its addresses stay.
    """
    for name, address in address_of.items():
        tun.make_persistent(name)
        linux.in_network_namespace(name, lambda a=address: set_up(tun.INTERFACE, a))  # type: ignore[misc]
        if name in leased:
            tun.make_persistent(name, tun.DEDICATED)
            linux.in_network_namespace(name, lambda: set_up(tun.DEDICATED))


def set_up(interface: str, address: str | None = None) -> None:
    """Set an interface of this thread's namespace up, with this address if there is one."""
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=interface)
        if address is not None:
            routes.addr("add", index=index, address=address, prefixlen=NETWORK.prefixlen)
        if interface != _LOOPBACK:
            routes.link("set", index=index, txqlen=10_000)
        routes.link("set", index=index, state="up")


def _make_namespace(name: str) -> None:
    linux.unshare(linux.CLONE_NEWNET)
    file = linux.NAMED / name
    file.touch(mode=0o444, exist_ok=False)
    linux.mount("/proc/thread-self/ns/net", str(file), flags=linux.MS_BIND)
