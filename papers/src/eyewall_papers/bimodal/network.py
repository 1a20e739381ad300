"""A network with two kinds of links: G_R of paper 004, sections 2.1 and 3.1."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf

import numpy as np
from eyewall_sidecar.model import LinkMatrix, Node, ProblemError
from eyewall_sidecar.model.errors import require_amount, require_unique, unknown
from eyewall_sidecar.model.limits import LONGEST, MOST, MOST_OFFERED
from eyewall_sidecar.model.links import Matrix


class LinkKind(StrEnum):
    """The kind of link that carries a stream between two nodes."""

    DEDICATED = "dedicated"
    """Stable and paid for; several in a row lead through nodes that forward."""
    PUBLIC = "public"
    """The Internet: end to end between any two nodes, free, without guarantee."""

    @classmethod
    def named(cls, name: str) -> "LinkKind":
        """Return the kind of that name; `ProblemError` lists the kinds."""
        if name not in tuple(cls):
            raise ProblemError(unknown("link kind", name, tuple(cls)))
        return cls(name)


@dataclass(frozen=True, slots=True)
class DedicatedLink:
    """A dedicated link, usable in both directions.

    Paper 004 has links "bi-directional and of symmetric capacity", and nodes that allocate their
    outgoing bandwidth by themselves: so each direction has the whole bandwidth.

    Parameters
    ----------
    one, other
        Ids of the nodes at its ends.
    bandwidth
        B: bytes/s in each direction, up to MOST_OFFERED or infinite.
    delay
        Seconds one way, from 0 to LONGEST.
    price
        For each byte that it carries (section 2.4), from 0 to MOST.
    """

    one: str
    other: str
    bandwidth: float
    delay: float = 0.0
    price: float = 0.0

    def __post_init__(self) -> None:
        if self.one == self.other:
            raise ProblemError(f"{self}: a link joins two different nodes")
        require_amount(self, "bandwidth", self.bandwidth, MOST_OFFERED, unlimited=True)
        require_amount(self, "delay", self.delay, LONGEST)
        require_amount(self, "price", self.price, MOST)

    def __str__(self) -> str:
        return f"dedicated link {self.one} – {self.other}"

    @property
    def directions(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Both ways along it, as (sender, receiver)."""
        return (self.one, self.other), (self.other, self.one)


