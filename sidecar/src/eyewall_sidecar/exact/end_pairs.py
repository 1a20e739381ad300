"""The compiled half of the closed case: what each pair of nodes for the two ends costs.

With the source on u and the sink on v, parallel operators do not see each other but for the room
that they share: one of a class on w adds a sum to the costs and makes one way u → w → v.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.transport import Transport, empty_transport, least_longest, least_sum
from eyewall_sidecar.model.array_types import Floats, Indices
from eyewall_sidecar.model.compilation import kernel, subroutine

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
    quickest
        [node]: the least work of any class there.
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
    supplies: Indices
    rooms: Indices
    quickest: Floats


class Scratch(NamedTuple):
    """What one pair is worked out on.

    Parameters
    ----------
    costs, lengths, below
        [class, node]: what one of the class adds to the sum there, infinite where it may not be;
        seconds from u over the node to v; the costs where these are below a limit.
    room
        [node]: how many parallel operators fit.
    gaps, order
        [class] and [rank].
    near, near_flow, near_room
        [class, 3] and [3]: the ends' nodes and the best of the others.
    flow
        [class, node].
    transport, near_transport
        Of the transport problems to all nodes and to `near`.
    """

    costs: Floats
    lengths: Floats
    below: Floats
    room: Indices
    gaps: Floats
    order: Indices
    near: Floats
    near_flow: Indices
    near_room: Indices
    flow: Indices
    transport: Transport
    near_transport: Transport


def scratch_of(classes: int, nodes: int) -> Scratch:
    """Return arrays for so many classes and nodes."""
    return Scratch(
        costs=np.zeros((classes, nodes)),
        lengths=np.zeros((classes, nodes)),
        below=np.zeros((classes, nodes)),
        room=np.zeros(nodes, dtype=np.int64),
        gaps=np.zeros(classes),
        order=np.zeros(classes, dtype=np.int64),
        near=np.zeros((classes, 3)),
        near_flow=np.zeros((classes, 3), dtype=np.int64),
        near_room=np.zeros(3, dtype=np.int64),
        flow=np.zeros((classes, nodes), dtype=np.int64),
        transport=empty_transport(classes, nodes),
        near_transport=empty_transport(classes, 3),
    )


@kernel
def bound_pairs(
    diamond: Diamond, on: Scratch, pairs: Indices, least: float, bounds: Floats
) -> None:
    """Raise [u · nodes + v], the bound of placements with the ends there, for each of the pairs.

    As if all nodes but the ends' had room for all. Where nothing is below `least`, that is all
    that is looked for.
    """
    nodes, goal = len(on.room), least * BETTER
    for place in range(len(pairs)):
        pair = pairs[place]
        u, v = pair // nodes, pair % nodes
        _set_room(diamond, on, u, v)
        limit = (goal - diamond.fixed[u, v]) / diamond.response if diamond.response > 0 else inf
        if limit < inf and not _has_room(diamond, on, u, v, limit):
            bounds[pair] = goal
        elif diamond.additive:
            _set_costs(diamond, on, u, v)
            bound = diamond.fixed[u, v] + _crowded_sum(diamond, on, u, v)
            if diamond.response > 0:
                _set_lengths(diamond, on, u, v)
                longest = diamond.delays[0, u, v] if diamond.direct else 0.0
                for row in range(len(on.lengths)):
                    shortest = inf
                    for node in range(nodes):
                        shortest = min(shortest, on.lengths[row, node])
                    longest = max(longest, shortest)
                bound += diamond.response * longest
            bounds[pair] = max(bounds[pair], bound)


@kernel
def improve(
    diamond: Diamond, on: Scratch, pairs: Indices, bounds: Floats, least: float, best: Indices
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
    chosen = -1
    for place in range(len(pairs)):
        if bounds[pairs[place]] >= least * BETTER:
            break
        value = _improve_pair(diamond, on, pairs[place], least, best)
        if value < least:
            least, chosen = value, pairs[place]
    return least, chosen


@subroutine
def _improve_pair(diamond: Diamond, on: Scratch, pair: int, least: float, best: Indices) -> float:
    """Return the least cost with the ends on these nodes if it is below `least`; else infinity."""
    nodes, goal, found = len(on.room), least * BETTER, inf
    u, v = pair // nodes, pair % nodes
    fixed, floor, shortest, limit = diamond.fixed[u, v], 0.0, 0.0, inf
    _set_room(diamond, on, u, v)
    if diamond.additive:
        _set_costs(diamond, on, u, v)
        floor = _crowded_sum(diamond, on, u, v)
        if fixed + floor >= goal:
            return inf
    if diamond.response > 0:
        shortest = diamond.delays[0, u, v] if diamond.direct else 0.0
        limit = (goal - fixed - floor) / diamond.response
        if shortest >= limit or not _has_room(diamond, on, u, v, limit):
            return inf
        if not diamond.additive:
            _set_costs(diamond, on, u, v)
        _set_lengths(diamond, on, u, v)
        shortest = least_longest(
            on.transport, on.lengths, diamond.supplies, on.room, shortest, limit, on.flow
        )
        if shortest >= limit:
            return inf
        if not diamond.additive:
            _copy(on.flow, best)
            return float(fixed + diamond.response * shortest)
    most = goal - fixed - diamond.response * shortest
    if u != v and _split_sum(diamond, on, u, v, most) >= most:
        return inf
    while limit > shortest:
        _cut(on, limit)
        most = goal - fixed - diamond.response * shortest
        total = least_sum(on.transport, on.below, diamond.supplies, on.room, most, on.flow)
        if total >= most:
            break
        longest = _longest(diamond, on, u, v)
        value = fixed + total + diamond.response * longest
        if value < goal:
            found, goal = value, value * BETTER
            _copy(on.flow, best)
        if not diamond.response > 0:
            break
        limit = min(longest, (goal - fixed - total) / diamond.response)
    return found


@subroutine
def _copy(flow: Indices, to: Indices) -> None:
    for row in range(len(flow)):
        for node in range(flow.shape[1]):
            to[row, node] = flow[row, node]


@subroutine
def _cut(on: Scratch, limit: float) -> None:
    """Write `below`."""
    for row in range(len(on.costs)):
        for node in range(len(on.room)):
            shorter = on.lengths[row, node] < limit
            on.below[row, node] = on.costs[row, node] if shorter or limit == inf else inf


@subroutine
def _set_room(diamond: Diamond, on: Scratch, u: int, v: int) -> None:
    for node in range(len(on.room)):
        ends = (1 if node == u else 0) + (2 if node == v else 0)
        on.room[node] = diamond.rooms[ends, node]


@subroutine
def _set_costs(diamond: Diamond, on: Scratch, u: int, v: int) -> None:
    for row in range(len(on.costs)):
        for node in range(len(on.room)):
            on.costs[row, node] = diamond.there[row, node] if on.room[node] > 0 else inf
        for kind in range(len(diamond.between)):
            from_source, to_sink = diamond.amounts[row, 0, kind], diamond.amounts[row, 1, kind]
            if from_source > 0:
                for node in range(len(on.room)):
                    on.costs[row, node] += from_source * diamond.between[kind, u, node]
            if to_sink > 0:
                for node in range(len(on.room)):
                    on.costs[row, node] += to_sink * diamond.between[kind, v, node]


@subroutine
def _set_lengths(diamond: Diamond, on: Scratch, u: int, v: int) -> None:
    for row in range(len(on.lengths)):
        for node in range(len(on.room)):
            on.lengths[row, node] = inf
            if on.costs[row, node] < inf:
                way = diamond.delays[0, u, node] + diamond.delays[1, v, node]
                on.lengths[row, node] = way + diamond.work[row, node]


@subroutine
def _crowded_sum(diamond: Diamond, on: Scratch, u: int, v: int) -> float:
    """Return a bound of the sum: as many as have room with the ends, the rest where it is best.

    Next to the ends is where most want to be. Of those, the ones that lose least by it leave.
    """
    gaps, order, wanting, total = on.gaps, on.order, 0, 0.0
    leaving = -on.room[u] - (on.room[v] if u != v else 0)
    for row in range(len(on.costs)):
        near, far = min(on.costs[row, u], on.costs[row, v]), _least_elsewhere(on.costs, row, u, v)
        total += diamond.supplies[row] * min(near, far)
        if near < far:
            place = wanting
            while place > 0 and gaps[order[place - 1]] > far - near:
                order[place] = order[place - 1]
                place -= 1
            order[place], gaps[row] = row, far - near
            wanting += 1
            leaving += diamond.supplies[row]
    for place in range(wanting):
        if leaving <= 0:
            break
        total += min(leaving, diamond.supplies[order[place]]) * gaps[order[place]]
        leaving -= diamond.supplies[order[place]]
    return total


@subroutine
def _split_sum(diamond: Diamond, on: Scratch, u: int, v: int, most: float) -> float:
    """Return the least sum as if all nodes but u and v had room for all; infinite if not below."""
    on.near_room[0], on.near_room[1], on.near_room[2] = on.room[u], on.room[v], 0
    for row in range(len(on.costs)):
        on.near[row, 0], on.near[row, 1] = on.costs[row, u], on.costs[row, v]
        on.near[row, 2] = _least_elsewhere(on.costs, row, u, v)
        on.near_room[2] += diamond.supplies[row]
    transport = on.near_transport
    return least_sum(transport, on.near, diamond.supplies, on.near_room, most, on.near_flow)


@subroutine
def _has_room(diamond: Diamond, on: Scratch, u: int, v: int, limit: float) -> bool:
    """Whether the nodes on ways u → w → v that are shorter than the limit have room for all."""
    missing = 0
    for row in range(len(diamond.supplies)):
        missing += diamond.supplies[row]
    for node in range(len(on.room)):
        way = diamond.delays[0, u, node] + diamond.delays[1, v, node] + diamond.quickest[node]
        if way < limit:
            missing -= on.room[node]
    return missing <= 0


@subroutine
def _least_elsewhere(costs: Floats, row: int, u: int, v: int) -> float:
    """Return the least cost on nodes other than u and v."""
    least = inf
    for node in range(costs.shape[1]):
        if node not in (u, v):
            least = min(least, costs[row, node])
    return least


@subroutine
def _longest(diamond: Diamond, on: Scratch, u: int, v: int) -> float:
    if not diamond.response > 0:
        return 0.0
    longest = diamond.delays[0, u, v] if diamond.direct else 0.0
    for row in range(len(on.flow)):
        for node in range(len(on.room)):
            if on.flow[row, node] > 0:
                longest = max(longest, on.lengths[row, node])
    return float(longest)
