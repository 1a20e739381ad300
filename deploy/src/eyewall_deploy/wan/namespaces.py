"""Network namespaces with names, one for each host and one for the cluster's control programs.

To be called inside a private room (`private.py`), which takes them away when it ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyroute2 import IPRoute

from eyewall_deploy.host import linux
from eyewall_deploy.wan import tun
from eyewall_deploy.wan.addresses import CONTROL, NETWORK, addresses
from eyewall_deploy.wan.private import enter_private_namespaces, set_up_private_mounts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

HOW_TO_ALLOW: Final = (
    "run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
    "kernel.apparmor_restrict_unprivileged_userns=0); in a container: --privileged, "
    "or CAP_SYS_ADMIN and CAP_NET_ADMIN with /dev/net/tun"
)
_LOOPBACK: Final = "lo"


@dataclass(frozen=True, slots=True)
class Allowed:
    """Namespaces, mounts and TUN devices were just made, in a process that has ended again."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What the kernel or its settings did not let happen, and how to allow it."""

    reason: str
    how_to_allow: str = HOW_TO_ALLOW


def can_make_namespaces() -> Allowed | Refused:
    """Try it, in a process of its own that leaves nothing behind."""
    trial = subprocess.run(
        [sys.executable, "-m", "eyewall_deploy.wan.namespaces"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if trial.returncode == 0:
        return Allowed()
    lines = (trial.stdout + trial.stderr).strip().splitlines()
    return Refused(lines[-1] if lines else f"the trial ended with {trial.returncode}")


def make_namespaces(names: Sequence[str]) -> None:
    """Make a namespace for each name, its loopback up, and nothing else in it."""
    for name in names:
        linux.in_thread(lambda name=name: _make_named(name))  # type: ignore[misc]
        linux.in_network_namespace(name, lambda: _set_up(_LOOPBACK))


def add_interfaces(address_of: Mapping[str, str], leased: Collection[str] = ()) -> None:
    """Give each namespace the interface that the user-space router serves.

    Those of `leased` hosts get a second one, to their dedicated links, which has no address: by
    which of the two a packet leaves is for marks to say (`marks.py`), and its addresses stay.
    """
    for name, address in address_of.items():
        tun.make_persistent(name)
        linux.in_network_namespace(name, lambda a=address: _set_up(tun.INTERFACE, a))  # type: ignore[misc]
        if name in leased:
            tun.make_persistent(name, tun.DEDICATED)
            linux.in_network_namespace(name, lambda: _set_up(tun.DEDICATED))


def _make_named(name: str) -> None:
    linux.unshare(linux.CLONE_NEWNET)
    file = linux.NAMED / name
    file.touch(mode=0o444, exist_ok=False)
    linux.mount("/proc/thread-self/ns/net", str(file), flags=linux.MS_BIND)


def _set_up(interface: str, address: str | None = None) -> None:
    with IPRoute() as routes:
        (index,) = routes.link_lookup(ifname=interface)
        if address is not None:
            routes.addr("add", index=index, address=address, prefixlen=NETWORK.prefixlen)
        if interface != _LOOPBACK:
            routes.link("set", index=index, txqlen=10_000)
        routes.link("set", index=index, state="up")


def _trial() -> int:
    """Do once what a cluster needs; the answer is the exit code and one line."""
    try:
        enter_private_namespaces()
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        set_up_private_mounts()
        only_control = {CONTROL: addresses([])[CONTROL]}
        make_namespaces([CONTROL])
        add_interfaces(only_control)
    except OSError as error:
        print(f"{error.filename or ''}: {error.strerror}".lstrip(": "), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_trial())
