"""The user-space router: carries packets between the namespaces as the delay file says.

It opens one TUN device in each namespace. A change of the delay file takes effect a fifth of a
second later at most. Between control and hosts there is no delay. With a link file there are two
kinds of links, each with its interface in a namespace: the interface by which a packet leaves
its host says its kind.

    python -m eyewall_deploy.wan.router --delay-file F [--ready-file R]
        [--link-file L --mark-file M --traffic-file T]
"""

from __future__ import annotations

import logging
import os
import select
import sys
import time
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from eyewall_deploy.host.linux import set_timer_slack
from eyewall_deploy.service import make_parser, run_service
from eyewall_deploy.state_file import LOOK_EVERY, FileWatch
from eyewall_deploy.wan import delay_file, link_file, tun
from eyewall_deploy.wan.addresses import addresses
from eyewall_deploy.wan.link import DueQueue
from eyewall_deploy.wan.network_paths import DedicatedPaths, PublicPaths
from eyewall_deploy.wan.traffic import WRITE_EVERY, TrafficCounter

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping

    from eyewall_deploy.wan.link_file import LinkTable
    from eyewall_deploy.wan.network_paths import NetworkPath

_BURST: Final = 64
"""Packets read from one device before it is the next device's turn."""

_log = logging.getLogger("router")


class Router:
    """Takes packets from devices, finds their paths and sends them out when they are due.

    Parameters
    ----------
    find_path
        For each device, a function that finds the path of a packet from it.
    """

    def __init__(
        self,
        find_path: Mapping[int, Callable[[bytes], NetworkPath | None]],
        traffic: TrafficCounter | None,
    ) -> None:
        self._find_path = find_path
        self._traffic = traffic
        self._under_way: DueQueue[tuple[NetworkPath, int, bytes]] = DueQueue()

    def run_until(self, end: float) -> None:
        """Carry packets until this time."""
        while (now := time.monotonic()) < end:
            due = self._under_way.next_due()
            timeout = max(0.0, (end if due is None else min(end, due)) - now)
            for device in select.select(list(self._find_path), (), (), timeout)[0]:
                self._receive(device)
                self._deliver()
            self._deliver()

    def _receive(self, device: int) -> None:
        find_path = self._find_path[device]
        for _ in range(_BURST):
            try:
                packet = os.read(device, tun.LARGEST)
            except BlockingIOError:
                return
            path = find_path(packet)
            if path is not None:
                self._pass_on(path, 0, packet)

    def _deliver(self) -> None:
        for path, stage, packet in self._under_way.take_due(time.monotonic()):
            self._pass_on(path, stage, packet)

    def _pass_on(self, path: NetworkPath, stage: int, packet: bytes) -> None:
        if stage < len(path.stages):
            due = path.stages[stage].accept(len(packet) - tun.HEADER, time.monotonic())
            if due is not None:
                self._under_way.put(due, (path, stage + 1, packet))
            elif self._traffic is not None:
                self._traffic.count_loss(packet, path.kind)
            return
        try:
            os.write(path.device, packet)
        except OSError as error:  # the interface is down, or short of memory: a packet is lost
            _log.debug("lost a packet of %d bytes: %s", len(packet), error)
        if self._traffic is not None:
            self._traffic.count(packet, path.kind)


def route(options: Namespace, ready: Callable[[], None]) -> None:
    """Serve the network until this process is ended."""
    hosts = delay_file.read(options.delay_file).hosts
    links = None if options.link_file is None else link_file.read(options.link_file)
    address_of = addresses(hosts)
    devices = {name: tun.open_interface(name) for name in address_of}
    rng = Random()  # noqa: S311 - noise on delays and rates
    public = PublicPaths(devices, address_of, links, rng)
    find_path = dict.fromkeys(devices.values(), public.find)
    watches: list[FileWatch[Any]] = [
        FileWatch(options.delay_file, partial(delay_file.read, hosts=hosts), public.set_delays)
    ]
    traffic = None
    if links is not None:
        traffic = TrafficCounter(address_of)
        leased = link_file.leased_hosts(links.dedicated)
        leased_devices = {name: tun.open_interface(name, tun.DEDICATED) for name in leased}
        dedicated = DedicatedPaths(leased_devices, address_of, links.dedicated, rng)
        find_path |= dict.fromkeys(leased_devices.values(), dedicated.find)

        def set_links(table: LinkTable) -> None:
            public.set_links(table)
            dedicated.set_links(table.dedicated)

        read_marks = partial(link_file.read_marks, links=links.dedicated)
        watches += [
            FileWatch(options.link_file, link_file.read, set_links),
            FileWatch(options.mark_file, read_marks, dedicated.set_marks),
        ]
    _log.info("%d interfaces, %s", len(find_path), _raise_priority())
    ready()
    router = Router(find_path, traffic)
    write_at = 0.0
    while True:
        router.run_until(time.monotonic() + LOOK_EVERY)
        for watch in watches:
            watch.look()
        if traffic is not None and time.monotonic() >= write_at:
            write_at = time.monotonic() + WRITE_EVERY
            traffic.write(options.traffic_file, as_of=time.time())


def _raise_priority() -> str:
    """Let packets leave on time while the hosts' programs want the CPU; return the priority."""
    set_timer_slack(1)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        return "ordinary priority: delays are exact only while the CPU has time to spare"
    return "real-time priority"


def main() -> int:
    """Run the router from the command line."""
    parser = make_parser("router", __doc__)
    parser.add_argument("--delay-file", type=Path, required=True)
    parser.add_argument("--link-file", type=Path, help="there are two kinds of links")
    parser.add_argument("--mark-file", type=Path, help="connections that use dedicated links")
    parser.add_argument("--traffic-file", type=Path, help="written: what arrived")
    return run_service(parser, route)


if __name__ == "__main__":
    sys.exit(main())
