"""The cheapest partition of the blobs whose machines also obey (3), (4), (5) and their counts.

Best first: a node is some machines, chosen for the heaviest blob left each time, and costs at
least what they cost and what the rest can be split for at least (`subsets`). Nodes are opened in
the order of that bound, so that the first whole partition is the cheapest. What a node's servers,
links and counts do not allow is dropped with all that follows, as more machines only take more.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from math import inf

import numpy as np
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.blobs import Blobs
from eyewall_papers.provisioning.hosted import Hosted, provision_of, wanted
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.serving import serve
from eyewall_papers.provisioning.subsets import Subsets


@dataclass(frozen=True, slots=True)
class Partition:
    """What the search knows when it ends.

    Parameters
    ----------
    outcome
        OPTIMAL, INFEASIBLE, or NOTHING if the time was up.
    provision
        The cheapest, if it was found.
    bound
        No provision costs less.
    steps
        Nodes that were opened.
    remark
        Why it was not decided, if not for lack of time.
    """

    outcome: Outcome
    provision: Provision | None
    bound: float
    steps: int
    remark: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """Machines chosen so far, what is left, and how to go on, the cheapest way first."""

    hosted: tuple[Hosted, ...]
    price: float
    left: int
    sets: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    types: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    bounds: Floats = field(default_factory=lambda: np.zeros(0))


def cheapest_partition(
    problem: ProvisioningProblem,
    blobs: Blobs,
    sets: Subsets,
    least: Floats,
    *,
    known: float = inf,
    ends_at: float,
    clock: Callable[[], float],
) -> Partition:
    """Search among the partitions that cost less than `known`.

    Parameters
    ----------
    least
        As `split_prices` returns it.
    known
        What a provision is known to cost; if nothing costs less, the outcome is INFEASIBLE and
        the bound is `known`.
    """
    everything = 2 ** len(blobs) - 1
    waiting: list[tuple[float, int, int, int, _Node]] = []
    ticket = count()
    plain = _plain(problem)

    def open_node(hosted: tuple[Hosted, ...], price: float, left: int) -> None:
        node = _opened(blobs, sets, least, _Node(hosted, price, left), known, plain=plain)
        if len(node.bounds):
            heappush(waiting, (float(node.bounds[0]), -len(hosted), next(ticket), 0, node))

    open_node((), 0.0, everything)
    steps = 0
    while waiting:
        steps += 1
        if clock() >= ends_at:
            return Partition(Outcome.NOTHING, None, waiting[0][0], steps)
        bound, depth, _, place, node = heappop(waiting)
        if place + 1 < len(node.bounds):
            after = float(node.bounds[place + 1])
            heappush(waiting, (after, depth, next(ticket), place + 1, node))
        new = Hosted(int(node.sets[place]), int(node.types[place]))
        hosted = (*node.hosted, new)
        if not _joins(problem, blobs, node.hosted, new):
            continue
        outcome, downloads = serve(
            problem, wanted(problem, blobs, hosted), ends_at=ends_at, clock=clock
        )
        if outcome is Outcome.NOTHING:
            return Partition(outcome, None, bound, steps)
        if downloads is None:
            continue
        left = node.left ^ new.blobs
        if not left:
            found = provision_of(problem, blobs, hosted, downloads)
            return Partition(Outcome.OPTIMAL, found, bound, steps)
        open_node(hosted, node.price + problem.types[new.type].price, left)
    return Partition(Outcome.INFEASIBLE, None, known, steps)


def _plain(problem: ProvisioningProblem) -> bool:
    """Whether of all types that hold a set only the cheapest matters."""
    return (
        not problem.links
        and all(not server.links for server in problem.servers)
        and all(it.count == inf for it in problem.types)
    )


def _opened(
    blobs: Blobs, sets: Subsets, least: Floats, node: _Node, known: float, *, plain: bool
) -> _Node:
    """List the machines for the heaviest blob that is left, with the bound of each."""
    top = 1 << (node.left.bit_length() - 1)
    last = len(least) - 1
    inside = np.arange(top, 2 * top)
    inside = inside[(inside & ~node.left) == 0]
    rest = node.price + least[np.minimum(node.left ^ inside, last)]
    found_sets, found_types, found_bounds = [], [], []
    for place, fits in enumerate(sets.fits):
        price = blobs.price[place]
        use = fits[inside] & (rest + price < known)
        if plain:
            use &= sets.price[inside] == price
        found_sets.append(inside[use])
        found_types.append(np.full(int(use.sum()), place))
        found_bounds.append(rest[use] + price)
    bounds = np.concatenate(found_bounds)
    order = np.argsort(bounds, kind="stable")
    return _Node(
        node.hosted,
        node.price,
        node.left,
        np.concatenate(found_sets)[order],
        np.concatenate(found_types)[order],
        bounds[order],
    )


def _joins(
    problem: ProvisioningProblem, blobs: Blobs, hosted: tuple[Hosted, ...], new: Hosted
) -> bool:
    """Whether one more such machine can be had, and its links to the others carry their flows."""
    bought = Counter(it.type for it in (*hosted, new))
    if bought[new.type] > problem.types[new.type].count:
        return False
    rows = blobs.flows[new.places()].sum(axis=0)
    name = problem.types[new.type].name
    return not any(
        exceeds(
            float(rows[other.places()].sum()),
            problem.link_between(name, problem.types[other.type].name),
        )
        for other in hosted
    )
