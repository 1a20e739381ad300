"""Which link each connection of a running cluster uses: algorithm 4 of paper 004 at every host.

Each host decides on what leaves it, one after the other; what one has reserved the next one finds
taken, as probes would.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import require_unique, unknown
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.bimodal.fewest_hops import fewest_hops
from eyewall_papers.bimodal.mapping import Route
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.observed_rates import Observed
from eyewall_papers.bimodal.reallocation import (
    Flow,
    NotReserved,
    Reason,
    rate_to_comply,
    reallocate,
)


@dataclass(frozen=True, slots=True)
class Connection:
    """From a host to a worker on another one, with what its topology was promised.

    Parameters
    ----------
    port
        That the worker listens on.
    promised
        Bytes/s that the connection is to carry.
    budget
        What the topology may pay for carrying a byte.
    """

    topology: str
    source: str
    target: str
    port: int
    promised: float
    budget: float = inf

    def __str__(self) -> str:
        return f"{self.topology} {self.source} → {self.target}:{self.port}"

    @property
    def ends(self) -> tuple[str, str, int]:
        """By which traffic is counted."""
        return self.source, self.target, self.port


@dataclass(frozen=True, slots=True)
class Chosen:
    """The route of a connection until the next decision, and why.

    Parameters
    ----------
    rate
        What it had before, in bytes/s; None if it was not watched yet.
    """

    route: Route
    reason: Reason
    rate: float | None


def choose_links(
    network: TwoKindNetwork,
    connections: Iterable[Connection],
    observed: Mapping[Connection, Observed],
    interval: float,
) -> dict[Connection, Chosen]:
    """Decide for all connections, host by host in the network's order.

    A hop has one price in algorithm 4; here it is that of the dearest dedicated link, so that no
    route costs more than its budget.

    Parameters
    ----------
    observed
        What each connection delivered lately.
    interval
        Seconds to the next decision.

    Raises
    ------
    ProblemError
        For two connections of one topology with the same ends, and for a host that is none.
    """
    left = {way: link.bandwidth for link in network.dedicated for way in link.directions}
    price = max((link.price for link in network.dedicated), default=0.0)
    connections = tuple(connections)
    require_unique("connection", [str(it) for it in connections])
    hosts = tuple(node.id for node in network.nodes)
    for it in connections:
        for host in (it.source, it.target):
            if host not in hosts:
                raise ProblemError(f"connection {it}: {unknown('host', host, hosts)}")
    chosen: dict[Connection, Chosen] = {}
    for node in network.nodes:
        flows = {str(it): it for it in connections if it.source == node.id}
        asked = [_flow(name, it, observed[it], interval) for name, it in flows.items()]
        free = {other: left[node.id, other] for other in network.neighbours(node.id)}
        probe = partial(_reserve, network, left, node.id)
        for name, assigned in reallocate(node.id, asked, free, probe, price).items():
            connection = flows[name]
            if assigned.route.kind is LinkKind.DEDICATED:
                left[assigned.route.links[0]] -= connection.promised
            chosen[connection] = Chosen(assigned.route, assigned.reason, observed[connection].rate)
    return chosen


def _flow(name: str, connection: Connection, seen: Observed, interval: float) -> Flow:
    needed = rate_to_comply(connection.promised, seen.elapsed, seen.delivered, interval)
    return Flow(name, connection.target, connection.promised, needed, connection.budget)


def _reserve(
    network: TwoKindNetwork,
    left: dict[tuple[str, str], float],
    host: str,
    flow: Flow,
    most_hops: int,
    own: Mapping[str, float],
) -> Route | NotReserved:
    """Take the path of the fewest hops that has room; beyond the host's own link, of `left`."""

    def with_room(node: str) -> Iterator[str]:
        for other in network.neighbours(node):
            room = own[other] if node == host else left[node, other]
            if not exceeds(flow.target, room):
                yield other

    hops = fewest_hops(host, flow.next_hop, with_room, most_hops)
    if not hops:
        return NotReserved.NO_PATH
    route = Route(LinkKind.DEDICATED, hops)
    for way in route.links[1:]:
        left[way] -= flow.target
    return route
