"""What layers of two cost at least, taken together: both operators' nodes, and the room left there.

Along a path (`sum_bound`) a node holds a run of as many operators as it has room for; but where
two paths run side by side, they share that room. Let operators be in layers of one or two, with
nothing between layers that are not next to each other, and let V_k(u, v, f, g) be what all pairs
after layer k cost at least if its operators are on u and v, where f and g places are left:

    V_k(u, v, f, g)  =  min over (w, z) that fit  of  step_k(u, v, w, z) + V_{k+1}(w, z, f', g'),

with the own costs of layer k + 1 and its pairs with layer k in `step`. Of a node that layer k
was on, f or g places are left; any other one is entered with all its places, even if it was left
before. No placement has more, so that V is a bound; it is exact where no node is returned to.
Pinned operators have their place set aside.

A unit of flow f down the paths, from the sources of the first layer on, makes one sum of the
response time: the longest path takes at least the mean of all paths by their share of the flow,

    R  ≥  Σ_{i,j on paths} f_ij · d(x_i, x_j) + Σ_i f_i · work_i(x_i).
"""

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.bounds.path_bound import PathBound
from eyewall_sidecar.exact.capacity import Capacity, admit
from eyewall_sidecar.exact.instance import HOP_BACK, HOP_ON, Instance
from eyewall_sidecar.exact.tree_state import NONE, TreeState
from eyewall_sidecar.model.arrays import Flags, Floats, Indices
from eyewall_sidecar.model.compilation import kernel, subroutine
from eyewall_sidecar.model.links import Matrix

WIDEST = 2
"""Operators in a layer; V for three would have six dimensions."""

MOST_ENTRIES = 10_000_000
"""Above this no tables are made; so many take about a second."""


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """A split of the branching order.

    Parameters
    ----------
    starts
        [layer]: its first operator, then the number of operators; empty where there is no split, or
        none that needs a layer of two.
    flow
        [operator]: how much of the flow leads through it.
    pair_flow
        [pair]: how much leads along it.
    """

    starts: Indices
    flow: Floats
    pair_flow: Floats


class LayerBound(NamedTuple):
    """Tables, and which operator is in which layer.

    Parameters
    ----------
    layer
        [operator]; empty without layers.
    twin
        [operator]: the other one of its layer, or `NONE`.
    between
        [operator]: the pair of it and the later one of its layer, or `NONE`.
    flow
        [operator]: the share of the response time's mean that leads through it.
    ends
        [operator]: whether the flow through it ends there.
    after
        [layer, node, node, places left, places left]: V; a lone operator is on both nodes.
    """

    layer: Indices
    twin: Indices
    between: Indices
    flow: Floats
    ends: Flags
    after: Floats


def no_layer_bound() -> LayerBound:
    """Return one without layers."""
    none = np.zeros(0, dtype=np.int64)
    return LayerBound(
        none, none, none, np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros((0, 0, 0, 0, 0))
    )


def layers_of(instance: Instance) -> Layers:
    """Find the split with the narrowest layers, and the flow through it."""
    operators, pairs = instance.operators, instance.pairs
    reach, joined = np.arange(operators), np.zeros(operators, dtype=np.bool_)
    np.maximum.at(reach, pairs.firsts, pairs.seconds)
    # What waits for each other is not side by side.
    on_path = (pairs.amounts[:, HOP_ON] != 0) | (pairs.amounts[:, HOP_BACK] != 0)
    joined[pairs.firsts[on_path & (pairs.seconds == pairs.firsts + 1)]] = True
    width = _widths(reach.tolist(), joined.tolist())
    starts, at, size = [], 0, 1 if width[0][1] != NONE else 2
    while at < operators and width[at][size] != NONE:
        starts.append(at)
        at, size = at + size, width[at][size]
    flow, pair_flow = np.zeros(operators), np.zeros(len(pairs.firsts))
    if at < operators or len(starts) in (0, operators):
        return Layers(np.zeros(0, dtype=np.int64), flow, pair_flow)
    starts.append(operators)
    if not (instance.path_tails > instance.path_heads).any():
        _send(instance, starts[1], flow, pair_flow)
    return Layers(np.array(starts, dtype=np.int64), flow, pair_flow)


