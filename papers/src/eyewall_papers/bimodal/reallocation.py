"""Which links the flows that leave a host use in the next epoch: algorithm 4 of paper 004.

Each host runs it by itself, once an interval, on what it observed: section 5.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import floor, inf

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import require_amount, require_unique
from eyewall_sidecar.model.limits import MOST, MOST_OFFERED
from eyewall_sidecar.model.violations import TOLERANCE, exceeds

from eyewall_papers.bimodal.mapping import Route
from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.task import MAX_NULL


class LinkReason(StrEnum):
    """Why a flow is on the links that it is on."""

    DIRECT = "its priority is among the highest on the direct link"
    MULTI_HOP = "no room on a direct link, but on a path within the budget"
    SEARCHING = "public until the search for a dedicated path ends"
    NO_PATH = "no dedicated path within the budget has room"
    NO_BUDGET = "no room on a direct link, and the budget permits no second hop"
    NO_HOP = "the budget permits no dedicated link"


class NoReservation(StrEnum):
    """The answer of a probe without a reserved path."""

    SEARCHING = "searching"
    NO_PATH = "no path"


@dataclass(frozen=True, slots=True)
class LinkFlow:
    """A stream that leaves the host, checked when it is made.

    Parameters
    ----------
    id
        Its name; equal priorities are served in the order of names.
    next_hop
        Id of the node that runs the operator that it leads to.
    target
        Bytes/s that the task was promised, and what the flow takes of a link.
    needed
        Bytes/s in the next epoch that comply with the promise, see `rate_to_comply`.
    budget
        What the host may pay for carrying a byte.
    """

    id: str
    next_hop: str
    target: float
    needed: float
    budget: float = inf

    def __post_init__(self) -> None:
        require_amount(self, "target", self.target, MOST_OFFERED)
        require_amount(self, "needed", self.needed, MOST)
        require_amount(self, "budget", self.budget, MOST, unlimited=True)

    def __str__(self) -> str:
        return f"flow {self.id}"

    @property
    def rank(self) -> tuple[float, float, str]:
        """The sort key: first the priority of line 5, budget · bandwidth needed.

        Unlimited budgets are equal: among them the bandwidth decides, and names in the end.
        """
        priority = self.budget * self.needed if self.needed else 0.0
        return -priority, -self.needed, self.id


@dataclass(frozen=True, slots=True)
class LinkAssignment:
    """The links that a flow uses in the next epoch, and why."""

    route: Route
    reason: LinkReason


Probe = Callable[[LinkFlow, int, Mapping[str, float]], Route | NoReservation]
"""Reserves a dedicated path for a flow (line 13).

Arguments are the flow, the most hops, and neighbour → bytes/s that this host's links have left.
It answers with the path that it reserved, and at once with the one that it holds for the flow, as
long as this host's link to the path's second node has room.
"""


def rate_to_comply(target: float, elapsed: float, delivered: float, interval: float) -> float:
    """Bytes/s in the next interval after which nothing is behind; 0 for a flow that far ahead.

    (target · (elapsed + interval) − delivered) / interval: the target and what the flow is behind
    it, over the interval (section 5: "the data rate required in next scheduling epoch").

    Parameters
    ----------
    target
        Bytes/s.
    elapsed, interval
        Seconds since the flow began, and to the next decision; the latter is positive.
    delivered
        Bytes since it began.
    """
    if not interval > 0.0:
        raise ProblemError(f"interval is {interval:g} s; it must be positive")
    return max(target * (elapsed + interval) - delivered, 0.0) / interval


def permitted_hops(budget: float, price: float, most_hops: int) -> int:
    """The longest dedicated path that a budget pays for, in hops, up to `most_hops`."""
    if price == 0.0 or budget == inf:
        return most_hops
    return floor(min(budget / price * (1.0 + TOLERANCE), most_hops))


def reallocate(
    host: str,
    flows: Iterable[LinkFlow],
    free: Mapping[str, float],
    probe: Probe,
    price: float,
    most_hops: int = MAX_NULL + 1,
) -> dict[str, LinkAssignment]:
    """Flow id → the links for the next epoch, for all flows that leave a host.

    Algorithm 4. What the paper leaves open: a flow takes its target rate of a link, as it did when
    it was mapped, however far it is behind; one that does not fit is passed over and the next may
    fit; the flows that remain are probed for in the order of their priority, whatever their group.
    A direct link is a hop to pay for.

    Parameters
    ----------
    host
        Id of the node that decides.
    flows
        All that leave it for another node. What they hold now is theirs no more.
    free
        Neighbour → bytes/s of the dedicated link to it, less what it forwards for others.
    probe
        Searches and reserves paths of more than one hop.
    price
        Of a byte on one dedicated hop.
    most_hops
        The longest path that is searched for, whatever the budget.

    Raises
    ------
    ProblemError
        For two flows of one name, a flow to the host itself, a negative price, or a probe's path
        that leads elsewhere, is too long or overfills the host's own link.
    """
    flows = sorted(flows, key=lambda it: it.rank)
    require_unique("flow", [it.id for it in flows])
    require_amount("dedicated hop", "price", price, MOST)
    left = dict(free)
    assigned: dict[str, LinkAssignment] = {}
    for flow in flows:
        if flow.next_hop == host:
            raise ProblemError(f"{flow} of {host} leads to {host}; it needs no link")
        if not permitted_hops(flow.budget, price, most_hops):
            assigned[flow.id] = _public(host, flow, LinkReason.NO_HOP)
        elif flow.next_hop in left and not exceeds(flow.target, left[flow.next_hop]):
            left[flow.next_hop] -= flow.target
            direct = Route(LinkKind.DEDICATED, (host, flow.next_hop))
            assigned[flow.id] = LinkAssignment(direct, LinkReason.DIRECT)
    for flow in flows:
        if flow.id not in assigned:
            hops = permitted_hops(flow.budget, price, most_hops)
            assigned[flow.id] = _beyond_direct(host, flow, hops, left, probe)
    return assigned


def _beyond_direct(
    host: str, flow: LinkFlow, hops: int, left: dict[str, float], probe: Probe
) -> LinkAssignment:
    """Lines 12 to 17; takes the path's share of `left`."""
    if hops < 2:
        return _public(host, flow, LinkReason.NO_BUDGET)
    found = probe(flow, hops, left)
    if not isinstance(found, Route):
        return _public(host, flow, LinkReason[found.name])
    if (found.hops[0], found.hops[-1]) != (host, flow.next_hop):
        raise ProblemError(
            f"{flow} from {host} to {flow.next_hop}: its probe leads {' → '.join(found.hops)}"
        )
    if len(found.links) > hops:
        raise ProblemError(f"{flow}: its probe took {len(found.links)} hops, {hops} are permitted")
    first = found.hops[1]
    if first not in left or exceeds(flow.target, left[first]):
        raise ProblemError(
            f"{flow}: its probe took {flow.target:g} bytes/s of the link from {host} to {first}, "
            f"{left.get(first, 0.0):g} are left"
        )
    left[first] -= flow.target
    return LinkAssignment(found, LinkReason.MULTI_HOP)


def _public(host: str, flow: LinkFlow, reason: LinkReason) -> LinkAssignment:
    return LinkAssignment(Route(LinkKind.PUBLIC, (host, flow.next_hop)), reason)
