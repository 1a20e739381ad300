"""A map of the first operators of a task, as it grows from node to node: m in algorithm 1."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from eyewall_papers.bimodal.mapping import Mapping, Route
from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.task import Task


@dataclass(frozen=True, slots=True)
class MapVisit:
    """One node that a map touches.

    Parameters
    ----------
    node
        Its id.
    operators
        x: how many of the next operators it holds; none if it only forwards.
    arrived
        The kind of the link that led there; the first visit counts as dedicated.
    """

    node: str
    operators: int
    arrived: LinkKind


@dataclass(frozen=True, slots=True)
class Hop:
    """A link out of a node, as the node's agent knows it.

    Parameters
    ----------
    receiver, kind
        Where it leads, and by what.
    delay, price
        Seconds, and what a byte costs.
    """

    receiver: str
    kind: LinkKind
    delay: float
    price: float


@dataclass(frozen=True, slots=True)
class PartialMap:
    """A map of a prefix of a task.

    Parameters
    ----------
    visits
        Nodes in the order of the stream; the last is where the map is now.
    length
        j: how many operators it maps.
    cost
        What the metric charges for all hops so far.
    spent
        What a byte paid since it left the last node that holds an operator.
    loads
        (node id, its load factor with what the map puts there), for nodes that hold operators.
    """

    visits: tuple[MapVisit, ...]
    length: int = 0
    cost: float = 0.0
    spent: float = 0.0
    loads: tuple[tuple[str, float], ...] = ()

    @property
    def here(self) -> MapVisit:
        """The last visit."""
        return self.visits[-1]

    @property
    def open_route(self) -> tuple[str, ...]:
        """Nodes from the one that holds the last operator up to here."""
        found: list[str] = []
        for visit in reversed(self.visits):
            found.append(visit.node)
            if visit.operators:
                break
        return tuple(reversed(found))

    def crossings(self) -> Iterator[tuple[int, MapVisit, MapVisit]]:
        """Yield (place of the stream, visit that sends, visit that receives) for each hop."""
        mapped = 0
        for sender, receiver in pairwise(self.visits):
            mapped += sender.operators
            yield mapped - 1, sender, receiver

    def cores(self, task: Task, node: str) -> float:
        """Cores that the map takes of a node."""
        first, needed = 0, 0.0
        for visit in self.visits:
            if visit.node == node:
                held = task.operators[first : first + visit.operators]
                needed += sum(operator.cpu for operator in held)
            first += visit.operators
        return needed

    def holding(self, operators: int, load: float) -> "PartialMap":
        """Put the next operators on the map's present node, whose load is then `load`."""
        node = self.here.node
        return replace(
            self,
            visits=(*self.visits[:-1], replace(self.here, operators=operators)),
            length=self.length + operators,
            spent=0.0,
            loads=(*(it for it in self.loads if it[0] != node), (node, load)),
        )

    def sent(self, hop: Hop, cost: float) -> "PartialMap":
        """Lead the map on by a hop that the metric charges so much for."""
        return replace(
            self,
            visits=(*self.visits, MapVisit(hop.receiver, 0, hop.kind)),
            cost=self.cost + cost,
            spent=self.spent + hop.price,
        )

    def mapping(self, task: Task) -> Mapping:
        """Return the mapping of a map with all operators."""
        nodes = [visit.node for visit in self.visits for _ in range(visit.operators)]
        touched: list[list[str]] = [[node] for node in nodes[:-1]]
        kinds = [LinkKind.DEDICATED] * len(touched)
        for stream, _, receiver in self.crossings():
            touched[stream].append(receiver.node)
            kinds[stream] = receiver.arrived
        return Mapping(
            {operator.id: node for operator, node in zip(task.operators, nodes, strict=True)},
            tuple(Route(kind, tuple(hops)) for kind, hops in zip(kinds, touched, strict=True)),
        )
