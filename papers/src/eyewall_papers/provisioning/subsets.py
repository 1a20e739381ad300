r"""Every set of blobs with the cheapest machine for it, and the cheapest ways to split every set.

Set S is the number whose bit b says whether blob b is in it. With p(S) the price of the cheapest
machine type that holds S by (1), (2) and what (4) says of objects that one server alone holds
(paper 003, section 2.3), and h the heaviest blob in R,

    f(R) = min over S ⊆ R, h ∈ S of p(S) + f(R \ S),   f(∅) = 0,

is what R costs at least: constraints (3) and (5) and the counts of machines are left out. About
3ⁿ⁻¹ / 2 sums for n blobs, half a thousand million for 20.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np
from eyewall_sidecar.model.arrays import Floats
from eyewall_sidecar.model.compilation import kernel

from eyewall_papers.provisioning.blobs import Blobs, Flags, tolerated
from eyewall_papers.provisioning.data import DataServer
from eyewall_papers.provisioning.problem import ProvisioningProblem

MOST_BLOBS = 20
"""So many blobs are split in about a second; each more triples it."""

SLICES = 64
"""The clock is asked so many times."""


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
                held &= exclusive[server.id] <= tolerated([server.link_to(machine_type.name)])[0]
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
    beside = others
    while True:
        best = min(best, price[top | beside] + least[others ^ beside])
        if beside == 0:
            return float(best)
        beside = (beside - 1) & others


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
