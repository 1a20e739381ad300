"""The compiled half of the closed case: what the ends on one pair of nodes come to.

With the source on u and the sink on v, parallel operators do not see each other but for the room
that they share: one of a class on w adds a sum to the costs and makes one way u → w → v.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.transport import least_longest, least_sum
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled

BETTER = 1 - 1e-12
"""What is not less than this part of the least cost so far is as good: sums are not exact."""


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
    there
        [class, node]: what one of the class costs there whatever the ends do; infinite where it
        may not be.
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
    there: Floats
    between: Floats
    amounts: Floats
    supplies: Places
    rooms: Places


@compiled
def bound_pairs(diamond: Diamond, pairs: Places, least: float, bounds: Floats) -> None:
    """Raise [u · nodes + v], the bound of placements with the ends there, for each of the pairs.

    As if all nodes but the ends' had room for all. Where nothing is below `least`, that is all
    that is looked for.
    """
    classes, nodes = diamond.work.shape
    costs, lengths = np.zeros((classes, nodes)), np.zeros((classes, nodes))
    room = np.zeros(nodes, np.int64)
    gaps, order = np.empty(classes), np.empty(classes, np.int64)
    quickest, goal = _quickest(diamond), least * BETTER
    for pair in pairs:
        u, v = pair // nodes, pair % nodes
        _room(diamond, u, v, room)
        limit = (goal - diamond.fixed[u, v]) / diamond.response if diamond.response > 0 else inf
        if limit < inf and not _enough(diamond, u, v, room, quickest, limit):
            bounds[pair] = goal
            continue
        if not diamond.additive:
            continue
        _costs(diamond, u, v, room, costs)
        crowded = _crowded_sum(diamond, u, v, room, costs, gaps, order)
        bound = diamond.fixed[u, v] + crowded
        if diamond.response > 0:
            _lengths(diamond, u, v, costs, lengths)
            longest = diamond.delays[0, u, v] if diamond.direct else 0.0
            for row in range(classes):
                longest = max(longest, _least(lengths[row]))
            bound += diamond.response * longest
        bounds[pair] = max(bounds[pair], bound)


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
    gaps, order = np.empty(classes), np.empty(classes, np.int64)
    quickest = _quickest(diamond)
    chosen, goal = -1, least * BETTER
    for pair in pairs:
        if bounds[pair] >= goal:
            break
        u, v = pair // nodes, pair % nodes
        fixed = diamond.fixed[u, v]
        _room(diamond, u, v, room)
        floor, shortest = 0.0, 0.0
        if diamond.additive:
            _costs(diamond, u, v, room, costs)
            floor = _crowded_sum(diamond, u, v, room, costs, gaps, order)
            if fixed + floor >= goal:
                continue
        limit = inf
        if diamond.response > 0:
            shortest = diamond.delays[0, u, v] if diamond.direct else 0.0
            limit = (goal - fixed - floor) / diamond.response
            if shortest >= limit or not _enough(diamond, u, v, room, quickest, limit):
                continue
            if not diamond.additive:
                _costs(diamond, u, v, room, costs)
            _lengths(diamond, u, v, costs, lengths)
            shortest = least_longest(lengths, diamond.supplies, room, shortest, limit, flow)
            if shortest >= limit:
                continue
            if not diamond.additive:
                least, chosen = fixed + diamond.response * shortest, pair
                goal = least * BETTER
                best[:] = flow
                continue
        most = goal - fixed - diamond.response * shortest
        if u != v and _split_sum(diamond, u, v, room, costs, most) >= most:
            continue
        while True:
            for row in range(classes):
                for node in range(nodes):
                    within_limit = lengths[row, node] < limit
                    open_costs[row, node] = costs[row, node] if within_limit else inf
            most = goal - fixed - diamond.response * shortest
            total = least_sum(open_costs, diamond.supplies, room, most, flow)
            if total >= most:
                break
            longest = _longest(diamond, u, v, lengths, flow)
            if fixed + total + diamond.response * longest < goal:
                least, chosen = fixed + total + diamond.response * longest, pair
                goal = least * BETTER
                best[:] = flow
            if not diamond.response > 0:
                break
            limit = min(longest, (goal - fixed - total) / diamond.response)
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
    nodes = len(room)
    for row in range(len(costs)):
        costs[row] = diamond.there[row]
        for end, at in ((0, u), (1, v)):
            for kind in range(len(diamond.between)):
                amount = diamond.amounts[row, end, kind]
                if amount > 0:
                    way, sums = diamond.between[kind, at], costs[row]
                    for node in range(nodes):
                        sums[node] += amount * way[node]
    for node in range(nodes):
        if room[node] <= 0:
            costs[:, node] = inf


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
def _crowded_sum(
    diamond: Diamond, u: int, v: int, room: Places, costs: Floats, gaps: Floats, order: Places
) -> float:
    """Return a bound of the sum: as many as have room with the ends, the rest where it is best.

    Next to the ends is where most want to be. Of those, the ones that lose least by it leave.
    """
    near_room = room[u] + (room[v] if u != v else 0)
    total, wanting = 0.0, 0
    for row in range(len(costs)):
        near = min(costs[row, u], costs[row, v])
        far = _least_beside(costs[row], u, v)
        total += diamond.supplies[row] * min(near, far)
        if near < far:
            place = wanting
            while place > 0 and gaps[order[place - 1]] > far - near:
                order[place] = order[place - 1]
                place -= 1
            order[place] = row
            gaps[row] = far - near
            wanting += 1
    leaving = -near_room
    for place in range(wanting):
        leaving += diamond.supplies[order[place]]
    for place in range(wanting):
        if leaving <= 0:
            break
        total += min(leaving, diamond.supplies[order[place]]) * gaps[order[place]]
        leaving -= diamond.supplies[order[place]]
    return total


@compiled
def _split_sum(diamond: Diamond, u: int, v: int, room: Places, costs: Floats, most: float) -> float:
    """Return the least sum as if all nodes but u and v had room for all; infinite if not below."""
    classes = len(costs)
    near, flow = np.empty((classes, 3)), np.empty((classes, 3), np.int64)
    for row in range(classes):
        near[row, 0], near[row, 1] = costs[row, u], costs[row, v]
        near[row, 2] = _least_beside(costs[row], u, v)
    near_room = np.full(3, diamond.supplies.sum())
    near_room[0], near_room[1] = room[u], room[v]
    return least_sum(near, diamond.supplies, near_room, most, flow)


@compiled
def _enough(diamond: Diamond, u: int, v: int, room: Places, quickest: Floats, limit: float) -> bool:
    """Whether the nodes on ways u → w → v that are shorter than the limit have room for all."""
    within = 0
    for node in range(len(quickest)):
        way = diamond.delays[0, u, node] + diamond.delays[1, v, node] + quickest[node]
        within += room[node] if way < limit else 0
    return bool(within >= diamond.supplies.sum())


@compiled
def _quickest(diamond: Diamond) -> Floats:
    """Return [node]: the least work of any class there."""
    quickest = np.empty(diamond.work.shape[1])
    for node in range(len(quickest)):
        quickest[node] = diamond.work[:, node].min()
    return quickest


@compiled
def _least_beside(values: Floats, u: int, v: int) -> float:
    low, high = min(u, v), max(u, v)
    least = min(_least(values[:low]), _least(values[low + 1 : high]))
    return min(least, _least(values[high + 1 :]))


@compiled
def _least(values: Floats) -> float:
    """Return the least; four in parallel, since comparing waits for the comparison before."""
    one, two, three, four = inf, inf, inf, inf
    whole = len(values) // 4 * 4
    for place in range(0, whole, 4):
        one = values[place] if values[place] < one else one
        two = values[place + 1] if values[place + 1] < two else two
        three = values[place + 2] if values[place + 2] < three else three
        four = values[place + 3] if values[place + 3] < four else four
    for place in range(whole, len(values)):
        one = values[place] if values[place] < one else one
    return min(min(one, two), min(three, four))


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
