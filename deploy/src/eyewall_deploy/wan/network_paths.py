"""Which path a packet takes from one host to another: what it passes, and where it arrives."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from eyewall_deploy.wan.addresses import CONTROL
from eyewall_deploy.wan.link import Shaper, VaryingRate, Wire
from eyewall_deploy.wan.tun import ENDS, SOURCE_PORT, TARGET_PORT, is_tcp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random

    from eyewall_deploy.wan.delay_file import EmulatedDelays
    from eyewall_deploy.wan.link_file import LinkTable, Mark
    from eyewall_deploy.wan.link_kinds import LeasedLine, LinkKind


class PathStage(Protocol):
    """A wire or a shaper: packets pass one stage after the other."""

    def accept(self, size: int, now: float) -> float | None:
        """Return when a packet of this many bytes has passed; None if it is dropped."""


@dataclass(frozen=True, slots=True)
class NetworkPath:
    """What packets from one host to another pass, in order.

    Parameters
    ----------
    device
        Descriptor of the interface at the other end.
    """

    stages: tuple[PathStage, ...]
    device: int
    kind: LinkKind


class PublicPaths:
    """Paths over the public network: sender's uplink, a wire for each pair, receiver's downlink.

    Between control and hosts there is nothing.

    Parameters
    ----------
    devices
        Descriptor of each namespace's interface to the public network.
    links
        Limits of the up- and downlinks; None if there are none.
    """

    def __init__(
        self,
        devices: Mapping[str, int],
        address_of: Mapping[str, str],
        links: LinkTable | None,
        rng: Random,
    ) -> None:
        rates = ({}, {}) if links is None else _rates(links)
        self._uplinks, self._downlinks = (
            {host: Shaper(rate, rng) for host, rate in side.items()} for side in rates
        )
        self._wires: dict[tuple[str, str], Wire] = {}
        self._paths: dict[bytes, NetworkPath] = {}
        packed = {name: IPv4Address(address_of[name]).packed for name in devices}
        for source in devices:
            for target in devices:
                stages: tuple[PathStage | None, ...] = ()
                if CONTROL not in (source, target):
                    wire = self._wires[source, target] = Wire(rng)
                    stages = (self._uplinks.get(source), wire, self._downlinks.get(target))
                self._paths[packed[source] + packed[target]] = NetworkPath(
                    tuple(it for it in stages if it is not None), devices[target], "public"
                )

    def set_delays(self, table: EmulatedDelays) -> None:
        """Put these delays into force."""
        for i, source in enumerate(table.hosts):
            for j, target in enumerate(table.hosts):
                self._wires[source, target].change(
                    table.delay[i][j], table.deviation[i][j], table.bandwidth[i][j]
                )

    def set_links(self, links: LinkTable) -> None:
        """Put these rates of the up- and downlinks into force."""
        for shapers, rates in zip((self._uplinks, self._downlinks), _rates(links), strict=True):
            for host, shaper in shapers.items():
                shaper.rate = rates[host]

    def find(self, packet: bytes) -> NetworkPath | None:
        """Return a packet's path; None for one not between two hosts, such as multicast."""
        return self._paths.get(packet[ENDS])


class DedicatedPaths:
    """Paths over dedicated links: those of marks and of their answers; else the fewest hops.

    The router carries a packet along the wires of its route one after the other, each with its own
    delay and bandwidth, as forwarding hosts would; it costs these hosts no CPU.

    Parameters
    ----------
    devices
        Descriptor of each leased host's interface to its dedicated links.
    """

    def __init__(
        self,
        devices: Mapping[str, int],
        address_of: Mapping[str, str],
        links: Sequence[LeasedLine],
        rng: Random,
    ) -> None:
        self._devices = devices
        self._packed = {name: IPv4Address(address_of[name]).packed for name in devices}
        self._wires = {pair: Wire(rng) for link in links for pair in link.directions}
        self._marked: dict[bytes, NetworkPath] = {}
        self._answers: dict[bytes, NetworkPath] = {}
        self._unmarked: dict[bytes, NetworkPath] = {}
        for source in devices:
            for target in devices:
                route = fewest_hops(self._wires, source, target)
                if source != target and route:
                    self._unmarked[self._packed[source] + self._packed[target]] = self._path(route)
        self.set_links(links)

    def set_links(self, links: Iterable[LeasedLine]) -> None:
        """Put these delays and bandwidths into force."""
        for link in links:
            for pair in link.directions:
                self._wires[pair].change(link.delay, bandwidth=link.bandwidth)

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Lead connections along these routes, and their answers along the same routes back."""
        marked, answers = {}, {}
        for mark in marks:
            source, target = self._packed[mark.source], self._packed[mark.target]
            port = mark.port.to_bytes(2)
            marked[source + target + port] = self._path(mark.route)
            answers[target + source + port] = self._path(mark.route[::-1])
        self._marked, self._answers = marked, answers

    def find(self, packet: bytes) -> NetworkPath | None:
        """Return the path of a packet that left by a dedicated interface; None if there is none."""
        ends = packet[ENDS]
        path = None
        if is_tcp(packet):
            path = self._marked.get(ends + packet[TARGET_PORT])
            path = path or self._answers.get(ends + packet[SOURCE_PORT])
        return path or self._unmarked.get(ends)

    def _path(self, route: Sequence[str]) -> NetworkPath:
        wires = tuple(self._wires[hop] for hop in pairwise(route))
        return NetworkPath(wires, self._devices[route[-1]], "dedicated")


def fewest_hops(
    pairs: Iterable[tuple[str, str]], source: str, target: str
) -> tuple[str, ...] | None:
    """Return the route over the fewest of these directed links; None if there is no route."""
    pairs = list(pairs)
    routes: deque[tuple[str, ...]] = deque([(source,)])
    reached = {source}
    while routes:
        route = routes.popleft()
        if route[-1] == target:
            return route
        for a, b in pairs:
            if a == route[-1] and b not in reached:
                reached.add(b)
                routes.append((*route, b))
    return None


def _rates(links: LinkTable) -> tuple[dict[str, VaryingRate], dict[str, VaryingRate]]:
    """Return the rates of limited uplinks, and those of limited downlinks."""
    public = links.public
    up, down = (
        {
            host: VaryingRate(mean, public.log2_deviation, public.redrawn_every)
            for host, mean in zip(links.hosts, means, strict=True)
            if mean is not None
        }
        for means in (links.uplink, links.downlink)
    )
    return up, down
