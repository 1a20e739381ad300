"""What layers of two cost at least, taken together: both operators' nodes, and the room left there.

Along a path (`run_bounds`) a node holds a run of as many operators as it has room for; but where
two paths run side by side, they share that room. With the layers of `layers`, let V_k(u, v, f, g)
be what all pairs after layer k cost at least if its operators are on u and v, where f and g places
are left:

    V_k(u, v, f, g)  =  min over (w, z) that fit  of  step_k(u, v, w, z) + V_{k+1}(w, z, f', g'),

with the own costs of layer k + 1 and its pairs with layer k in `step`. Of a node that layer k
was on, f or g places are left; any other one is entered with all its places, even if it was left
before. No placement has more, so that V is a bound; it is exact where no node is returned to. The
response time counts by the flow of `layers`. Pinned operators have their place set aside.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.free_capacity import FreeCapacity, admits
from eyewall_sidecar.exact.instance import Flags, Instance
from eyewall_sidecar.exact.layers import Layers
from eyewall_sidecar.exact.path_bound import PathBound
from eyewall_sidecar.exact.relations import HOP_ON
from eyewall_sidecar.exact.search_state import SearchState
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import allocation_free, compiled
from eyewall_sidecar.model.links import Matrix

NONE = -1

MOST_ENTRIES = 10_000_000
"""Above this no tables are made; so many take about a second."""


class LayerBound(NamedTuple):
    """Tables, and who is in which layer.

    Parameters
    ----------
    layer
        [operator].
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

    layer: Places
    twin: Places
    between: Places
    flow: Floats
    ends: Flags
    after: Floats


@compiled
def no_layer_bound() -> LayerBound:
    """Return one without layers."""
    none = np.zeros(0, np.int64)
    return LayerBound(
        none, none, none, np.zeros(0), np.zeros(0, np.bool_), np.zeros((0, 0, 0, 0, 0))
    )


@compiled
def layer_bound(instance: Instance, layers: Layers, slots: Places) -> LayerBound:
    """Fill the tables from the last layer back; empty ones where they would be too large.

    Parameters
    ----------
    slots
        [node]: how many operators it may hold beside the pinned.
    """
    operators, nodes = instance.allowed.shape
    count = len(layers.starts) - 1
    levels = min(operators, slots.max()) + 1 if nodes else 1
    size = count * float(nodes * levels) ** 2
    if count < 1 or size > MOST_ENTRIES:
        return no_layer_bound()
    layer, twin = np.empty(operators, np.int64), np.full(operators, NONE, np.int64)
    for number in range(count):
        first, end = layers.starts[number], layers.starts[number + 1]
        layer[first:end] = number
        if end - first > 1:
            twin[first], twin[first + 1] = first + 1, first
    between = np.full(operators, NONE, np.int64)
    firsts, seconds = instance.relations.firsts, instance.relations.seconds
    for pair in range(len(instance.pair_costs)):
        if layer[firsts[pair]] == layer[seconds[pair]]:
            between[firsts[pair]] = pair
    ends = layers.flow > 0
    for pair in range(len(firsts)):
        if layers.edge_flow[pair] > 0:
            ends[firsts[pair]] = False

    own = instance.own.copy()
    for operator in range(operators):
        own[operator] += layers.flow[operator] * instance.work[operator]
        for node in range(nodes):
            if not instance.allowed[operator, node]:
                own[operator, node] = inf
    after = np.zeros((count, nodes, nodes, levels, levels))
    steps = np.empty((2, 2, nodes, nodes))
    inner = np.zeros((nodes, nodes))
    for number in range(count - 2, -1, -1):
        here, first, end = layers.starts[number : number + 3]
        steps[:] = 0.0
        for pair in range(len(firsts)):
            one, two = firsts[pair], seconds[pair]
            if here <= one < first <= two:
                step = steps[one - here, two - first]
                if len(instance.pair_costs):
                    step += instance.pair_costs[pair]
                if instance.relations.amounts[pair, HOP_ON] and layers.edge_flow[pair] > 0:
                    step += layers.edge_flow[pair] * instance.hops
        taken = np.where(instance.pinned[first:end], 0, 1)
        if end - first == 1:
            _step_to_one(own[first], taken[0], steps[:, 0], slots, after[number + 1], after[number])
        else:
            inner[:] = 0.0
            if between[first] != NONE:
                inner[:] = instance.pair_costs[between[first]]
            _step_to_two(
                own[first:end], taken, steps, inner, slots, after[number + 1], after[number]
            )
    return LayerBound(layer, twin, between, layers.flow, ends, after)


@compiled
def _step_to_one(
    own: Floats, taken: int, steps: Floats, slots: Places, after: Floats, before: Floats
) -> None:
    """Write V of a layer that one operator follows.

    Parameters
    ----------
    own
        [node]: of the operator that follows.
    taken
        How many places it takes.
    steps
        [operator of the layer, node, node]: costs of its pair with the one that follows.
    slots
        [node]: places on an empty node.
    after, before
        V of its layer, and of the layer before, written here.
    """
    nodes, levels = len(slots), after.shape[2]
    there = np.empty(nodes)
    for u in range(nodes):
        for v in range(nodes):
            fresh = inf
            for w in range(nodes):
                there[w] = own[w] + steps[0, u, w] + steps[1, v, w]
                left = min(slots[w], levels - 1) - taken
                if w not in (u, v) and left >= 0:
                    fresh = min(fresh, there[w] + after[w, w, left, left])
            for f in range(levels):
                for g in range(levels):
                    least = fresh
                    if f >= taken:
                        least = min(least, there[u] + after[u, u, f - taken, f - taken])
                    if g >= taken and v != u:
                        least = min(least, there[v] + after[v, v, g - taken, g - taken])
                    before[u, v, f, g] = least