def _widths(reach: list[int], joined: list[bool]) -> list[list[int]]:
    """Return [first operator][width]: the next layer's least width, 0 at the end, or `NONE`.

    Parameters
    ----------
    reach
        [operator]: the last one that it has to do with.
    joined
        [operator]: whether it may not share a layer with the next.
    """
    operators = len(reach)
    width = [[NONE] * (WIDEST + 1) for _ in range(operators + 1)]
    for first in reversed(range(operators)):
        for size in range(1, WIDEST + 1):
            end = first + size
            if end > operators or (size == WIDEST and joined[first]):
                continue
            if end == operators:
                width[first][size] = 0
                continue
            farthest = max(reach[first:end])
            for onward in range(WIDEST, 0, -1):
                if width[end][onward] != NONE and farthest < end + onward:
                    width[first][size] = onward
    return width


def _send(instance: Instance, first_layer: int, flow: Floats, pair_flow: Floats) -> None:
    """Send the flow, split evenly, from the first layer on."""
    leaving = np.bincount(instance.path_tails, minlength=len(flow))
    sources = instance.flow[instance.flow < first_layer]
    flow[sources] = 1.0 / max(1, len(sources))
    pairs = instance.pairs
    for pair, (tail, head) in enumerate(zip(pairs.firsts, pairs.seconds, strict=True)):
        if pairs.amounts[pair, HOP_ON] and leaving[tail]:  # by rising first: its share has arrived
            pair_flow[pair] = flow[tail] / leaving[tail]
            flow[head] += pair_flow[pair]


def layer_bound(instance: Instance, layers: Layers, slots: Indices) -> LayerBound:
    """Fill the tables from the last layer back; none where they would be too large.

    Parameters
    ----------
    slots
        [node]: how many operators it may hold besides the pinned.
    """
    operators, nodes, count = instance.operators, instance.nodes, len(layers.starts) - 1
    levels = min(operators, int(slots.max())) + 1
    if count < 1 or count * float(nodes * levels) ** 2 > MOST_ENTRIES:
        return no_layer_bound()
    sizes, firsts, seconds = np.diff(layers.starts), instance.pairs.firsts, instance.pairs.seconds
    layer = np.repeat(np.arange(count), sizes)
    twin = np.full(operators, NONE, dtype=np.int64)
    ones = layers.starts[:-1][sizes > 1]
    twin[ones], twin[ones + 1] = ones + 1, ones
    between = np.full(operators, NONE, dtype=np.int64)
    costed = np.arange(len(instance.pair_costs))
    inside = costed[layer[firsts[costed]] == layer[seconds[costed]]]
    between[firsts[inside]] = inside
    ends = layers.flow > 0
    ends[firsts[layers.pair_flow > 0]] = False

    own = instance.own + layers.flow[:, None] * instance.work
    own[~instance.allowed] = inf
    after = np.zeros((count, nodes, nodes, levels, levels))
    room, scratch = np.minimum(slots, levels - 1), np.zeros((5, max(nodes, levels)))
    entered = np.zeros((nodes, nodes))
    for number in reversed(range(count - 1)):
        here, first, end = layers.starts[number : number + 3].tolist()
        steps = _steps(instance, layers, here, first, end)
        taken = instance.takes[first:end]
        if end - first == 1:
            _step_to_one(
                own[first], int(taken[0]), steps, room, scratch, after[number + 1], after[number]
            )
        else:
            pair = between[first]
            inner = np.zeros((nodes, nodes)) if pair == NONE else instance.pair_costs[pair].copy()
            _step_to_two(
                own[first:end],
                taken,
                steps,
                inner,
                room,
                scratch,
                entered,
                after[number + 1],
                after[number],
            )
    return LayerBound(layer, twin, between, layers.flow, ends, after)


def _steps(instance: Instance, layers: Layers, here: int, first: int, end: int) -> Floats:
    """Return [operator of a layer, operator that follows, node, node]: what their pair costs."""
    steps = np.zeros((2, 2, instance.nodes, instance.nodes))
    pairs = instance.pairs
    crossing = (pairs.firsts >= here) & (pairs.firsts < first) & (pairs.seconds >= first)
    for pair in np.flatnonzero(crossing & (pairs.seconds < end)).tolist():
        step = steps[pairs.firsts[pair] - here, pairs.seconds[pair] - first]
        if len(instance.pair_costs):
            step += instance.pair_costs[pair]
        if pairs.amounts[pair, HOP_ON]:
            step += layers.pair_flow[pair] * instance.hops
    return steps


