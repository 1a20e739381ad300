"""A node's view of the network, its free resources, and the share that a map takes of them.

`share` is what a chosen map takes at each of its visits (paper 004, section 3).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.partial_map import Hop, PartialMap
from eyewall_papers.bimodal.task import Task


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A node, its outgoing links, and who offers what.

    Parameters
    ----------
    node
        Its id.
    cpu
        C: cores when nothing runs on it.
    services
        S(v): what it serves.
    dedicated
        Its outgoing dedicated links.
    public
        Node id → link to it over the public network; empty where there is none.
    providers
        Service → nodes that offer it, as gossip has it (section 4.3); only public offers use it.
    """

    node: str
    cpu: float
    services: frozenset[str]
    dedicated: tuple[Hop, ...]
    public: Mapping[str, Hop]
    providers: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, network: TwoKindNetwork, node: str) -> Self:
        """Take one node's part of a network."""
        links = ((other, network.link(node, other)) for other in network.neighbours(node))
        public = network.public
        names = {service for services in network.services.values() for service in services}
        return cls(
            node=node,
            cpu=network.node(node).cpu,
            services=network.services[node],
            dedicated=tuple(
                Hop(other, LinkKind.DEDICATED, link.delay, link.price)
                for other, link in links
                if link is not None
            ),
            public={}
            if public is None
            else {
                it.id: Hop(it.id, LinkKind.PUBLIC, public.delay(node, it.id), 0.0)
                for it in network.nodes
                if it.id != node
            },
            providers={} if public is None else {it: network.providers(it) for it in names},
        )


@dataclass(slots=True)
class Stock:
    """The free resources of a node, changed by reservations.

    Parameters
    ----------
    cpu, uplink, downlink
        Cores; bytes/s to and from the public network.
    dedicated
        Node id → bytes/s towards it.
    """

    cpu: float
    uplink: float
    downlink: float
    dedicated: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, network: TwoKindNetwork, free: Resources, node: str) -> Self:
        """Return one node's part of a network's free resources."""
        return cls(
            free.cpu[node],
            free.uplinks[node],
            free.downlinks[node],
            {other: free.dedicated[node, other] for other in network.neighbours(node)},
        )

    def lacks(self, share: "Stock") -> bool:
        """Return whether a share exceeds the free resources."""
        return (
            exceeds(share.cpu, self.cpu)
            or exceeds(share.uplink, self.uplink)
            or exceeds(share.downlink, self.downlink)
            or any(exceeds(it, self.dedicated[to]) for to, it in share.dedicated.items())
        )

    def take(self, share: "Stock") -> None:
        """Give a share away."""
        self._change(share, -1.0)

    def put_back(self, share: "Stock") -> None:
        """Get a share back."""
        self._change(share, 1.0)

    def _change(self, share: "Stock", sign: float) -> None:
        self.cpu += sign * share.cpu
        self.uplink += sign * share.uplink
        self.downlink += sign * share.downlink
        for receiver, amount in share.dedicated.items():
            self.dedicated[receiver] += sign * amount


def share(task: Task, partial: PartialMap, place: int) -> Stock:
    """Return the needs of the visit at that place: cores, way in if public, way out."""
    visit = partial.visits[place]
    mapped = sum(it.operators for it in partial.visits[:place])
    held = task.operators[mapped : mapped + visit.operators]
    needed = Stock(sum(it.cpu for it in held), 0.0, 0.0)
    if visit.arrived is LinkKind.PUBLIC:
        needed.downlink = task.bandwidth(mapped - 1)
    if place + 1 < len(partial.visits):
        following = partial.visits[place + 1]
        sent = task.bandwidth(mapped + visit.operators - 1)
        if following.arrived is LinkKind.PUBLIC:
            needed.uplink = sent
        else:
            needed.dedicated[following.node] = sent
    return needed
