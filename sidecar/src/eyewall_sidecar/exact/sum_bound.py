"""What adds up in a branch: each operator's own cost, and the pairs that streams join.

For a completion x of the branch this is what is settled, and for each unplaced operator i its own
cost and its pairs with placed neighbours (its star), both known for each node, and the pairs of two
unplaced operators. All pairs are split into paths that follow the branching order; what is not
placed of a path starts at some operator h and costs at least tail(h, x_h, room left there). So

    c_i(u) = own_i(u) + star_i(u) + Σ_{paths whose rest starts at i} tail(i, u, room_u − 1),

summed over i for u = x_i, is at most what x costs; and x assigns at most room_u operators to u, so
the least assignment is a bound.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.assignment_bound import Assignment, assign
from eyewall_sidecar.exact.free_capacity import FreeCapacity, admits
from eyewall_sidecar.exact.instance import Flags, Instance, starts_of
from eyewall_sidecar.exact.run_bounds import arrive
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import allocation_free, compiled

NONE = -1


class SumBound(NamedTuple):
    """Tables of what pairs cost along paths that share no pair, and when they count.

    Parameters
    ----------
    starts
        [operator]: where the pairs start of which it is the first, then where they end.
    tails
        [pair, node of first, places left there]: what the path costs at least from this pair on.
    tail_from
        [pair]: the level from which on its tail counts at its first operator, because the pair
        before it on the path starts at a placed one.
    star_from
        [operator]: the level from which on its own cost and its star count; before, they are 0, or
        a path's tail carries its own cost.
    matters_from
        [operator]: the level from which on c_i is not 0 everywhere.
    goes_on
        [pair]: the next one on its path, or `NONE`.
    is_carrier
        [pair]: whether its tail includes the second operator's own cost.
    prices
        [node]: of a place on it (see `capacity_prices`); 0 without.
    """

    starts: Places
    tails: Floats
    tail_from: Places
    star_from: Places
    matters_from: Places
    goes_on: Places
    is_carrier: Flags
    prices: Floats


@compiled
def sum_bound(
    instance: Instance, slots: Places, longest_run: int, carry: bool, prices: Floats
) -> SumBound:
    """Split the pairs into paths, and fill their tables from the last pair back.

    At each operator the paths that arrive are continued in the order in which they come.

    Parameters
    ----------
    slots
        [node]: how many operators it may hold beside the pinned.
    longest_run
        A run this long is never too long.
    carry
        Whether the path on which an operator's first pair arrives carries the operator's own cost
        until that pair is placed. Then the bound knows that it goes with the place in the path,
        but no longer that it goes with room.
    prices
        [node]: of a place on it, paid by every operator that is not pinned, and paid back for all
        places there are.
    """
    operators, nodes = instance.allowed.shape
    pairs = len(instance.pair_costs)
    firsts, seconds = instance.relations.firsts[:pairs], instance.relations.seconds[:pairs]
    starts = starts_of(firsts, operators)
    tail_from, goes_on = np.zeros(pairs, np.int64), np.full(pairs, NONE, np.int64)
    taken = starts[:-1].copy()
    met = np.full(operators, operators, np.int64)
    is_carrier = np.zeros(pairs, np.bool_)
    for pair in range(pairs):
        first, second = firsts[pair], seconds[pair]
        if met[second] == operators:
            met[second] = first + 1
            is_carrier[pair] = carry
        if taken[second] < starts[second + 1]:
            goes_on[pair] = taken[second]
            tail_from[taken[second]] = first + 1
            taken[second] += 1

    own = instance.own.copy()
    for operator in range(operators):
        if not instance.pinned[operator]:
            own[operator] += prices
    tails = np.zeros((pairs, nodes, longest_run + 1))
    end, free = np.zeros((nodes, longest_run + 1)), np.zeros(nodes)
    for pair in range(pairs - 1, -1, -1):
        operator = seconds[pair]
        arrive(
            instance.allowed[operator],
            0 if instance.pinned[operator] else 1,
            own[operator] if is_carrier[pair] else free,
            instance.pair_costs[pair],
            slots,
            tails[goes_on[pair]] if goes_on[pair] != NONE else end,
            tails[pair],
        )

    star_from, matters_from = np.zeros(operators, np.int64), met.copy()
    for operator in range(operators):
        if carry and met[operator] < operators:
            star_from[operator] = met[operator]
        elif own[operator].any():
            matters_from[operator] = 0
        for pair in range(starts[operator], starts[operator + 1]):
            if tail_from[pair] == 0:
                matters_from[operator] = 0
    return SumBound(starts, tails, tail_from, star_from, matters_from, goes_on, is_carrier, prices)


@allocation_free
def least_sum(
    bound: SumBound,
    to: Assignment,
    capacity: FreeCapacity,
    admitted: Flags,
    stars: Floats,
    star: Places,
    level: int,
    sums: Floats,
) -> float:
    """Return what is not settled of the sum at least.

    Parameters
    ----------
    to
        Where the assignment is written.
    admitted
        [operator, node]: of later operators, written here; that of the level's is known.
    stars
        [row, node]: own and star.
    star
        [operator]: its row now.
    sums
        [node]: the same with the level's operator there, written here.
    """
    room, costs = capacity.room, to.costs
    nodes = len(room)
    settled, rows = 0.0, 0
    for operator in range(level, len(star)):
        if operator == level or level >= bound.matters_from[operator]:
            if operator > level:
                admits(capacity, operator, admitted[operator])
            _alone(
                bound, room, capacity.places[operator], stars, star, level, operator, costs[rows]
            )
            for node in range(nodes):
                if not admitted[operator, node]:
                    costs[rows, node] = inf
            if capacity.places[operator]:
                rows += 1
            else:
                settled += costs[rows].min()
    for node in range(nodes):
        settled -= bound.prices[node] * room[node]
    total = settled + assign(to, rows, room)
    if capacity.places[level] and total < inf:
        seat, prices = to.seats[0], to.prices
        others = total - costs[0, seat] - prices[seat]
        for node in range(nodes):
            sums[node] = others + costs[0, node] + prices[node]
    else:
        sums[:] = total
    return total


@allocation_free
def _alone(
    bound: SumBound,
    room: Places,
    taken: int,
    stars: Floats,
    star: Places,
    level: int,
    operator: int,
    cost: Floats,
) -> None:
    """Write c_i(u) for all nodes u."""
    tails, tail_from, starts, prices = bound.tails, bound.tail_from, bound.starts, bound.prices
    nodes, last = tails.shape[1], tails.shape[2] - 1
    counts = level >= bound.star_from[operator]
    row = star[operator]
    for node in range(len(cost)):
        cost[node] = stars[row, node] + taken * prices[node] if counts else 0.0
    for pair in range(starts[operator], starts[operator + 1]):
        if level >= tail_from[pair]:
            for node in range(nodes):
                left = max(0, min(room[node] - taken, last))
                cost[node] += tails[pair, node, left]
