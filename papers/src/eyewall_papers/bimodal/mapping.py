"""A mapping: where each operator runs and which way each stream takes, M_v and M_e of paper 004."""

from collections import defaultdict
from collections.abc import Mapping as Table
from dataclasses import dataclass
from itertools import pairwise
from typing import Self, TypeVar

from eyewall_sidecar.model import Placement
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.task import Task

Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class Route:
    """The way of one stream, M_e(e).

    Parameters
    ----------
    kind
        Of all its links; a route within a node has none, and is dedicated.
    hops
        Ids of the nodes that it touches, both ends included; one for a route within a node.
    """

    kind: LinkKind
    hops: tuple[str, ...]

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """(sender, receiver) for each link in turn."""
        return tuple(pairwise(self.hops))

    @property
    def forwarding(self) -> tuple[str, ...]:
        """Ids of the nodes that only pass the stream on: the empty hops of algorithm 1."""
        return self.hops[1:-1]


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping of a task.

    Parameters
    ----------
    placement
        M_v: operator id → node id, ends included.
    routes
        M_e: one for each stream, in their order.
    """

    placement: Placement
    routes: tuple[Route, ...]


@dataclass(frozen=True, slots=True)
class Resources:
    """Amounts of everything that nodes allocate: free in a network, or needed by a mapping.

    Parameters
    ----------
    cpu
        Node id → cores, C_av.
    dedicated
        (sender, receiver) → bytes/s on that direction of the dedicated link, B_av.
    uplinks, downlinks
        Node id → bytes/s to and from the public network.
    """

    cpu: Table[str, float]
    dedicated: Table[tuple[str, str], float]
    uplinks: Table[str, float]
    downlinks: Table[str, float]

    @classmethod
    def of(cls, network: TwoKindNetwork) -> Self:
        """All that a network has while nothing runs on it."""
        return cls(
            cpu={node.id: node.cpu for node in network.nodes},
            dedicated={
                way: link.bandwidth for link in network.dedicated for way in link.directions
            },
            uplinks=dict(network.uplinks),
            downlinks=dict(network.downlinks),
        )

    def reserve(self, task: Task, mapping: Mapping) -> Self:
        """Return the rest after reserving the mapping; check `mapping_violations` first."""
        return self._changed(needs(task, mapping), -1.0)

    def release(self, task: Task, mapping: Mapping) -> Self:
        """Return the rest after releasing the mapping."""
        return self._changed(needs(task, mapping), +1.0)

    def _changed(self, other: "Resources", sign: float) -> Self:
        return type(self)(
            _sum(self.cpu, other.cpu, sign),
            _sum(self.dedicated, other.dedicated, sign),
            _sum(self.uplinks, other.uplinks, sign),
            _sum(self.downlinks, other.downlinks, sign),
        )


def needs(task: Task, mapping: Mapping) -> Resources:
    """Return the needs of a mapping by node and link: sums over all operators and hops."""
    cpu: defaultdict[str, float] = defaultdict(float)
    for operator in task.operators:
        cpu[mapping.placement[operator.id]] += operator.cpu
    dedicated: defaultdict[tuple[str, str], float] = defaultdict(float)
    uplinks: defaultdict[str, float] = defaultdict(float)
    downlinks: defaultdict[str, float] = defaultdict(float)
    for place, route in enumerate(mapping.routes):
        for sender, receiver in route.links:
            if route.kind is LinkKind.DEDICATED:
                dedicated[sender, receiver] += task.bandwidth(place)
            else:
                uplinks[sender] += task.bandwidth(place)
                downlinks[receiver] += task.bandwidth(place)
    return Resources(cpu, dedicated, uplinks, downlinks)


def mapping_violations(
    network: TwoKindNetwork, free: Resources, task: Task, mapping: Mapping
) -> tuple[str, ...]:
    """Sentences, one for each constraint that the mapping breaks; none if it is valid.

    Section 3.1's constraints, with the bandwidth of a link shared by all the hops that use it;
    services and ends; the hops that budget and max_null allow (section 4).
    """
    misplaced = _misplaced(network, task, mapping)
    if misplaced:
        return misplaced
    misled = _misled(network, task, mapping)
    if misled:
        return misled
    needed = needs(task, mapping)
    return (
        *_overdrawn("node", "cores", needed.cpu, free.cpu),
        *_overdrawn("dedicated link", "bytes/s", _named(needed.dedicated), _named(free.dedicated)),
        *_overdrawn("uplink of", "bytes/s", needed.uplinks, free.uplinks),
        *_overdrawn("downlink of", "bytes/s", needed.downlinks, free.downlinks),
        *_dear(network, task, mapping),
    )


def _misplaced(network: TwoKindNetwork, task: Task, mapping: Mapping) -> tuple[str, ...]:
    found = []
    for place, operator in enumerate(task.operators):
        node = mapping.placement.get(operator.id)
        if node is None:
            found.append(f"operator {operator.id} is placed nowhere")
        elif node not in task.candidates(place, network):
            found.append(f"operator {operator.id} is on {node}, which is not among its candidates")
    return tuple(found)


def _misled(network: TwoKindNetwork, task: Task, mapping: Mapping) -> tuple[str, ...]:
    if len(mapping.routes) != len(task.streams):
        return (f"{len(mapping.routes)} routes for {len(task.streams)} streams",)
    found = []
    for stream, route in zip(task.streams, mapping.routes, strict=True):
        ends = mapping.placement[stream.source], mapping.placement[stream.target]
        if not route.hops or (route.hops[0], route.hops[-1]) != ends:
            found.append(f"{stream}: its route does not lead from {ends[0]} to {ends[1]}")
        elif route.kind is LinkKind.PUBLIC:
            if network.public is None:
                found.append(f"{stream}: there is no public network")
            if len(route.hops) != 2:
                found.append(f"{stream}: a public link leads from end to end, without forwarding")
        else:
            found += [
                f"{stream}: no dedicated link joins {sender} and {receiver}"
                for sender, receiver in route.links
                if network.link(sender, receiver) is None
            ]
    return tuple(found)


def _dear(network: TwoKindNetwork, task: Task, mapping: Mapping) -> list[str]:
    found = []
    for stream, route, budget in zip(task.streams, mapping.routes, task.budgets, strict=True):
        if len(route.forwarding) > task.max_null:
            found.append(
                f"{stream}: {len(route.forwarding)} nodes forward it, max_null is {task.max_null}"
            )
        price = price_per_byte(network, route)
        if exceeds(price, budget):
            found.append(f"{stream}: a byte costs {price:g}, its budget is {budget:g}")
    return found


def price_per_byte(network: TwoKindNetwork, route: Route) -> float:
    """What carrying a byte along the route costs; public links are free."""
    if route.kind is LinkKind.PUBLIC:
        return 0.0
    links = (network.link(sender, receiver) for sender, receiver in route.links)
    return sum(link.price for link in links if link is not None)


def _overdrawn(
    owner: str, unit: str, needed: Table[str, float], free: Table[str, float]
) -> list[str]:
    return [
        f"{owner} {name}: {amount:g} {unit} placed, {free.get(name, 0.0):g} there"
        for name, amount in needed.items()
        if exceeds(amount, free.get(name, 0.0))
    ]


def _named(amounts: Table[tuple[str, str], float]) -> dict[str, float]:
    return {f"{sender} → {receiver}": amount for (sender, receiver), amount in amounts.items()}


def _sum(mine: Table[Name, float], theirs: Table[Name, float], sign: float) -> dict[Name, float]:
    return {name: amount + sign * theirs.get(name, 0.0) for name, amount in mine.items()}