@compiled
def _step_to_two(
    own: Floats,
    taken: Places,
    steps: Floats,
    between: Matrix,
    slots: Places,
    after: Floats,
    before: Floats,
) -> None:
    """Write V of a layer that two operators follow.

    Parameters
    ----------
    own, taken
        [operator, node] and [operator]: of those that follow, as in `_step_to_one`.
    steps
        [operator of the layer, operator that follows, node, node]: costs of their pair.
    between
        [node, node]: costs of the pair of those that follow.
    """
    nodes, levels = len(slots), after.shape[2]
    one, two, new = np.empty(nodes), np.empty(nodes), np.empty(nodes)
    nothing = np.zeros(nodes)
    room, stays = np.minimum(slots, levels - 1), np.empty((2, levels))
    anew, least = np.empty((nodes, nodes)), np.empty(nodes)
    for w in range(nodes):
        for z in range(nodes):
            anew[w, z] = _pair_at(w, z, room[w], room[z], taken, nothing, nothing, between, after)
        least[w] = anew[w].min()
    for u in range(nodes):
        for v in range(nodes):
            for w in range(nodes):
                one[w] = own[0, w] + steps[0, 0, u, w] + steps[1, 0, v, w]
                two[w] = own[1, w] + steps[0, 1, u, w] + steps[1, 1, v, w]
                new[w] = two[w]
            new[u] = inf
            new[v] = inf
            fresh, cheapest = inf, new.min()
            for w in range(nodes):
                if w not in (u, v) and one[w] + cheapest + least[w] < fresh:
                    for z in range(nodes):
                        fresh = min(fresh, one[w] + new[z] + anew[w, z])
            _one_stays(u, v, room, taken, one, two, between, after, stays[0])
            _one_stays(v, u, room, taken, one, two, between, after, stays[1])
            for f in range(levels):
                for g in range(levels):
                    before[u, v, f, g] = min(
                        fresh,
                        stays[0, f],
                        stays[1, g],
                        _pair_at(u, u, f, f, taken, one, two, between, after),
                        _pair_at(v, v, g, g, taken, one, two, between, after),
                        _pair_at(u, v, f, g, taken, one, two, between, after),
                        _pair_at(v, u, g, f, taken, one, two, between, after),
                    )


@allocation_free
def _one_stays(
    u: int,
    v: int,
    room: Places,
    taken: Places,
    one: Floats,
    two: Floats,
    between: Matrix,
    after: Floats,
    stays: Floats,
) -> None:
    """Write [places left on u] what the layer costs if one of it is on u, and one on a new node."""
    for f in range(len(stays)):
        stays[f] = inf
        for w in range(len(room)):
            if w not in (u, v):
                stays[f] = min(
                    stays[f],
                    _pair_at(u, w, f, room[w], taken, one, two, between, after),
                    _pair_at(w, u, room[w], f, taken, one, two, between, after),
                )


@allocation_free
def _pair_at(
    w: int,
    z: int,
    room: int,
    other: int,
    taken: Places,
    one: Floats,
    two: Floats,
    between: Matrix,
    after: Floats,
) -> float:
    """Return what a layer costs with its operators on two nodes with so much room."""
    left, there = room - taken[0], other - taken[1]
    if w == z:
        left -= taken[1]
        there = left
    if left < 0 or there < 0:
        return inf
    return float(one[w] + two[z] + between[w, z] + after[w, z, left, there])


@allocation_free
def least_with_layers(
    bound: LayerBound,
    paths: PathBound,
    pair_costs: Floats,
    capacity: FreeCapacity,
    state: SearchState,
    level: int,
    least: Floats,
) -> None:
    """Write [node] what is not settled, the longest path included, with the level's operator there.

    The operators before it are placed, `state.admitted` and `state.done_there` are known of it;
    what is written of nodes that it is not admitted to means nothing.
    """
    room, stars, admitted = capacity.room, state.stars, state.admitted
    flow, done, done_there = bound.flow, state.done, state.done_there
    nodes, last = len(room), bound.after.shape[3] - 1
    after = bound.after[bound.layer[level]]
    twin, row, taken = bound.twin[level], state.star[level], capacity.places[level]
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
        first = state.places[twin]
        for node in range(nodes):
            left = max(0, min(room[node] - taken, last))
            there = left if node == first else min(room[first], last)
            least[node] += after[first, node, there, left]
    else:
        admits(capacity, twin, admitted[twin])
        pair, more, other = bound.between[level], capacity.places[twin], state.star[twin]
        twins = state.twins
        for node in range(nodes):
            twins[node] = stars[other, node]
            if flow[twin] > 0:
                twins[node] += flow[twin] * _done_at(paths, state, twin, node)
        for node in range(nodes):
            if not admitted[level, node]:
                continue
            left = min(room[node] - taken, last)
            best = inf
            for second in range(nodes):
                if admitted[twin, second]:
                    here, there = left, min(room[second] - more, last)
                    if second == node:
                        here = min(room[node] - taken - more, last)
                        there = here
                    if here >= 0 and there >= 0:
                        cost = twins[second] + after[node, second, here, there]
                        if pair != NONE:
                            cost += pair_costs[pair, node, second]
                        best = min(best, cost)
            least[node] += best


@allocation_free
def _done_at(paths: PathBound, state: SearchState, operator: int, node: int) -> float:
    """Return when an operator would be done there, whose predecessors are placed, as a cost."""
    latest = 0.0
    for at in range(paths.in_starts[operator], paths.in_starts[operator + 1]):
        tail = paths.in_tails[at]
        latest = max(latest, state.done[tail] + paths.hops[state.places[tail], node])
    return float(latest + paths.work[operator, node])
