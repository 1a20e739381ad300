"""Prices of places on nodes that raise the bound on what adds up, found by subgradient steps.

The bound with prices p is concave in p, and at p the paths' minima use so many places on each node;
use minus room is a subgradient. Steps are Polyak's: as long as the gap to the best cost known
says (Polyak, "Minimization of unsmooth functionals", 1969).
"""

from math import inf

import numpy as np

from eyewall_sidecar.exact.instance import Instance
from eyewall_sidecar.exact.sum_bound import NONE, SumBound, sum_bound
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import allocation_free, compiled

ROUNDS = 60
MOST_HOPS = 30_000_000
"""Fewer rounds are made where they would look at more hops than this, about a tenth of a second."""

PATIENCE = 4
"""After so many rounds without a better bound, steps are halved."""

UNKNOWN_GAP = 0.1
"""Without an incumbent, the best cost is taken to be this fraction above the bound."""


@compiled
def capacity_prices(instance: Instance, slots: Places, longest_run: int, known: float) -> Floats:
    """Return [node]: the best prices found.

    Parameters
    ----------
    slots, longest_run
        As for `sum_bound`.
    known
        What the best placement so far costs; infinite if there is none.
    """
    prices = np.zeros(len(slots))
    best, best_bound, scale, waited = prices.copy(), -inf, 1.0, 0
    hops = max(1, instance.pair_costs.size)
    for _ in range(min(ROUNDS, MOST_HOPS // hops)):
        bound = sum_bound(instance, slots, longest_run, True, prices)  # noqa: FBT003
        use = np.zeros(len(slots))
        value = _least_use(instance, bound, slots, use) - (prices * slots).sum()
        if value == inf:
            break
        waited += 1
        if value > best_bound:
            best, best_bound, waited = prices.copy(), value, 0
        if waited > PATIENCE:
            scale, waited = scale / 2, 0
        over = use - slots
        over[(over < 0) & (prices == 0.0)] = 0.0
        length = (over * over).sum()
        goal = known if known < inf else value + UNKNOWN_GAP * abs(value)
        if length == 0.0 or value >= goal:
            break
        prices = np.maximum(0.0, prices + scale * (goal - value) / length * over)
    return best


@compiled
def _least_use(instance: Instance, bound: SumBound, slots: Places, use: Floats) -> float:
    """Return the sum of all minima at the root, and add up [node] how many places they use."""
    operators, nodes = instance.allowed.shape
    last = bound.tails.shape[2] - 1
    total = 0.0
    for operator in range(operators):
        taken = 0 if instance.pinned[operator] else 1
        counts = bound.star_from[operator] == 0
        least, at = inf, NONE
        for node in range(nodes):
            if instance.allowed[operator, node] and slots[node] >= taken:
                cost = instance.own[operator, node] + taken * bound.prices[node] if counts else 0.0
                for pair in range(bound.starts[operator], bound.starts[operator + 1]):
                    if bound.tail_from[pair] == 0:
                        cost += bound.tails[pair, node, min(slots[node] - taken, last)]
                if cost < least:
                    least, at = cost, node
        if at == NONE:
            return inf
        total += least
        if counts:
            use[at] += taken
        for pair in range(bound.starts[operator], bound.starts[operator + 1]):
            if bound.tail_from[pair] == 0:
                _follow(instance, bound, slots, pair, at, min(slots[at] - taken, last), use)
    return total


@allocation_free
def _follow(
    instance: Instance,
    bound: SumBound,
    slots: Places,
    pair: int,
    node: int,
    left: int,
    use: Floats,
) -> None:
    """Add up what one path uses, from a pair on whose first operator is on the node."""
    last = bound.tails.shape[2] - 1
    while pair != NONE:
        operator, onward = instance.relations.seconds[pair], bound.goes_on[pair]
        taken = 0 if instance.pinned[operator] else 1
        carries = bound.is_carrier[pair]
        least, to, left_there = inf, node, 0
        for other in range(len(slots)):
            room = left if other == node else min(slots[other], last)
            if not instance.allowed[operator, other] or room < taken:
                continue
            cost = instance.pair_costs[pair, node, other]
            if carries:
                cost += instance.own[operator, other] + taken * bound.prices[other]
            if onward != NONE:
                cost += bound.tails[onward, other, room - taken]
            if cost < least:
                least, to, left_there = cost, other, room - taken
        if carries:
            use[to] += taken
        pair, node, left = onward, to, left_there