@kernel
def _step_to_one(
    own: Floats,
    takes: int,
    steps: Floats,
    room: Indices,
    scratch: Floats,
    after: Floats,
    before: Floats,
) -> None:
    """Write V of a layer that one operator follows.

    Parameters
    ----------
    own
        [node]: of the operator that follows.
    takes
        How many places it takes.
    steps
        As `_steps` returns them.
    room
        [node]: places on an empty node.
    after, before
        V of its layer, and of the layer before, written here.
    """
    nodes, levels = len(room), after.shape[2]
    there = scratch[0]
    for u in range(nodes):
        for v in range(nodes):
            fresh = inf
            for w in range(nodes):
                there[w] = own[w] + steps[0, 0, u, w] + steps[1, 0, v, w]
                left = room[w] - takes
                if w not in (u, v) and left >= 0:
                    fresh = min(fresh, there[w] + after[w, w, left, left])
            for f in range(levels):
                for g in range(levels):
                    least = fresh
                    if f >= takes:
                        least = min(least, there[u] + after[u, u, f - takes, f - takes])
                    if g >= takes and v != u:
                        least = min(least, there[v] + after[v, v, g - takes, g - takes])
                    before[u, v, f, g] = least


@kernel
def _step_to_two(
    own: Floats,
    takes: Indices,
    steps: Floats,
    between: Matrix,
    room: Indices,
    scratch: Floats,
    entered: Matrix,
    after: Floats,
    before: Floats,
) -> None:
    """Write V of a layer that two operators follow.

    Parameters
    ----------
    own, takes
        [operator, node] and [operator]: of those that follow, as in `_step_to_one`.
    between
        [node, node]: costs of the pair of those that follow.
    entered
        [node, node]: scratch.
    """
    nodes, levels = len(room), after.shape[2]
    one, two, cheapest = scratch[0], scratch[1], scratch[2]
    u_stays, v_stays = scratch[3], scratch[4]
    for w in range(nodes):
        one[w], two[w], cheapest[w] = 0.0, 0.0, inf
    for w in range(nodes):
        for z in range(nodes):
            entered[w, z] = _pair_at(w, z, room[w], room[z], takes, one, two, between, after)
            cheapest[w] = min(cheapest[w], entered[w, z])
    for u in range(nodes):
        for v in range(nodes):
            for w in range(nodes):
                one[w] = own[0, w] + steps[0, 0, u, w] + steps[1, 0, v, w]
                two[w] = own[1, w] + steps[0, 1, u, w] + steps[1, 1, v, w]
            fresh = _both_leave(u, v, one, two, entered, cheapest)
            for f in range(levels):
                u_stays[f] = _one_stays(u, v, f, room, takes, one, two, between, after)
                v_stays[f] = _one_stays(v, u, f, room, takes, one, two, between, after)
            for f in range(levels):
                for g in range(levels):
                    both = min(
                        _pair_at(u, u, f, f, takes, one, two, between, after),
                        _pair_at(v, v, g, g, takes, one, two, between, after),
                        _pair_at(u, v, f, g, takes, one, two, between, after),
                        _pair_at(v, u, g, f, takes, one, two, between, after),
                    )
                    before[u, v, f, g] = min(fresh, u_stays[f], v_stays[g], both)


@subroutine
def _both_leave(
    u: int, v: int, one: Floats, two: Floats, entered: Matrix, cheapest: Floats
) -> float:
    """Return what the layer costs at least on nodes other than u and v.

    Parameters
    ----------
    entered, cheapest
        [node, node]: what follows if the two enter these; [node]: the least of its row.
    """
    nodes, fresh, least = len(entered), inf, inf
    for z in range(nodes):
        if z not in (u, v):
            least = min(least, two[z])
    for w in range(nodes):
        if w not in (u, v) and one[w] + least + cheapest[w] < fresh:
            for z in range(nodes):
                if z not in (u, v):
                    fresh = min(fresh, one[w] + two[z] + entered[w, z])
    return fresh


