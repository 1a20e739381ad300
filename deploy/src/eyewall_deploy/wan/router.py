"""The user-space router: carries packets between the namespaces as the delay file says.

One TUN device in each namespace, opened from here. A change of the delay file takes effect for
packets that come a fifth of a second later or more. Control and hosts have no delay between them.

    python -m eyewall_deploy.wan.router --delay-file F [--ready-file R]
        [--link-file L --mark-file M --traffic-file T]

With a link file there are two kinds of links, each with its interface in a namespace: by the one
that a packet comes through, the router knows its kind.
"""

from __future__ import annotations

import argparse
import logging
import os
import select
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, TypeAlias

from eyewall_deploy.cluster_links import leased_hosts
from eyewall_deploy.host.linux import set_timer_slack
from eyewall_deploy.wan import link_file, mark_file, tun
from eyewall_deploy.wan.addresses import addresses
from eyewall_deploy.wan.dedicated_ways import DedicatedWays
from eyewall_deploy.wan.delay_watch import DelayWatch
from eyewall_deploy.wan.file_watch import LOOK_EVERY, FileWatch
from eyewall_deploy.wan.link import DueQueue
from eyewall_deploy.wan.public_ways import PublicWays
from eyewall_deploy.wan.state_file import StateFileError
from eyewall_deploy.wan.traffic import WRITE_EVERY, Traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyewall_deploy.wan.link_file import LinkTable
    from eyewall_deploy.wan.way import Way

_BURST: Final = 64
"""Packets read from one device before the others have their turn."""

_log = logging.getLogger("router")


@dataclass(frozen=True, slots=True)
class TwoKindFiles:
    """What the router goes by besides delays where there are two kinds of links.

    Parameters
    ----------
    traffic
        What it writes: bytes that arrived.
    """

    links: Path
    marks: Path
    traffic: Path


@dataclass(frozen=True, slots=True)
class Counting:
    """What arrived, and the file that tells of it."""

    traffic: Traffic
    file: Path


Followed: TypeAlias = "tuple[Callable[[], bool], Callable[[], None]]"
"""Says whether a file has changed; puts the change in force."""


class Router:
    """Devices, how to find the way of a packet that one of them has, and the packets under way."""

    def __init__(
        self, way_from: Mapping[int, Callable[[bytes], Way | None]], traffic: Traffic | None
    ) -> None:
        self._way_from = way_from
        self._traffic = traffic
        self._under_way: DueQueue[tuple[Way, int, bytes]] = DueQueue()

    def wait(self, until: float) -> list[int]:
        """Wait for packets, but not past the next one that is due."""
        due = self._under_way.next_due()
        end = until if due is None else min(until, due)
        timeout = max(0.0, end - time.monotonic())
        return select.select(list(self._way_from), (), (), timeout)[0]

    def carry(self, device: int) -> None:
        """Take in what this device has; what is not delayed goes out at once."""
        way_of = self._way_from[device]
        for _ in range(_BURST):
            try:
                packet = os.read(device, tun.LARGEST)
            except BlockingIOError:
                return
            way = way_of(packet)
            if way is not None:
                self._pass_on(way, 0, packet)

    def deliver(self) -> None:
        """Send out what is due, or on to what comes next on its way."""
        for way, stage, packet in self._under_way.take_due(time.monotonic()):
            self._pass_on(way, stage, packet)

    def _pass_on(self, way: Way, stage: int, packet: bytes) -> None:
        if stage < len(way.stages):
            due = way.stages[stage].accept(len(packet) - tun.HEADER, time.monotonic())
            if due is not None:
                self._under_way.put(due, (way, stage + 1, packet))
            elif self._traffic is not None:
                self._traffic.lost(packet, way.kind)
            return
        _write(way.device, packet)
        if self._traffic is not None:
            self._traffic.arrived(packet, way.kind)


def _write(device: int, packet: bytes) -> None:
    try:
        os.write(device, packet)
    except OSError as error:  # the interface is down, or short of memory: a packet lost
        _log.debug("a packet of %d bytes lost: %s", len(packet), error)


def route(delays: Path, ready: Path | None, files: TwoKindFiles | None) -> None:
    """Serve the network until this process is ended."""
    if ready is not None:
        ready.unlink(missing_ok=True)
    delay_watch = DelayWatch(delays)
    address_of = addresses(delay_watch.table.hosts)
    devices = {name: tun.opened(name) for name in address_of}
    rng = Random()  # noqa: S311 - noise on delays and rates
    link_watch = None if files is None else FileWatch(files.links, link_file.read)
    limits = None if link_watch is None else link_watch.content
    public = PublicWays(devices, address_of, limits, rng)
    public.change(delay_watch.table)
    followed: list[Followed] = [
        (delay_watch.look, lambda: public.change(delay_watch.table)),
    ]
    way_from = dict.fromkeys(devices.values(), public.way)
    counting: Counting | None = None
    if files is not None and link_watch is not None:
        counting = Counting(Traffic(address_of), files.traffic)
        links = link_watch.content.dedicated
        leased = {name: tun.opened(name, tun.DEDICATED) for name in leased_hosts(links)}
        dedicated = DedicatedWays(leased, address_of, links, rng)
        way_from |= dict.fromkeys(leased.values(), dedicated.way)
        mark_watch = FileWatch(files.marks, partial(mark_file.read, links=links))
        dedicated.mark(mark_watch.content)
        followed += [
            (link_watch.look, lambda: _change_links(link_watch.content, public, dedicated)),
            (mark_watch.look, lambda: dedicated.mark(mark_watch.content)),
        ]
    _log.info("%d interfaces, %s", len(way_from), _be_prompt())
    if ready is not None:
        ready.touch()
    traffic = None if counting is None else counting.traffic
    _serve(Router(way_from, traffic), followed, counting)


def _change_links(table: LinkTable, public: PublicWays, dedicated: DedicatedWays) -> None:
    public.limit(table)
    dedicated.change(table.dedicated)


def _serve(router: Router, followed: Sequence[Followed], counting: Counting | None) -> None:
    next_look = next_count = time.monotonic()
    while True:
        for device in router.wait(next_look):
            router.carry(device)
            router.deliver()
        router.deliver()
        now = time.monotonic()
        if now < next_look:
            continue
        next_look = now + LOOK_EVERY
        for is_new, apply in followed:
            if is_new():
                apply()
        if counting is not None and now >= next_count:
            next_count = now + WRITE_EVERY
            counting.traffic.write(counting.file, as_of=time.time())


def _be_prompt() -> str:
    """Have packets go on time though the hosts' programs want the CPU; say how well it is done."""
    set_timer_slack(1)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        return "ordinary priority: delays are exact only while the CPU has time to spare"
    return "real-time priority"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="router", description=__doc__)
    parser.add_argument("--delay-file", type=Path, required=True)
    parser.add_argument("--ready-file", type=Path, help="made when packets are being carried")
    parser.add_argument("--link-file", type=Path, help="there are two kinds of links")
    parser.add_argument("--mark-file", type=Path, help="which connections go over dedicated ones")
    parser.add_argument("--traffic-file", type=Path, help="written: what arrived")
    arguments = parser.parse_args()
    files = None
    if arguments.link_file is not None:
        files = TwoKindFiles(arguments.link_file, arguments.mark_file, arguments.traffic_file)
    logging.basicConfig(format="router: %(message)s", level=logging.INFO)
    try:
        route(arguments.delay_file, arguments.ready_file, files)
    except (OSError, StateFileError) as error:
        _log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
