"""What adds up in a branch: each operator's own cost, and the pairs that streams join.

For a completion x of the branch this is what is settled, and for each unplaced operator i its own
cost and its pairs with placed neighbours (its star), both known for each node, and the pairs of two
unplaced operators. All pairs are split into paths that follow the branching order; what is not
placed of a path starts at some operator h and costs at least tail(h, x_h, room left there). So

    c_i(u) = own_i(u) + star_i(u) + Σ_{paths whose rest starts at i} tail(i, u, room_u − 1),

summed over i for u = x_i, is at most what x costs; and x assigns at most room_u operators to u, so
the least assignment is a bound.

A tail sees capacity. A path visits nodes in runs of neighbouring operators. Within a run nothing is
paid for hops, but each operator takes a place; leaving for another node pays the hop and finds at
most all places there. With f the places left for the run on node u, and s_v the places of an empty
node v,

    arriving(j, u, f) = min { there_j(u) + after(j, u, f − 1)                       if f ≥ 1
                            { min_{v ≠ u} hop(u, v) + there_j(v) + after(j, v, s_v − 1)

is at most what any placement pays for the way from a predecessor of j on u, j included: places
that the path used on v before, or that other operators use, are given to it for free. Pinned
operators have their place set aside, so they take none.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.bounds.assignment import Assignment, assign
from eyewall_sidecar.exact.capacity import Capacity, admit
from eyewall_sidecar.exact.instance import Instance, starts_of
from eyewall_sidecar.model.array_types import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import kernel, subroutine

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
    """

    starts: Indices
    tails: Floats
    tail_from: Indices
    star_from: Indices
    matters_from: Indices
    goes_on: Indices
    is_carrier: Flags


def sum_bound(instance: Instance, slots: Indices, longest_run: int) -> SumBound:
    """Split the pairs into paths, and fill their tables from the last pair back.

    At each operator the paths that arrive are continued in the order in which they come. Where
    operators differ in their own costs, the path on which an operator's first pair arrives carries
    the operator's own cost until that pair is placed. Then the bound knows that this cost goes with
    the place in the path, but no longer that it goes with room.

    Parameters
    ----------
    slots
        [node]: how many operators it may hold besides the pinned.
    longest_run
        A run this long is never too long.
    """
    operators, pairs = instance.operators, len(instance.pair_costs)
    firsts, seconds = instance.pairs.firsts[:pairs], instance.pairs.seconds[:pairs]
    starts = starts_of(firsts, operators)
    tail_from, goes_on = np.zeros(pairs, dtype=np.int64), np.full(pairs, NONE, dtype=np.int64)
    free = starts[:-1].tolist()
    met = np.full(operators, operators, dtype=np.int64)
    is_carrier = np.zeros(pairs, dtype=np.bool_)
    carry = bool((instance.own != instance.own[:1]).any())
    for pair, (first, second) in enumerate(zip(firsts.tolist(), seconds.tolist(), strict=True)):
        if met[second] == operators:
            met[second] = first + 1
            is_carrier[pair] = carry
        if free[second] < starts[second + 1]:
            goes_on[pair] = free[second]
            tail_from[free[second]] = first + 1
            free[second] += 1
    star_from, matters_from = np.zeros(operators, dtype=np.int64), met.copy()
    carried = (met < operators) & carry
    star_from[carried] = met[carried]
    matters_from[~carried & instance.own.any(axis=1)] = 0
    matters_from[firsts[tail_from == 0]] = 0
    bound = SumBound(
        starts=starts,
        tails=np.zeros((pairs, instance.nodes, longest_run + 1)),
        tail_from=tail_from,
        star_from=star_from,
        matters_from=matters_from,
        goes_on=goes_on,
        is_carrier=is_carrier,
    )
    if pairs:
        _fill_tails(
            instance.allowed,
            instance.takes,
            instance.own,
            instance.pairs.seconds,
            instance.pair_costs,
            bound.goes_on,
            bound.is_carrier,
            slots,
            np.zeros(instance.nodes),
            bound.tails,
        )
    return bound


@kernel
def _fill_tails(
    allowed: Flags,
    takes: Indices,
    own: Floats,
    seconds: Indices,
    pair_costs: Floats,
    goes_on: Indices,
    is_carrier: Flags,
    slots: Indices,
    leave: Floats,
    tails: Floats,
) -> None:
    """Write [pair, node of first, places left] `tails`: the lesser of staying and of leaving.

    Parameters
    ----------
    leave
        [node]: scratch.
    """
    nodes, levels = tails.shape[1], tails.shape[2]
    for pair in range(len(tails) - 1, -1, -1):
        operator, onward = seconds[pair], goes_on[pair]
        taken = takes[operator]
        for node in range(nodes):
            leave[node] = inf
        for node in range(nodes):
            room = min(slots[node], levels - 1)
            if allowed[operator, node] and room >= taken:
                entered = own[operator, node] if is_carrier[pair] else 0.0
                if onward != NONE:
                    entered += tails[onward, node, room - taken]
                for before in range(nodes):
                    if before != node:
                        leave[before] = min(leave[before], pair_costs[pair, before, node] + entered)
        for node in range(nodes):
            for left in range(levels):
                tails[pair, node, left] = leave[node]
            if allowed[operator, node]:
                for left in range(taken, levels):
                    stay = own[operator, node] if is_carrier[pair] else 0.0
                    if onward != NONE:
                        stay += tails[onward, node, left - taken]
                    tails[pair, node, left] = min(leave[node], stay)


@subroutine
def least_sum(
    bound: SumBound,
    to: Assignment,
    capacity: Capacity,
    admitted: Flags,
    stars: Floats,
    star: Indices,
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
    room, costs, takes = capacity.room, to.costs, capacity.takes
    nodes = len(room)
    settled, rows = 0.0, 0
    for operator in range(level, len(star)):
        if operator == level or level >= bound.matters_from[operator]:
            if operator > level:
                admit(capacity, operator, admitted[operator])
            _cost_alone(bound, room, takes[operator], stars, star, level, operator, costs[rows])
            least = inf
            for node in range(nodes):
                if not admitted[operator, node]:
                    costs[rows, node] = inf
                least = min(least, costs[rows, node])
            if takes[operator]:
                rows += 1
            else:
                settled += least
    total = settled + assign(to, rows, room)
    if takes[level] and total < inf:
        seat, prices = to.seats[0], to.prices
        others = total - costs[0, seat] - prices[seat]
        for node in range(nodes):
            sums[node] = others + costs[0, node] + prices[node]
    else:
        for node in range(nodes):
            sums[node] = total
    return total


@subroutine
def _cost_alone(
    bound: SumBound,
    room: Indices,
    takes: int,
    stars: Floats,
    star: Indices,
    level: int,
    operator: int,
    cost: Floats,
) -> None:
    """Write c_i(u) for all nodes u."""
    tails, tail_from, starts = bound.tails, bound.tail_from, bound.starts
    last = tails.shape[2] - 1
    counts = level >= bound.star_from[operator]
    row = star[operator]
    for node in range(len(cost)):
        cost[node] = stars[row, node] if counts else 0.0
    for pair in range(starts[operator], starts[operator + 1]):
        if level >= tail_from[pair]:
            for node in range(len(cost)):
                left = max(0, min(room[node] - takes, last))
                cost[node] += tails[pair, node, left]
