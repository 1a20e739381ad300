"""What a branch of the search costs at least, for each node its next operator may have.

The sum of two parts, either of which may be nothing: the response time, by tables along paths or
by longest paths over domains; and what adds up, by an assignment of all operators that have placed
neighbours or start a path of pairs.

For a completion x of the branch, what adds up is what is settled, and for each operator i its own
cost and its pairs with placed neighbours (its star), both known for each node, and the pairs of
unplaced operators. The latter lie on paths; the part of a path that is not placed starts at some
operator h, and costs at least tail(h, x_h, room left at x_h). So

    c_i(u) = own_i(u) + star_i(u) + Σ_{paths that start at i} tail(i, u, room_u − 1)

summed over i is at most what x costs; and x is an assignment with at most room_u operators on u.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.odp.assignment_bound import Assignment, assign, room_for_assignment
from eyewall_sidecar.odp.domain_bound import Domains, longest_over_domains
from eyewall_sidecar.odp.free_capacity import FreeCapacity, fits
from eyewall_sidecar.odp.instance import Instance
from eyewall_sidecar.odp.run_bounds import NONE, PairTails, PathTails
from eyewall_sidecar.odp.search_state import SearchState


class Bounds(NamedTuple):
    """What does not change during the search.

    Parameters
    ----------
    path_tails
        For the response time if data flows along the branching order.
    domains
        For the response time if there are hubs.
    by_tails, by_domains
        Whether these are used.
    pair_tails
        For what adds up.
    joins
        [operator]: the level from which on its own cost and its star count; before, a path's tail
        accounts for its own cost, or both are 0.
    matters_from
        [operator]: the level from which on it costs anything by itself.
    frontier_starts, frontier_tails, frontier_heads
        [level]: where the path edges start, then where they end, that lead from operators before
        the level to operators after it.
    assignment
        Where assignments are written.
    """

    path_tails: PathTails
    domains: Domains
    by_tails: bool
    by_domains: bool
    pair_tails: PairTails
    joins: Places
    matters_from: Places
    frontier_starts: Places
    frontier_tails: Places
    frontier_heads: Places
    assignment: Assignment


@compiled
def bounds_of(
    instance: Instance,
    path_tails: PathTails,
    domains: Domains,
    by_tails: bool,
    by_domains: bool,
    pair_tails: PairTails,
) -> Bounds:
    """Find out what matters from which level on."""
    operators, nodes = instance.allowed.shape
    pairs = len(instance.pair_costs)
    met = np.full(operators, operators, np.int64)
    for pair in range(pairs - 1, -1, -1):
        met[instance.relations.seconds[pair]] = instance.relations.firsts[pair] + 1
    joins, matters_from = np.zeros(operators, np.int64), met.copy()
    for operator in range(operators):
        if pair_tails.carried and met[operator] < operators:
            joins[operator] = met[operator]
        elif instance.own[operator].any():
            matters_from[operator] = 0
        for pair in range(pair_tails.starts[operator], pair_tails.starts[operator + 1]):
            if pair_tails.came_from[pair] == NONE:
                matters_from[operator] = 0
    frontier_starts = np.zeros(operators + 1, np.int64)
    edges = len(instance.path_heads) if by_tails else 0
    for edge in range(edges):
        for level in range(instance.path_tails[edge] + 1, instance.path_heads[edge]):
            frontier_starts[level + 1] += 1
    frontier_starts = np.cumsum(frontier_starts)
    filled = frontier_starts.copy()
    tails, heads = np.empty((2, frontier_starts[-1]), np.int64)
    for edge in range(edges):
        for level in range(instance.path_tails[edge] + 1, instance.path_heads[edge]):
            tails[filled[level]] = instance.path_tails[edge]
            heads[filled[level]] = instance.path_heads[edge]
            filled[level] += 1
    return Bounds(
        path_tails,
        domains,
        by_tails,
        by_domains,
        pair_tails,
        joins,
        matters_from,
        frontier_starts,
        tails,
        heads,
        room_for_assignment(operators, nodes),
    )


@compiled
def response_of_branch(
    instance: Instance, bounds: Bounds, capacity: FreeCapacity, state: SearchState, level: int
) -> float:
    """Return what the longest path costs at least, wherever the level's operator goes."""
    longest = state.longest[level]
    if bounds.by_tails:
        last = bounds.path_tails.arriving.shape[2] - 1
        for at in range(bounds.frontier_starts[level], bounds.frontier_starts[level + 1]):
            tail, head = bounds.frontier_tails[at], bounds.frontier_heads[at]
            node = state.places[tail]
            left = min(capacity.room[node], last)
            arrival = state.done[tail] + bounds.path_tails.arriving[head, node, left]
            longest = max(longest, arrival)
    if bounds.by_domains:
        over_domains = longest_over_domains(instance, bounds.domains, capacity, state.places)
        longest = max(longest, over_domains)
    return longest


