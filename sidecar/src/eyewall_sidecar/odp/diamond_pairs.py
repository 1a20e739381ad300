"""The compiled half of the closed case: what the ends on one pair of nodes come to.

With the source on u and the sink on v, parallel operators do not see each other but for the room
that they share: one of a class on w adds a sum to the costs and makes one way u → w → v.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.odp.transport import least_longest, least_sum


class Diamond(NamedTuple):
    """One source, classes of parallel operators that are alike, one sink; in the units of `Costs`.

    Parameters
    ----------
    response
        What a second of response time costs.
    direct
        Whether a path leads from the source straight to the sink.
    additive
        Whether anything but the response time costs, or nothing at all.
    fixed
        [u, v]: what the ends cost there by themselves; infinite where they may not be.
    delays
        [2, node, node]: seconds from u to w, and from w to u at [u, w].
    work
        [class, node]: seconds of work; infinite where it may not be.
    on_node
        [node]: what a parallel operator costs there.
    between
        [kind, node, node]: what one tuple/s, and one stream, cost on the way from u to w; then
        both on the way from w to u, at [u, w].
    amounts
        [class, end, kind]: tuples/s and streams between source (0) or sink (1) and one of the
        class, counted as in `between`.
    supplies
        [class]: how many operators it has.
    rooms
        [4, node]: how many parallel operators fit with no end there, the source, the sink, both.
    """

    response: float
    direct: bool
    additive: bool
    fixed: Floats
    delays: Floats
    work: Floats
    on_node: Floats
    between: Floats
    amounts: Floats
    supplies: Places
    rooms: Places


@compiled
def bound_pairs(diamond: Diamond, pairs: Places, bounds: Floats) -> None:
    """Write a bound of the costs for each pair u · nodes + v, as if there were room for all."""
    classes, nodes = diamond.work.shape
    costs, lengths = np.zeros((classes, nodes)), np.zeros((classes, nodes))
    room = np.zeros(nodes, np.int64)
    for pair in pairs:
        u, v = pair // nodes, pair % nodes
        if diamond.fixed[u, v] == inf:
            bounds[pair] = inf
            continue
        _room(diamond, u, v, room)
        _costs(diamond, u, v, room, costs)
        bounds[pair] = diamond.fixed[u, v] + _nearest_sum(diamond, costs)
        if diamond.response > 0:
            _lengths(diamond, u, v, costs, lengths)
            longest = diamond.delays[0, u, v] if diamond.direct else 0.0
            for row in range(classes):
                longest = max(longest, lengths[row].min())
            bounds[pair] += diamond.response * longest


@compiled
def improve(
    diamond: Diamond, pairs: Places, bounds: Floats, least: float, best: Places
) -> tuple[float, int]:
    """Try the pairs in turn; return the least cost and its pair, −1 if none is below `least`.

    Parameters
    ----------
    pairs
        u · nodes + v, by increasing bound.
    bounds
        [u · nodes + v]: no placement with the ends there costs less.
    best
        [class, node]: how many of the class are where, written if something better is found.
    """
    classes, nodes = diamond.work.shape
    costs, lengths = np.zeros((classes, nodes)), np.zeros((classes, nodes))
    open_costs, flow = np.zeros((classes, nodes)), np.zeros((classes, nodes), np.int64)
    room = np.zeros(nodes, np.int64)
    quickest = np.empty(nodes)
    for node in range(nodes):
        quickest[node] = diamond.work[:, node].min()
    operators = diamond.supplies.sum()
    chosen = -1
    for pair in pairs:
        if bounds[pair] >= least:
            break
        u, v = pair // nodes, pair % nodes
        fixed = diamond.fixed[u, v]
        _room(diamond, u, v, room)
        floor, shortest = 0.0, 0.0
        if diamond.additive:
            _costs(diamond, u, v, room, costs)
            floor = _nearest_sum(diamond, costs)
            if fixed + floor >= least:
                continue
        limit = inf
        if diamond.response > 0:
            shortest = diamond.delays[0, u, v] if diamond.direct else 0.0
            limit = (least - fixed - floor) / diamond.response
            within = 0
            for node in range(nodes):
                way = diamond.delays[0, u, node] + diamond.delays[1, v, node] + quickest[node]
                within += room[node] if way < limit else 0
            if within < operators or shortest >= limit:
                continue
            if not diamond.additive:
                _costs(diamond, u, v, room, costs)
            _lengths(diamond, u, v, costs, lengths)
            shortest = least_longest(lengths, diamond.supplies, room, shortest, limit, flow)
            if shortest >= limit:
                continue
            if not diamond.additive:
                least, chosen = fixed + diamond.response * shortest, pair
                best[:] = flow
                continue
        while True:
            for row in range(classes):
                for node in range(nodes):
                    within_limit = lengths[row, node] < limit
                    open_costs[row, node] = costs[row, node] if within_limit else inf
            most = least - fixed - diamond.response * shortest
            total = least_sum(open_costs, diamond.supplies, room, most, flow)
            if total >= most:
                break
            longest = _longest(diamond, u, v, lengths, flow)
            if fixed + total + diamond.response * longest < least:
                least, chosen = fixed + total + diamond.response * longest, pair
                best[:] = flow
            if not diamond.response > 0:
                break
            limit = min(longest, (least - fixed - total) / diamond.response)
            if limit <= shortest:
                break
    return least, chosen


@compiled
def _room(diamond: Diamond, u: int, v: int, room: Places) -> None:
    """Write [node]: how many parallel operators fit beside the ends."""
    room[:] = diamond.rooms[0]
    if u == v:
        room[u] = diamond.rooms[3, u]
    else:
        room[u] = diamond.rooms[1, u]
        room[v] = diamond.rooms[2, v]


@compiled
def _costs(diamond: Diamond, u: int, v: int, room: Places, costs: Floats) -> None:
    """Write [class, node]: what adds up for one of the class; infinite where none may be."""
    classes, nodes = diamond.work.shape
    for row in range(classes):
        costs[row] = diamond.on_node
        for kind in range(len(diamond.between)):
            amount = diamond.amounts[row, 0, kind]
            if amount > 0:
                for node in range(nodes):
                    costs[row, node] += amount * diamond.between[kind, u, node]
            amount = diamond.amounts[row, 1, kind]
            if amount > 0:
                for node in range(nodes):
                    costs[row, node] += amount * diamond.between[kind, v, node]
        for node in range(nodes):
            if room[node] <= 0 or diamond.work[row, node] == inf:
                costs[row, node] = inf


@compiled
def _lengths(diamond: Diamond, u: int, v: int, costs: Floats, lengths: Floats) -> None:
    """Write [class, node]: seconds from u over the node to v; infinite where none may be."""
    classes, nodes = diamond.work.shape
    for row in range(classes):
        for node in range(nodes):
            lengths[row, node] = inf
            if costs[row, node] < inf:
                way = diamond.delays[0, u, node] + diamond.delays[1, v, node]
                lengths[row, node] = way + diamond.work[row, node]


@compiled
def _nearest_sum(diamond: Diamond, costs: Floats) -> float:
    total = 0.0
    for row in range(len(costs)):
        total += diamond.supplies[row] * costs[row].min()
    return total


@compiled
def _longest(diamond: Diamond, u: int, v: int, lengths: Floats, flow: Places) -> float:
    if not diamond.response > 0:
        return 0.0
    longest = diamond.delays[0, u, v] if diamond.direct else 0.0
    classes, nodes = flow.shape
    for row in range(classes):
        for node in range(nodes):
            if flow[row, node] > 0:
                longest = max(longest, lengths[row, node])
    return longest
