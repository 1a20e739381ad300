"""A lower bound on the price: an integer program over the number of machines of each type.

A relaxation of paper 003, section 5, without the places of operators, except for what every valid
provision shows of them in the numbers of machines. It takes milliseconds for any number of
operators, so a heuristic's answer gets a gap.
"""

from collections.abc import Callable
from itertools import pairwise
from math import inf, isfinite

import numpy as np
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.highs import minimise
from pulp import LpInteger, LpMinimize, LpProblem, LpVariable, lpSum

from eyewall_papers.provisioning.blobs import Blobs
from eyewall_papers.provisioning.problem import ProvisioningProblem

Count = list[LpVariable]
"""[type]: the number of machines."""


def price_bound(
    problem: ProvisioningProblem,
    blobs: Blobs,
    *,
    known: float = 0.0,
    machines: int = 1,
    ends_at: float,
    clock: Callable[[], float],
) -> float:
    """Return what every valid provision costs at least; infinite if there is none.

    Parameters
    ----------
    known
        A bound from elsewhere: it is raised to the next price that machines can add up to.
    machines
        Only platforms of so many machines or more are considered.
    """
    linear = LpProblem("purchase", LpMinimize)
    most = [min(float(len(blobs)), it.count) for it in problem.types]
    number = [linear.add_variable(f"n_{t}", 0, limit, LpInteger) for t, limit in enumerate(most)]
    define_numbers(linear, number, blobs)
    linear += lpSum(number) >= machines, "machines"
    price = lpSum(float(cost) * n for cost, n in zip(blobs.price, number, strict=True))
    linear += price
    if known > 0:
        unit = max(1.0, float(blobs.price.max()))
        linear += price / unit >= known / unit * (1 - 1e-9), "known"
    run = minimise(linear, ends_at=ends_at, clock=clock, seed=0)
    if run.outcome is Outcome.INFEASIBLE:
        return inf
    return max(known, run.bound * (1 - 1e-9) if isfinite(run.bound) else 0.0)


def define_numbers(linear: LpProblem, number: Count, blobs: Blobs) -> None:
    """Constraints on the numbers of machines of every valid provision."""
    define_hosts(linear, number, blobs)
    define_sums(linear, number, blobs)
    define_large_operators(linear, number, blobs)
    define_cards(linear, number, blobs)


def define_hosts(linear: LpProblem, number: Count, blobs: Blobs) -> None:
    """Σ_(c that may run i, and hold it by itself) n_c ≥ 1 for every blob i."""
    own = blobs.uses.astype(np.float64) @ blobs.rates
    holds = (
        blobs.allowed
        & (blobs.work[:, None] <= blobs.cpu)
        & (blobs.memory[:, None] <= blobs.memory_of)
        & (own[:, None] <= blobs.card)
    )
    for row, hosts in enumerate(np.unique(holds, axis=0)):
        linear += (
            lpSum(n for n, host in zip(number, hosts, strict=True) if host) >= 1,
            f"platform_host_{row}",
        )


def define_sums(linear: LpProblem, number: Count, blobs: Blobs) -> None:
    """(1) summed: Σ_c s_c n_c ≥ Σ_i ρ w_i, and the same in memory."""
    for name, needed, offered in (
        ("cpu", float(blobs.work.sum()), blobs.cpu),
        ("memory", float(blobs.memory.sum()), blobs.memory_of),
    ):
        if needed > 0:
            # What alone is enough for all is not worth more than that.
            worth = np.minimum(offered / needed, 1.0)
            linear += _weighted(worth, number) >= 1, f"platform_{name}"


def define_large_operators(linear: LpProblem, number: Count, blobs: Blobs) -> None:
    """(1) for blobs of work λ or more: Σ_c k_c(λ) n_c ≥ how many there are, for every λ.

    k_c(λ) is how many of them a machine of class c holds, the smallest first.
    """
    work = np.sort(blobs.work)
    for first in range(len(work)):
        if first and work[first] == work[first - 1]:
            continue
        loads = np.cumsum(work[first:])
        held = np.searchsorted(loads, blobs.cpu, side="right").astype(np.float64)
        if held.min() < len(loads):
            linear += _weighted(held, number) >= len(loads), f"platform_large_{first}"


def define_cards(linear: LpProblem, number: Count, blobs: Blobs) -> None:
    """(2) summed: Σ_c Bp_c n_c ≥ Σ_k rate_k + 2 · Σ of the m − z least flows, m = Σ_c n_c.

    Each object in use is downloaded once at least. Blobs that hang together in z connected parts
    are on m machines only if m − z flows or more go between machines, and each takes two cards.
    The sum F of the least flows is convex in m: it is no less than F(j) + f_(j+1) (m − z − j). No
    more machines are of use than there are blobs: of a dense graph's flows few matter.
    """
    downloads = float(blobs.rates[blobs.uses.any(axis=0)].sum())
    parts = _connected_parts(blobs)
    flows = np.sort(blobs.flows[np.triu_indices(len(blobs), 1)])
    flows = flows[flows > 0][: len(blobs) - parts]
    sums = np.concatenate([[0.0], np.cumsum(flows)])
    unit = max(downloads, float(blobs.flows.max(initial=0.0)))
    if not unit > 0:
        return
    card = np.minimum(blobs.card, downloads + float(blobs.flows.sum()))
    linear += _weighted(card / unit, number) >= downloads / unit, "platform_card"
    for j, (before, after) in enumerate(pairwise(sums)):
        flow = after - before
        if j and flow == sums[j] - sums[j - 1]:
            continue
        needed = downloads + 2 * (before - flow * (parts + j))
        linear += (
            _weighted((card - 2 * flow) / unit, number) >= needed / unit,
            f"platform_flows_{j}",
        )


def _connected_parts(blobs: Blobs) -> int:
    reached = np.zeros(len(blobs), dtype=np.bool_)
    parts = 0
    for start in range(len(blobs)):
        if reached[start]:
            continue
        parts += 1
        waiting = [start]
        while waiting:
            b = waiting.pop()
            if not reached[b]:
                reached[b] = True
                waiting += np.flatnonzero(blobs.flows[b] > 0).tolist()
    return parts


def _weighted(weights: np.ndarray, number: Count) -> LpVariable:
    return lpSum(float(weight) * n for weight, n in zip(weights, number, strict=True))