@compiled
def response_of_child(
    instance: Instance,
    bounds: Bounds,
    capacity: FreeCapacity,
    state: SearchState,
    level: int,
    node: int,
) -> tuple[float, float]:
    """Return what the longest path through the operator costs there at least, and up to it.

    The latter is 0 unless bounds are by tails.
    """
    through, done = 0.0, 0.0
    if bounds.by_tails:
        for edge in range(bounds.domains.in_starts[level], bounds.domains.in_starts[level + 1]):
            tail = bounds.domains.in_tails[edge]
            done = max(done, state.done[tail] + instance.hops[state.places[tail], node])
        done += instance.work[level, node]
        taken = 0 if instance.pinned[level] else 1
        left = min(capacity.room[node] - taken, bounds.path_tails.after.shape[2] - 1)
        through = done + bounds.path_tails.after[level, node, left]
    if bounds.by_domains and bounds.domains.on_path[level]:
        through = max(through, bounds.domains.through[bounds.domains.like[level], node])
    return through, done


@compiled
def sum_of_branch(
    instance: Instance, bounds: Bounds, capacity: FreeCapacity, state: SearchState, level: int
) -> float:
    """Return what adds up at least, settled costs included; its assignment stays in `bounds`.

    Row 0 of the assignment is the level's operator, if it is not pinned.
    """
    operators, nodes = instance.allowed.shape
    to = bounds.assignment
    total, rows = state.spent[level], 0
    for operator in range(level, operators):
        if level < bounds.matters_from[operator] and operator != level:
            continue
        for node in range(nodes):
            to.costs[rows, node] = inf
            if fits(instance, capacity, operator, node):
                to.costs[rows, node] = _alone(
                    instance, bounds, capacity, state, level, operator, node
                )
        if instance.pinned[operator]:
            total += to.costs[rows].min()
        else:
            rows += 1
    return total + assign(to, rows, capacity.room)


@compiled
def sum_of_child(instance: Instance, bounds: Bounds, total: float, level: int, node: int) -> float:
    """Return what adds up at least with the operator on the node, given that of the branch."""
    to = bounds.assignment
    if instance.pinned[level]:
        return total
    held = to.costs[0, to.seats[0]] + to.prices[to.seats[0]]
    return total + to.costs[0, node] + to.prices[node] - held


@compiled
def _alone(
    instance: Instance,
    bounds: Bounds,
    capacity: FreeCapacity,
    state: SearchState,
    level: int,
    operator: int,
    node: int,
) -> float:
    """Return c_i(u)."""
    tails = bounds.pair_tails
    cost = 0.0
    if level >= bounds.joins[operator]:
        cost = state.stars[state.star[operator], node]
    taken = 0 if instance.pinned[operator] else 1
    left = min(capacity.room[node] - taken, tails.table.shape[2] - 1)
    for pair in range(tails.starts[operator], tails.starts[operator + 1]):
        before = tails.came_from[pair]
        if before == NONE or instance.relations.firsts[before] < level:
            cost += tails.table[pair, node, left]
    return cost