@dataclass(frozen=True, slots=True)
class TwoKindNetwork:
    """Nodes with the links of both kinds between them, checked when it is made.

    Parameters
    ----------
    nodes
        With their whole capacity C; ids are unique.
    dedicated
        E_R; a pair of nodes has at most one.
    public
        Delays of the public network between all nodes; None where there is none.
    uplinks, downlinks
        Node id → bytes/s that it may send to and receive from the public network; unlimited where
        not given.
    services
        Node id → what it serves, S(v); nothing where not given.
    """

    nodes: tuple[Node, ...]
    dedicated: tuple[DedicatedLink, ...] = ()
    public: LinkMatrix | None = None
    uplinks: Mapping[str, float] = field(default_factory=dict)
    downlinks: Mapping[str, float] = field(default_factory=dict)
    services: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _nodes: Mapping[str, Node] = field(init=False, repr=False, compare=False)
    _links: Mapping[tuple[str, str], DedicatedLink] = field(init=False, repr=False, compare=False)
    _neighbours: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    _providers: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.nodes:
            raise ProblemError("the network has no nodes; it needs at least one")
        require_unique("node", [node.id for node in self.nodes])
        object.__setattr__(self, "_nodes", {node.id: node for node in self.nodes})
        for name in ("uplinks", "downlinks"):
            given = getattr(self, name)
            self._require_nodes(name, given)
            for node, limit in given.items():
                require_amount(
                    f"node {node}", name.removesuffix("s"), limit, MOST_OFFERED, unlimited=True
                )
            object.__setattr__(self, name, {node: given.get(node, inf) for node in self._nodes})
        self._require_nodes("services", self.services)
        served = {node: frozenset(self.services.get(node, ())) for node in self._nodes}
        object.__setattr__(self, "services", served)
        object.__setattr__(self, "_providers", _providers(served))
        if self.public is not None and self.public.nodes != tuple(self._nodes):
            raise ProblemError(
                f"the public network joins {len(self.public.nodes)} nodes; it must join the "
                f"network's {len(self._nodes)}, in their order"
            )
        links: dict[tuple[str, str], DedicatedLink] = {}
        neighbours: dict[str, list[str]] = {node: [] for node in self._nodes}
        for link in self.dedicated:
            self._require_nodes(str(link), (link.one, link.other))
            if (link.one, link.other) in links:
                raise ProblemError(f"{link} is listed twice; a pair of nodes has at most one")
            for sender, receiver in link.directions:
                links[sender, receiver] = link
                neighbours[sender].append(receiver)
        object.__setattr__(self, "_links", links)
        object.__setattr__(self, "_neighbours", {it: tuple(neighbours[it]) for it in neighbours})

    def node(self, node: str) -> Node:
        """Return the node of that id."""
        return self._nodes[node]

    def neighbours(self, node: str) -> tuple[str, ...]:
        """Ids of the nodes at the other ends of its dedicated links."""
        return self._neighbours[node]

    def link(self, sender: str, receiver: str) -> DedicatedLink | None:
        """Return the dedicated link between two nodes, None if there is none."""
        return self._links.get((sender, receiver))

    def providers(self, service: str) -> tuple[str, ...]:
        """Return the ids of the nodes that serve it; `ProblemError` if there are none."""
        if service not in self._providers:
            raise ProblemError(f"{unknown('service', service, self._providers)}; nobody offers it")
        return self._providers[service]

    def _require_nodes(self, owner: str, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._nodes:
                raise ProblemError(f"{owner}: {unknown('node', name, self._nodes)}")


def _providers(served: Mapping[str, frozenset[str]]) -> dict[str, tuple[str, ...]]:
    names = sorted({service for services in served.values() for service in services})
    return {
        name: tuple(node for node, services in served.items() if name in services) for name in names
    }


def least_delays(network: TwoKindNetwork) -> Matrix:
    """Seconds one way by dedicated links in a row or by one public link, [sender, receiver].

    Floyd and Warshall's algorithm over the dedicated links; LONGEST where nothing leads.
    """
    place = {node.id: at for at, node in enumerate(network.nodes)}
    delays: Matrix = np.full((len(place), len(place)), np.inf)
    np.fill_diagonal(delays, 0.0)
    for link in network.dedicated:
        for sender, receiver in link.directions:
            delays[place[sender], place[receiver]] = link.delay
    for middle in range(len(place)):
        np.minimum(delays, delays[:, [middle]] + delays[[middle], :], out=delays)
    if network.public is not None:
        np.minimum(delays, network.public.delays, out=delays)
    np.minimum(delays, LONGEST, out=delays)
    return delays


def fewest_hops(
    source: str, target: str, onward: Callable[[str], Iterable[str]], most_hops: float
) -> tuple[str, ...]:
    """Return the nodes of a path with as few hops as there can be; none if no path leads there.

    Parameters
    ----------
    source, target
        Ids of its ends, two different nodes.
    onward
        Node id → ids of the nodes that a hop may lead to from there. Of paths that are equally
        short, the one is taken whose hops come first.
    most_hops
        The longest path that will do.
    """
    reached = {source}
    waiting: deque[tuple[str, ...]] = deque([(source,)])
    while waiting:
        path = waiting.popleft()
        if len(path) > most_hops:
            return ()
        for node in onward(path[-1]):
            if node == target:
                return (*path, node)
            if node not in reached:
                reached.add(node)
                waiting.append((*path, node))
    return ()
