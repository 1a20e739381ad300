"""Prices of places on nodes that raise the bound on what adds up, found by subgradient steps.

The bound with prices p is concave in p, and at p the paths' minima use so many places on each node;
use minus room is a subgradient. Steps are Polyak's: as long as the gap to the best cost known
says (Polyak, "Minimization of unsmooth functionals", 1969).
"""

from math import inf

import numpy as np

from eyewall_sidecar.exact.bounds.sum_bound import NONE, SumBound, fill_tails, sum_bound
from eyewall_sidecar.exact.instance import Instance
from eyewall_sidecar.model.arrays import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import kernel, subroutine

ROUNDS = 60
MOST_HOPS = 30_000_000
"""Fewer rounds are made where they would look at more hops than this, about a tenth of a second."""

PATIENCE = 4
"""After so many rounds without a better bound, steps are halved."""

UNKNOWN_GAP = 0.1
"""Without an incumbent, the best cost is taken to be this fraction above the bound."""


def capacity_prices(instance: Instance, slots: Indices, longest_run: int, known: float) -> Floats:
    """Return [node]: the best prices found.

    Parameters
    ----------
    slots, longest_run
        As for `sum_bound`.
    known
        What the best placement so far costs; infinite if there is none.
    """
    prices = np.zeros(instance.nodes)
    best, best_bound, scale, waited = prices.copy(), -inf, 1.0, 0
    bound = sum_bound(instance, slots, longest_run, prices)
    use = np.zeros(instance.nodes, dtype=np.int64)
    for turn in range(min(ROUNDS, MOST_HOPS // max(1, instance.pair_costs.size))):
        if turn:
            bound = bound._replace(prices=prices)
            fill_tails(bound, instance, slots)
        use[:] = 0
        least = _least_use(
            bound,
            instance.allowed,
            instance.takes,
            instance.own,
            instance.pairs.seconds,
            instance.pair_costs,
            slots,
            use,
        )
        value = least - float(prices @ slots)
        if value == inf:
            break
        waited += 1
        if value > best_bound:
            best, best_bound, waited = prices, value, 0
        if waited > PATIENCE:
            scale, waited = scale / 2, 0
        over = (use - slots).astype(np.float64)
        over[(over < 0) & (prices == 0.0)] = 0.0
        length = float(over @ over)
        goal = known if known < inf else value + UNKNOWN_GAP * abs(value)
        if length == 0.0 or value >= goal:
            break
        prices = np.maximum(0.0, prices + scale * (goal - value) / length * over)
    return best


@kernel
def _least_use(
    bound: SumBound,
    allowed: Flags,
    takes: Indices,
    own: Floats,
    seconds: Indices,
    pair_costs: Floats,
    slots: Indices,
    use: Indices,
) -> float:
    """Return the sum of all minima at the root, and add up [node] how many places they use."""
    starts, tails, tail_from, prices = bound.starts, bound.tails, bound.tail_from, bound.prices
    last = tails.shape[2] - 1
    total = 0.0
    for operator in range(len(takes)):
        taken = takes[operator]
        counts = bound.star_from[operator] == 0
        least, at = inf, NONE
        for node in range(len(slots)):
            if allowed[operator, node] and slots[node] >= taken:
                cost = own[operator, node] + taken * prices[node] if counts else 0.0
                for pair in range(starts[operator], starts[operator + 1]):
                    if tail_from[pair] == 0:
                        cost += tails[pair, node, min(slots[node] - taken, last)]
                if cost < least:
                    least, at = cost, node
        if at == NONE:
            return inf
        total += least
        if counts:
            use[at] += taken
        for pair in range(starts[operator], starts[operator + 1]):
            if tail_from[pair] == 0:
                left = min(slots[at] - taken, last)
                _follow(bound, allowed, takes, own, seconds, pair_costs, slots, pair, at, left, use)
    return total


@subroutine
def _follow(
    bound: SumBound,
    allowed: Flags,
    takes: Indices,
    own: Floats,
    seconds: Indices,
    pair_costs: Floats,
    slots: Indices,
    pair: int,
    node: int,
    left: int,
    use: Indices,
) -> None:
    """Add up what one path uses, from a pair on whose first operator is on the node."""
    tails = bound.tails
    last = tails.shape[2] - 1
    while pair != NONE:
        operator, onward = seconds[pair], bound.goes_on[pair]
        taken, carries = takes[operator], bound.is_carrier[pair]
        least, to, left_there = inf, node, 0
        for other in range(len(slots)):
            room = left if other == node else min(slots[other], last)
            if not allowed[operator, other] or room < taken:
                continue
            cost = pair_costs[pair, node, other]
            if carries:
                cost += own[operator, other] + taken * bound.prices[other]
            if onward != NONE:
                cost += tails[onward, other, room - taken]
            if cost < least:
                least, to, left_there = cost, other, room - taken
        if carries:
            use[to] += taken
        pair, node, left = onward, to, left_there
