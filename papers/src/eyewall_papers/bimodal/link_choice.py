"""Which link each connection of a running cluster uses: algorithm 4 of paper 004 at every host.

Each host in turn decides on what leaves it, from the rates of the last window. What one host has
reserved is not free for the next, as if it had probed.
"""

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Generic, TypeVar

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import require_unique, unknown
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.bimodal.mapping import Route
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork, fewest_hops
from eyewall_papers.bimodal.reallocation import (
    LinkFlow,
    LinkReason,
    NoReservation,
    rate_to_comply,
    reallocate,
)

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ObservedTraffic:
    """The traffic of a connection in the last window.

    Parameters
    ----------
    elapsed
        Seconds that are looked back on: the window, or less for a young connection.
    delivered
        Bytes in this time.
    """

    elapsed: float
    delivered: float

    @property
    def rate(self) -> float | None:
        """Bytes/s; None while nothing was looked back on."""
        return self.delivered / self.elapsed if self.elapsed else None


class ObservedRates(Generic[Name]):
    """Counters of the last `window` seconds, by connection.

    Paper 004 watches the delivery rate in a time window that the task specifies (section 6.2);
    what was missed before it is not asked for again.

    Parameters
    ----------
    window
        Seconds.
    """

    def __init__(self, window: float) -> None:
        self._window = window
        self._seen: dict[Name, deque[tuple[float, float]]] = {}

    def update(self, totals: Mapping[Name, float], as_of: float) -> None:
        """Take in counters of this time, in seconds; connections that are not in it are forgotten.

        A counter that is lower than before has restarted, and so does the window.
        """
        for name in self._seen.keys() - totals.keys():
            del self._seen[name]
        for name, total in totals.items():
            seen = self._seen.setdefault(name, deque())
            if seen and (total < seen[-1][1] or as_of < seen[-1][0]):
                seen.clear()
            if not seen or as_of > seen[-1][0]:
                seen.append((as_of, total))
            while len(seen) > 2 and as_of - seen[1][0] >= self._window:
                seen.popleft()

    def of(self, name: Name) -> ObservedTraffic:
        """Return the traffic of a connection; none for one observed at most once."""
        seen = self._seen.get(name)
        if not seen:
            return ObservedTraffic(0.0, 0.0)
        (first, least), (last, most) = seen[0], seen[-1]
        return ObservedTraffic(last - first, most - least)


@dataclass(frozen=True, slots=True)
class ConnectionPromise:
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
class LinkChoice:
    """The route of a connection until the next decision, and why.

    Parameters
    ----------
    rate
        What it had before, in bytes/s; None if it was not watched yet.
    """

    route: Route
    reason: LinkReason
    rate: float | None


def choose_links(
    network: TwoKindNetwork,
    connections: Iterable[ConnectionPromise],
    observed: Mapping[ConnectionPromise, ObservedTraffic],
    interval: float,
) -> dict[ConnectionPromise, LinkChoice]:
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
    chosen: dict[ConnectionPromise, LinkChoice] = {}
    for node in network.nodes:
        flows = {str(it): it for it in connections if it.source == node.id}
        asked = [_flow(name, it, observed[it], interval) for name, it in flows.items()]
        free = {other: left[node.id, other] for other in network.neighbours(node.id)}
        probe = partial(_reserve, network, left, node.id)
        for name, assigned in reallocate(node.id, asked, free, probe, price).items():
            connection = flows[name]
            if assigned.route.kind is LinkKind.DEDICATED:
                left[assigned.route.links[0]] -= connection.promised
            chosen[connection] = LinkChoice(
                assigned.route, assigned.reason, observed[connection].rate
            )
    return chosen


def _flow(
    name: str, connection: ConnectionPromise, seen: ObservedTraffic, interval: float
) -> LinkFlow:
    needed = rate_to_comply(connection.promised, seen.elapsed, seen.delivered, interval)
    return LinkFlow(name, connection.target, connection.promised, needed, connection.budget)


def _reserve(
    network: TwoKindNetwork,
    left: dict[tuple[str, str], float],
    host: str,
    flow: LinkFlow,
    most_hops: int,
    own: Mapping[str, float],
) -> Route | NoReservation:
    """Take the path of the fewest hops that has room; beyond the host's own link, of `left`."""

    def with_room(node: str) -> Iterator[str]:
        for other in network.neighbours(node):
            room = own[other] if node == host else left[node, other]
            if not exceeds(flow.target, room):
                yield other

    hops = fewest_hops(host, flow.next_hop, with_room, most_hops)
    if not hops:
        return NoReservation.NO_PATH
    route = Route(LinkKind.DEDICATED, hops)
    for way in route.links[1:]:
        left[way] -= flow.target
    return route
