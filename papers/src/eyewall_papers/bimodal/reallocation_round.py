"""One round of link re-allocation on a whole network: each host decides in turn (algorithm 4)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Table
from dataclasses import dataclass, replace

from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.bimodal.mapping import Mapping, Resources, Route
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork, fewest_hops
from eyewall_papers.bimodal.reallocation import (
    LinkAssignment,
    LinkFlow,
    NoReservation,
    Probe,
    rate_to_comply,
    reallocate,
)
from eyewall_papers.bimodal.task import Task


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """A task that runs, as its hosts see it.

    Parameters
    ----------
    task, mapping
        What runs, and where.
    elapsed
        Seconds since it began.
    done
        Seconds that it would have taken at the target rate for what is delivered.
    """

    task: Task
    mapping: Mapping
    elapsed: float
    done: float


@dataclass(frozen=True, slots=True)
class ReallocationRound:
    """The result of a round: each task's new mapping, and the free resources.

    Uplinks and downlinks may be left with less than nothing: algorithm 4 puts on the public network
    whatever finds no dedicated link. Those who share such a link get less than they were promised.
    """

    mappings: tuple[Mapping, ...]
    free: Resources


def reallocation_round(
    network: TwoKindNetwork,
    free: Resources,
    running: Sequence[TaskProgress],
    price: float,
    interval: float,
) -> ReallocationRound:
    """Let each host re-allocate its links once, in the order of the network's nodes.

    The paper lets hosts decide at any time, without a common clock. A host whose flows are all on
    direct links has nothing to decide.

    Parameters
    ----------
    network, free
        The nodes and links, and what is left of them.
    running
        All tasks that hold a share.
    price
        Of a byte on one dedicated hop.
    interval
        Seconds to the next round.
    """
    ledger = _Ledger(network, dict(free.dedicated), dict(free.uplinks), dict(free.downlinks))
    routes = [list(it.mapping.routes) for it in running]
    leaving: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, it in enumerate(running):
        for stream, route in enumerate(it.mapping.routes):
            if route.links:
                leaving[route.hops[0]].append((at, stream))
    for node in network.nodes:
        places = leaving[node.id]
        held = {_name(place): routes[place[0]][place[1]] for place in places}
        if all(len(it.hops) == 2 and it.kind is LinkKind.DEDICATED for it in held.values()):
            continue
        flows = {_name(place): _flow(running[place[0]], place, interval) for place in places}
        decided = ledger.decide(node.id, flows, held, _limits(running, places), price)
        for at, stream in places:
            routes[at][stream] = decided[_name((at, stream))].route
    return ReallocationRound(
        tuple(
            replace(it.mapping, routes=tuple(now)) for it, now in zip(running, routes, strict=True)
        ),
        Resources(free.cpu, ledger.dedicated, ledger.uplinks, ledger.downlinks),
    )


def _name(place: tuple[int, int]) -> str:
    return f"{place[0]:06d}/{place[1]:03d}"


def _flow(progress: TaskProgress, place: tuple[int, int], interval: float) -> LinkFlow:
    task, stream = progress.task, place[1]
    target = task.bandwidth(stream)
    return LinkFlow(
        _name(place),
        progress.mapping.routes[stream].hops[-1],
        target,
        rate_to_comply(target, progress.elapsed, target * progress.done, interval),
        task.budgets[stream],
    )


def _limits(running: Sequence[TaskProgress], places: Sequence[tuple[int, int]]) -> dict[str, int]:
    return {_name(place): running[place[0]].task.max_null + 1 for place in places}


@dataclass(frozen=True, slots=True)
class _Ledger:
    """Free resources while hosts decide; its dictionaries change."""

    network: TwoKindNetwork
    dedicated: dict[tuple[str, str], float]
    uplinks: dict[str, float]
    downlinks: dict[str, float]

    def decide(
        self,
        host: str,
        flows: Table[str, LinkFlow],
        held: Table[str, Route],
        most_hops: Table[str, int],
        price: float,
    ) -> dict[str, LinkAssignment]:
        """Release what a host's flows hold, and reserve its decisions."""
        for name, flow in flows.items():
            self._change(held[name], flow.target)
        links = {other: self.dedicated[host, other] for other in self.network.neighbours(host)}
        probe = self._probe(host, held, most_hops)
        decided = reallocate(host, flows.values(), links, probe, price, max(most_hops.values()))
        for name, it in decided.items():
            reserved = (
                Route(it.route.kind, it.route.hops[:2]) if len(it.route.hops) > 2 else it.route
            )
            self._change(reserved, -flows[name].target)
        return decided

    def _probe(self, host: str, held: Table[str, Route], most_hops: Table[str, int]) -> Probe:
        """Return what finds and reserves a path, beyond the host's own link."""

        def reserve(flow: LinkFlow, hops: int, left: Table[str, float]) -> Route | NoReservation:
            hops = min(hops, most_hops[flow.id])
            path = held[flow.id].hops
            if not self._holds(held[flow.id], flow, hops, left):
                path = self._shortest(host, flow, hops, left)
            if not path:
                return NoReservation.NO_PATH
            self._change(Route(LinkKind.DEDICATED, path[1:]), -flow.target)
            return Route(LinkKind.DEDICATED, path)

        return reserve

    def _holds(self, route: Route, flow: LinkFlow, hops: int, left: Table[str, float]) -> bool:
        """Return whether the flow has its own path, which it keeps while there is room."""
        return (
            route.kind is LinkKind.DEDICATED
            and 2 <= len(route.links) <= hops
            and not exceeds(flow.target, left[route.hops[1]])
            and not any(exceeds(flow.target, self.dedicated[it]) for it in route.links[1:])
        )

    def _shortest(
        self, host: str, flow: LinkFlow, hops: int, left: Table[str, float]
    ) -> tuple[str, ...]:
        """Return the path of fewest hops with room for the flow; none if there is none."""

        def with_room(node: str) -> Iterator[str]:
            for other in self.network.neighbours(node):
                room = left[other] if node == host else self.dedicated[node, other]
                if not exceeds(flow.target, room):
                    yield other

        return fewest_hops(host, flow.next_hop, with_room, hops)

    def _change(self, route: Route, amount: float) -> None:
        if route.kind is LinkKind.DEDICATED:
            for link in route.links:
                self.dedicated[link] += amount
        elif route.links:
            self.uplinks[route.hops[0]] += amount
            self.downlinks[route.hops[-1]] += amount
