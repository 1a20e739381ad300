"""The public network: sender's uplink, a wire for each pair of hosts, receiver's downlink."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from eyewall_deploy.wan.addresses import CONTROL
from eyewall_deploy.wan.link import Link, Wire
from eyewall_deploy.wan.link_kind import LinkKind
from eyewall_deploy.wan.packet import ENDS
from eyewall_deploy.wan.shaper import Shaper, VaryingRate
from eyewall_deploy.wan.way import Way

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from eyewall_deploy.wan.delay_file import DelayTable
    from eyewall_deploy.wan.link_file import LinkTable


class PublicWays:
    """A way between any two namespaces; control and hosts have nothing between them.

    Parameters
    ----------
    devices
        Descriptor of each namespace's interface to the public network.
    links
        Whose up- and downlinks are limited; None where nobody's is.
    """

    def __init__(
        self,
        devices: Mapping[str, int],
        address_of: Mapping[str, str],
        links: LinkTable | None,
        rng: Random,
    ) -> None:
        self._wires: dict[tuple[str, str], Wire] = {}
        self._ways: dict[bytes, Way] = {}
        self._uplinks = _shapers(links, "uplink", rng)
        self._downlinks = _shapers(links, "downlink", rng)
        packed = {name: IPv4Address(address_of[name]).packed for name in devices}
        for source in devices:
            for target in devices:
                if source == target:
                    continue
                stages: tuple[Shaper | Wire, ...] = ()
                if CONTROL not in (source, target):
                    wire = self._wires[source, target] = Wire(Link(), rng)
                    limits = self._uplinks.get(source), self._downlinks.get(target)
                    stages = tuple(it for it in (limits[0], wire, limits[1]) if it is not None)
                way = Way(stages, devices[target], LinkKind.PUBLIC)
                self._ways[packed[source] + packed[target]] = way

    def change(self, table: DelayTable) -> None:
        """Let the wires do what the delay table says from now on."""
        place = {name: i for i, name in enumerate(table.hosts)}
        for (source, target), wire in self._wires.items():
            i, j = place[source], place[target]
            wire.link = Link(table.delay[i][j], table.deviation[i][j], table.bandwidth[i][j])

    def limit(self, links: LinkTable) -> None:
        """Let the up- and downlinks do what the link table says from now on."""
        for shapers, rates in (
            (self._uplinks, _rates(links, "uplink")),
            (self._downlinks, _rates(links, "downlink")),
        ):
            for host, shaper in shapers.items():
                shaper.rate = rates[host]

    def way(self, packet: bytes) -> Way | None:
        """Of a packet; None for what is not between two of ours, such as multicast chatter."""
        return self._ways.get(packet[ENDS])


def _shapers(links: LinkTable | None, side: str, rng: Random) -> dict[str, Shaper]:
    if links is None:
        return {}
    return {host: Shaper(rate, rng) for host, rate in _rates(links, side).items()}


def _rates(links: LinkTable, side: str) -> dict[str, VaryingRate]:
    means = links.uplink if side == "uplink" else links.downlink
    public = links.public
    return {
        host: VaryingRate(mean, public.log2_deviation, public.redrawn_every)
        for host, mean in zip(links.hosts, means, strict=True)
        if mean is not None
    }
