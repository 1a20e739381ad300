"""The dedicated links: a wire each way, and routes over several of them, hop by hop.

The router carries a packet along the wires of its route one after the other, each with its own
delay and bandwidth, as a forwarding host would; it costs the forwarding host no CPU.
"""

from __future__ import annotations

from collections import deque
from ipaddress import IPv4Address
from itertools import pairwise
from typing import TYPE_CHECKING

from eyewall_deploy.wan.link import Link, Wire
from eyewall_deploy.wan.link_kind import LinkKind
from eyewall_deploy.wan.packet import ENDS, SOURCE_PORT, TARGET_PORT, is_tcp
from eyewall_deploy.wan.way import Way

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random

    from eyewall_deploy.cluster_links import DedicatedLink
    from eyewall_deploy.wan.mark_file import Mark


class DedicatedWays:
    """A way for each marked connection and its answers; the fewest hops for what has no mark yet.

    Parameters
    ----------
    devices
        Descriptor of each leased host's interface to its dedicated links.
    """

    def __init__(
        self,
        devices: Mapping[str, int],
        address_of: Mapping[str, str],
        links: Sequence[DedicatedLink],
        rng: Random,
    ) -> None:
        self._devices = devices
        self._packed = {name: IPv4Address(address_of[name]).packed for name in devices}
        pairs = [pair for it in links for pair in ((it.a, it.b), (it.b, it.a))]
        self._wires = {pair: Wire(Link(), rng) for pair in pairs}
        self._marked: dict[bytes, Way] = {}
        self._answers: dict[bytes, Way] = {}
        self._unmarked: dict[bytes, Way] = {}
        for source in devices:
            for target in devices:
                route = fewest_hops(pairs, source, target)
                if source != target and route:
                    self._unmarked[self._packed[source] + self._packed[target]] = self._way(route)
        self.change(links)

    def change(self, links: Iterable[DedicatedLink]) -> None:
        """Let the wires do what is said of their links from now on."""
        for link in links:
            for pair in ((link.a, link.b), (link.b, link.a)):
                self._wires[pair].link = Link(delay=link.one_way, bandwidth=link.bandwidth)

    def mark(self, marks: Iterable[Mark]) -> None:
        """Lead connections by these routes from now on, and their answers by the same back."""
        marked, answers = {}, {}
        for mark in marks:
            source, target = self._packed[mark.source], self._packed[mark.target]
            port = mark.port.to_bytes(2)
            marked[source + target + port] = self._way(mark.route)
            answers[target + source + port] = self._way(mark.route[::-1])
        self._marked, self._answers = marked, answers

    def way(self, packet: bytes) -> Way | None:
        """Of a packet that left by a host's dedicated interface; None if there is no way."""
        ends = packet[ENDS]
        if is_tcp(packet):
            way = self._marked.get(ends + packet[TARGET_PORT])
            way = way or self._answers.get(ends + packet[SOURCE_PORT])
            if way is not None:
                return way
        return self._unmarked.get(ends)

    def _way(self, route: Sequence[str]) -> Way:
        wires = tuple(self._wires[hop] for hop in pairwise(route))
        return Way(wires, self._devices[route[-1]], LinkKind.DEDICATED)


def fewest_hops(
    pairs: Iterable[tuple[str, str]], source: str, target: str
) -> tuple[str, ...] | None:
    """The route over the fewest of these directed links; None if they lead nowhere near."""
    pairs = list(pairs)
    waiting: deque[tuple[str, ...]] = deque([(source,)])
    seen = {source}
    while waiting:
        route = waiting.popleft()
        if route[-1] == target:
            return route
        for a, b in pairs:
            if a == route[-1] and b not in seen:
                seen.add(b)
                waiting.append((*route, b))
    return None
