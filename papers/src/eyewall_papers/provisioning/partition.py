r"""The cheapest partition of the blobs whose machines also obey (3), (4), (5) and their counts.

Best first: a node is a list of machines, each chosen for the heaviest remaining blob. Its bound is
the price of its machines and the least price of the rest (`subsets`). Nodes are opened in the order
of that bound, so the first whole partition is the cheapest. A node that servers, links or counts do
not allow is dropped with its descendants, since more machines only take more.

`subsets` has the cheapest machine for every set of blobs, and the least price to split every set.
Set S is the number whose bit b tells whether blob b is in it. With p(S) the price of the cheapest
machine type that holds S by (1), (2) and, for objects held by one server alone, (4) (paper 003,
section 2.3), and h the heaviest blob in R,

    f(R) = min over S ⊆ R, h ∈ S of p(S) + f(R \ S),   f(∅) = 0,

is the least price of R: constraints (3) and (5) and the counts of machines are left out. That takes
about 3ⁿ⁻¹ / 2 sums for n blobs, half a thousand million for 20.
"""

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from math import inf, isfinite

import numpy as np
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import kernel
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.blobs import (
    Blobs,
    Flags,
    HostedBlobs,
    add_tolerance,
    provision_of,
    wanted,
)
from eyewall_papers.provisioning.problem import DataServer, ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.server_choice import serve

MOST_BLOBS = 20
"""So many blobs are split in about a second; each more triples it."""

SLICES = 64
"""The clock is read so many times."""


@dataclass(frozen=True, slots=True, eq=False)
class Subsets:
    """What holds each set.

    Parameters
    ----------
    fits
        Type → [set]: whether a machine of it holds the set.
    price
        [set]: of the cheapest; infinite if none does, 0 for no blobs.
    """

    fits: tuple[Flags, ...]
    price: Floats


def subsets(problem: ProvisioningProblem, blobs: Blobs) -> Subsets:
    """Look at all 2ⁿ sets."""
    work = _sums(blobs.work)
    memory = _sums(blobs.memory)
    card = _cuts(blobs.flows)
    exclusive = {it.id: np.zeros(len(work)) for it in problem.servers if _limited(problem, it)}
    for k, thing in enumerate(problem.objects):
        if not blobs.uses[:, k].any():
            continue
        used = _any(blobs.uses[:, k])
        card += np.where(used, thing.rate, 0.0)
        holders = problem.holders(thing.id)
        if len(holders) == 1 and holders[0].id in exclusive:
            exclusive[holders[0].id] += np.where(used, thing.rate, 0.0)
    fits = []
    for place, machine_type in enumerate(problem.types):
        held = (work <= blobs.cpu[place]) & (memory <= blobs.memory_of[place])
        held &= card <= blobs.card[place]
        held &= ~_any(~blobs.allowed[:, place])
        for server in problem.servers:
            if server.id in exclusive:
                held &= (
                    exclusive[server.id] <= add_tolerance([server.link_to(machine_type.name)])[0]
                )
        fits.append(held)
    price = np.full(len(work), np.inf)
    for place, held in enumerate(fits):
        price[held] = np.minimum(price[held], blobs.price[place])
    price[0] = 0.0
    return Subsets(tuple(fits), price)


def split_prices(price: Floats, *, ends_at: float, clock: Callable[[], float]) -> Floats | None:
    """Return f for every set without the heaviest blob, and last for all blobs.

    None if the time is up before.
    """
    half = len(price) // 2
    least = np.zeros(half + 1)
    borders = np.linspace(0, half, SLICES + 1).astype(np.int64)
    for start, end in itertools.pairwise(borders):
        if clock() >= ends_at:
            return None
        _split(price, least, max(1, int(start)), int(end))
    least[half] = _least(price, least, half, half - 1)
    return least


@kernel
def _split(price: Floats, least: Floats, start: int, end: int) -> None:
    top = 1
    for whole in range(start, end):
        while 2 * top <= whole:
            top *= 2
        least[whole] = _least(price, least, top, whole ^ top)


@kernel
def _least(price: Floats, least: Floats, top: int, others: int) -> float:
    """Take the heaviest blob, `top`, with each subset of the others."""
    best = inf
    part = others
    while True:
        best = min(best, price[top | part] + least[others ^ part])
        if part == 0:
            return float(best)
        part = (part - 1) & others


def _sums(parts: Floats) -> Floats:
    """Return [set]: Σ of its parts."""
    sums = np.zeros(1)
    for part in parts:
        sums = np.concatenate([sums, sums + part])
    return sums


def _any(flags: Flags) -> Flags:
    """Return [set]: whether a blob in it has the flag."""
    found = np.zeros(1, dtype=np.bool_)
    for flag in flags:
        found = np.concatenate([found, found | flag])
    return found


def _cuts(flows: Floats) -> Floats:
    """Return [set]: what flows between it and the other blobs."""
    cuts = np.zeros(1)
    for b, row in enumerate(flows):
        cuts = np.concatenate([cuts, cuts + row.sum() - 2 * _sums(row[:b])])
    return np.maximum(cuts, 0.0)


def _limited(problem: ProvisioningProblem, server: DataServer) -> bool:
    return any(isfinite(server.link_to(it.name)) for it in problem.types)


@dataclass(frozen=True, slots=True)
class Partition:
    """The result of the search.

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
    """Machines chosen so far, remaining blobs, and continuations, the cheapest first."""

    hosted: tuple[HostedBlobs, ...]
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

    def open_node(hosted: tuple[HostedBlobs, ...], price: float, left: int) -> None:
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
        new = HostedBlobs(int(node.sets[place]), int(node.types[place]))
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
    """List the machines for the heaviest remaining blob, with the bound of each."""
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
    problem: ProvisioningProblem, blobs: Blobs, hosted: tuple[HostedBlobs, ...], new: HostedBlobs
) -> bool:
    """Whether one more such machine is available, and its links to the others carry their flows."""
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