@subroutine
def _one_stays(
    u: int,
    v: int,
    left: int,
    room: Indices,
    takes: Indices,
    one: Floats,
    two: Floats,
    between: Matrix,
    after: Floats,
) -> float:
    """Return what the layer costs if one of it is on u, with so many places left, one elsewhere."""
    least = inf
    for w in range(len(room)):
        if w not in (u, v):
            least = min(
                least,
                _pair_at(u, w, left, room[w], takes, one, two, between, after),
                _pair_at(w, u, room[w], left, takes, one, two, between, after),
            )
    return least


@subroutine
def _pair_at(
    w: int,
    z: int,
    room: int,
    other: int,
    takes: Indices,
    one: Floats,
    two: Floats,
    between: Matrix,
    after: Floats,
) -> float:
    """Return what a layer costs with its operators on two nodes with so much room."""
    left, there = room - takes[0], other - takes[1]
    if w == z:
        left -= takes[1]
        there = left
    if left < 0 or there < 0:
        return inf
    return float(one[w] + two[z] + between[w, z] + after[w, z, left, there])


@subroutine
def least_with_layers(
    bound: LayerBound,
    paths: PathBound,
    pair_costs: Floats,
    capacity: Capacity,
    state: TreeState,
    level: int,
    least: Floats,
) -> None:
    """Write [node] what is not settled, the longest path included, with the level's operator there.

    The operators before it are placed, `state.admitted` and `state.done_there` are known of it;
    what is written of nodes that it is not admitted to means nothing.
    """
    room, stars = capacity.room, state.stars
    flow, done, done_there = bound.flow, state.done, state.done_there
    nodes, last = len(room), bound.after.shape[3] - 1
    after = bound.after[bound.layer[level]]
    twin, row, taken = bound.twin[level], state.star[level], capacity.takes[level]
    settled = 0.0
    for operator in range(level):
        if bound.ends[operator] or operator == twin:
            settled += flow[operator] * done[operator]
    for node in range(nodes):
        least[node] = settled + stars[row, node] + flow[level] * done_there[node]
    if twin == NONE:
        for node in range(nodes):
            left = max(0, min(room[node] - taken, last))
            least[node] += after[node, node, left, left]
    elif twin < level:
        first = state.nodes[twin]
        for node in range(nodes):
            left = max(0, min(room[node] - taken, last))
            there = left if node == first else min(room[first], last)
            least[node] += after[first, node, there, left]
    else:
        _add_twin(bound, paths, pair_costs, capacity, state, level, least)


@subroutine
def _add_twin(
    bound: LayerBound,
    paths: PathBound,
    pair_costs: Floats,
    capacity: Capacity,
    state: TreeState,
    level: int,
    least: Floats,
) -> None:
    """Add to [node] the least over the nodes of the layer's other operator."""
    twin, room, admitted = bound.twin[level], capacity.room, state.admitted
    nodes, last = len(room), bound.after.shape[3] - 1
    after, pair, other = bound.after[bound.layer[level]], bound.between[level], state.star[twin]
    taken, more, twins = capacity.takes[level], capacity.takes[twin], state.twins
    admit(capacity, twin, admitted[twin])
    for node in range(nodes):
        twins[node] = state.stars[other, node]
        if bound.flow[twin] > 0:
            twins[node] += bound.flow[twin] * _done_at(paths, state, twin, node)
    for node in range(nodes):
        if not admitted[level, node]:
            continue
        best = inf
        for second in range(nodes):
            if admitted[twin, second]:
                here, there = min(room[node] - taken, last), min(room[second] - more, last)
                if second == node:
                    here = min(room[node] - taken - more, last)
                    there = here
                if here >= 0 and there >= 0:
                    cost = twins[second] + after[node, second, here, there]
                    if pair != NONE:
                        cost += pair_costs[pair, node, second]
                    best = min(best, cost)
        least[node] += best


@subroutine
def _done_at(paths: PathBound, state: TreeState, operator: int, node: int) -> float:
    """Return when an operator would be done there, whose predecessors are placed, as a cost."""
    latest = 0.0
    for at in range(paths.in_starts[operator], paths.in_starts[operator + 1]):
        tail = paths.in_tails[at]
        latest = max(latest, state.done[tail] + paths.hops[state.nodes[tail], node])
    return float(latest + paths.work[operator, node])
