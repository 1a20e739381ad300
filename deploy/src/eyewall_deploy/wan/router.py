"""The user-space router: carries packets between the namespaces as the delay file says.

One TUN device in each namespace, opened from here. A change of the delay file takes effect for
packets that come a fifth of a second later or more. Control and hosts have no delay between them.

    python -m eyewall_deploy.wan.router --delay-file F [--ready-file R]
"""

from __future__ import annotations

import argparse
import logging
import os
import select
import sys
import time
from ipaddress import IPv4Address
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from eyewall_deploy.host.linux import set_timer_slack
from eyewall_deploy.wan import tun
from eyewall_deploy.wan.addresses import CONTROL, addresses
from eyewall_deploy.wan.delay_file import DelayError
from eyewall_deploy.wan.delay_watch import LOOK_EVERY, DelayWatch
from eyewall_deploy.wan.link import DueQueue, Link, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.wan.delay_file import DelayTable

_BURST: Final = 64
"""Packets read from one device before the others have their turn."""
_ENDS: Final = slice(tun.HEADER + 12, tun.HEADER + 20)
"""Source and destination address of an IPv4 packet."""

_log = logging.getLogger("router")


class Router:
    """Devices by host, a wire for each pair of them, and the packets under way."""

    def __init__(self, devices: Mapping[str, int], address_of: Mapping[str, str]) -> None:
        self._devices = devices
        self._wires: dict[tuple[str, str], Wire] = {}
        self._routes: dict[bytes, tuple[Wire | None, int]] = {}
        self._under_way: DueQueue[tuple[int, bytes]] = DueQueue()
        rng = Random()  # noqa: S311 - noise on a delay
        packed = {name: IPv4Address(address_of[name]).packed for name in devices}
        for source in devices:
            for target in devices:
                if source == target:
                    continue
                wire = None
                if CONTROL not in (source, target):
                    wire = self._wires[source, target] = Wire(Link(), rng)
                self._routes[packed[source] + packed[target]] = (wire, devices[target])

    def change(self, table: DelayTable) -> None:
        """Let the wires do what the table says from now on."""
        place = {name: i for i, name in enumerate(table.hosts)}
        for (source, target), wire in self._wires.items():
            i, j = place[source], place[target]
            wire.link = Link(table.delay[i][j], table.deviation[i][j], table.bandwidth[i][j])

    def wait(self, until: float) -> list[int]:
        """Wait for packets, but not past the next one that is due."""
        due = self._under_way.next_due()
        end = until if due is None else min(until, due)
        timeout = max(0.0, end - time.monotonic())
        return select.select(list(self._devices.values()), (), (), timeout)[0]

    def carry(self, device: int) -> None:
        """Take in what this device has; what is not delayed goes out at once."""
        for _ in range(_BURST):
            try:
                packet = os.read(device, tun.LARGEST)
            except BlockingIOError:
                return
            wire, target = self._routes.get(packet[_ENDS], (None, -1))
            if target < 0:
                continue  # not IPv4 between two of ours: neighbours' and multicast chatter
            if wire is None:
                _write(target, packet)
                continue
            due = wire.accept(len(packet) - tun.HEADER, time.monotonic())
            if due is not None:
                self._under_way.put(due, (target, packet))

    def deliver(self) -> None:
        """Send out what is due."""
        for target, packet in self._under_way.take_due(time.monotonic()):
            _write(target, packet)


def _write(device: int, packet: bytes) -> None:
    try:
        os.write(device, packet)
    except OSError as error:  # the interface is down, or short of memory: a packet lost
        _log.debug("a packet of %d bytes lost: %s", len(packet), error)


def route(delays: Path, ready: Path | None) -> None:
    """Serve the network until this process is ended."""
    if ready is not None:
        ready.unlink(missing_ok=True)
    watch = DelayWatch(delays)
    address_of = addresses(watch.table.hosts)
    router = Router({name: tun.opened(name) for name in address_of}, address_of)
    router.change(watch.table)
    _log.info("%d interfaces, %s", len(address_of), _be_prompt())
    if ready is not None:
        ready.touch()
    next_look = time.monotonic() + LOOK_EVERY
    while True:
        for device in router.wait(next_look):
            router.carry(device)
            router.deliver()
        router.deliver()
        if time.monotonic() >= next_look:
            next_look = time.monotonic() + LOOK_EVERY
            if watch.look():
                router.change(watch.table)


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
    arguments = parser.parse_args()
    logging.basicConfig(format="router: %(message)s", level=logging.INFO)
    try:
        route(arguments.delay_file, arguments.ready_file)
    except (OSError, DelayError) as error:
        _log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
