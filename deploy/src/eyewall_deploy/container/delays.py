"""The delays of a host's container: netem on its own interface, by the cluster file.

A change of the file is in force a second later. Containers have the addresses of the emulated
cluster (`wan/addresses.py`), so that nothing has to be looked up.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from pyroute2.netlink.exceptions import NetlinkError

from eyewall_deploy import cluster_file
from eyewall_deploy.wan import netem
from eyewall_deploy.wan.addresses import addresses
from eyewall_deploy.wan.delay_file import delay_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyewall_deploy.cluster_file import Cluster

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at the cluster file."""


def follow(path: Path, host: str, interface: str, say: Callable[[str], None]) -> None:
    """Hold packets back as the cluster file says, until the process is ended.

    Returns where the kernel cannot do it, having said why. ClusterFileError or KeyError if the file
    cannot be used at the start; later a file that cannot be used leaves the delays as they are.
    """
    cluster = cluster_file.load(path)
    cluster.host(host)
    seen = path.stat().st_mtime_ns
    while True:
        try:
            apply(cluster, host, interface)
        except NetlinkError as error:
            say(
                f"no delays between hosts: the kernel refused netem on {interface} "
                f"({error.args[-1]}); it needs the module sch_netem (and sch_htb, cls_u32) on the "
                "machine that runs the containers, and the container NET_ADMIN"
            )
            return
        say(f"delays from {host} as in {path}")
        while (now := path.stat().st_mtime_ns) == seen:
            time.sleep(LOOK_EVERY)
        seen = now
        try:
            changed = cluster_file.load(path)
            changed.host(host)
            cluster = changed
        except (cluster_file.ClusterFileError, KeyError) as error:
            say(f"{error.args[0]}; the delays stay as they were")


def apply(cluster: Cluster, host: str, interface: str) -> None:
    """Put a cluster's delays in force on the interface; NetlinkError if the kernel refuses."""
    table = delay_table(cluster, as_of=0.0)
    source = table.hosts.index(host)
    netem.sort_from(table, source, addresses(table.hosts), interface)
    netem.delay_from(table, source, interface)
