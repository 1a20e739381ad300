"""Where two hubs could go: every pair of nodes, by what those between them would cost at least.

Operators that all hang on the same two, a source and a sink say, follow from where these two are:
each then has a price for every node, and the nodes fill up from the cheapest. A beam that places
one hub after the other cannot know that; here the pairs are looked at as pairs.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.heuristic.evaluation_state import Terms
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel
from eyewall_sidecar.model.links import Matrix

FEWEST_SHARED = 4
"""Fewer operators between two make no hubs."""
MOST_NODES = 120
"""Each hub is tried on so many nodes, those nearest to room for what hangs on it."""


class Hubs(NamedTuple):
    """Two operators and what hangs on both.

    Parameters
    ----------
    one, other
        The operators.
    between
        The operators with streams to both, the greatest rate first.
    """

    one: int
    other: int
    between: Places


def hubs_of(terms: Terms) -> Hubs | None:
    """Return the two operators with the most neighbours in common, among those with most."""
    neighbours = [
        set(terms.stream_ends[start:end].tolist())
        for start, end in zip(terms.stream_starts[:-1], terms.stream_starts[1:], strict=True)
    ]
    busiest = sorted(range(len(neighbours)), key=lambda it: -len(neighbours[it]))[:4]
    pairs = [(one, other) for place, one in enumerate(busiest) for other in busiest[place + 1 :]]
    shared = {pair: neighbours[pair[0]] & neighbours[pair[1]] - set(pair) for pair in pairs}
    pair = max(pairs, key=lambda it: len(shared[it]), default=None)
    if pair is None or len(shared[pair]) < FEWEST_SHARED:
        return None
    starts = terms.stream_starts
    between = sorted(
        shared[pair], key=lambda it: -terms.stream_rates[starts[it] : starts[it + 1]].sum()
    )
    return Hubs(*pair, np.array(between))


def hub_places(terms: Terms, hubs: Hubs, most: int) -> Iterator[tuple[int, int]]:
    """Return the most promising pairs of nodes for the two hubs, the best first."""
    count = len(hubs.between)
    prices, delays = [], []
    for hub in hubs[:2]:
        price, delay = _prices(terms, hub, hubs.between)
        prices.append(price / count)
        delays.append(terms.response * delay)
    need = terms.requirements[:, hubs.between].mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        rooms = np.where(need > 0, terms.limits / need, np.inf).min(axis=0)
    rooms = np.where(terms.allowed[hubs.between].any(axis=0), np.minimum(rooms, count), 0.0)
    chosen = [
        _nearest(terms, hub, price + delay, rooms, count)
        for hub, price, delay in zip(hubs[:2], prices, delays, strict=True)
    ]
    joint = (
        _rate(terms, hubs.one, hubs.other) * terms.per_rate
        + _rate(terms, hubs.other, hubs.one) * terms.per_rate.T
    )
    values = _pair_values(
        (prices[0], prices[1]),
        (delays[0], delays[1]),
        terms.per_operator,
        joint,
        np.floor(rooms + 1e-9),
        count,
        (chosen[0], chosen[1]),
    )
    best = np.argsort(values, axis=None, kind="stable")[:most]
    ones, others = np.unravel_index(best, values.shape)
    return (
        (int(chosen[0][one]), int(chosen[1][other]))
        for one, other in zip(ones, others, strict=True)
        if np.isfinite(values[one, other])
    )


def _rate(terms: Terms, source: int, target: int) -> float:
    at = slice(terms.stream_starts[source], terms.stream_starts[source + 1])
    there = (terms.stream_ends[at] == target) & terms.stream_out[at]
    return float(terms.stream_rates[at][there].sum())


def _prices(terms: Terms, hub: int, between: Places) -> tuple[Matrix, Matrix]:
    """Return [hub's node, node]: what all those between cost there, and seconds of delay."""
    at = slice(terms.stream_starts[hub], terms.stream_starts[hub + 1])
    mine = np.isin(terms.stream_ends[at], between)
    outward, rates = terms.stream_out[at][mine], terms.stream_rates[at][mine]
    price = rates[outward].sum() * terms.per_rate + rates[~outward].sum() * terms.per_rate.T
    # A link of availability 0 costs infinitely much, which no stream times it is not a number.
    if outward.any():
        price = price + outward.sum() * terms.per_stream
    if not outward.all():
        price = price + (~outward).sum() * terms.per_stream.T
    after = terms.outputs[terms.output_starts[hub] : terms.output_starts[hub + 1]]
    delay = terms.delays if np.isin(after, between).any() else terms.delays.T
    return np.ascontiguousarray(price), np.ascontiguousarray(delay)


def _nearest(terms: Terms, hub: int, price: Matrix, rooms: Floats, count: int) -> Places:
    """Return the nodes that may hold the hub, those with cheap room around them first."""
    holds = (terms.requirements[:, [hub]] <= terms.limits).all(axis=0) & terms.allowed[hub]
    nodes = np.flatnonzero(holds)
    if len(nodes) <= MOST_NODES:
        return nodes
    order = np.argsort(price[nodes], axis=1)
    filled = np.minimum(np.cumsum(rooms[order], axis=1), count)
    taken = np.diff(filled, axis=1, prepend=0.0)
    value = (np.take_along_axis(price[nodes], order, axis=1) * taken).sum(axis=1)
    return np.sort(nodes[np.argsort(value, kind="stable")[:MOST_NODES]])


@kernel
def _pair_values(
    prices: tuple[Matrix, Matrix],
    delays: tuple[Matrix, Matrix],
    own: Floats,
    joint: Matrix,
    rooms: Floats,
    count: int,
    chosen: tuple[Places, Places],
) -> Matrix:
    """Return [place of one's node, place of other's]: the cheapest filling and its longest path.

    Parameters
    ----------
    prices, delays
        For one and other [its node, node]: what an operator there costs, and for the seconds.
    own
        [node]: what an operator costs by itself.
    joint
        [one's node, other's node]: what their own streams cost.
    rooms
        [node]: how many operators it holds.
    count
        How many there are to place.
    chosen
        The nodes to try.
    """
    values = np.empty((len(chosen[0]), len(chosen[1])))
    room, price, delay = rooms.copy(), np.empty(len(rooms)), np.empty(len(rooms))
    cheapest, held = np.empty(count + 1), np.empty(count + 1)
    for i, one in enumerate(chosen[0]):
        for j, other in enumerate(chosen[1]):
            room[one] -= 1.0
            room[other] -= 1.0
            for node in range(len(room)):
                price[node] = prices[0][one, node] + prices[1][other, node] + own[node]
                delay[node] = delays[0][one, node] + delays[1][other, node]
            added, _ = _fill(price, room, count, cheapest, held)
            _, slowest = _fill(delay, room, count, cheapest, held)
            values[i, j] = added + slowest + own[one] + own[other] + joint[one, other]
            room[one] += 1.0
            room[other] += 1.0
    return values


@compiled
def _fill(
    price: Floats, room: Floats, count: int, cheapest: Floats, held: Floats
) -> tuple[float, float]:
    """Return the sum and the highest of the prices, nodes filled from the cheapest.

    `cheapest` and `held` are room to work in: the nodes in use, in ascending order of price.
    """
    used, free = 0, 0.0
    for node in range(len(price)):
        if room[node] < 1.0 or (free >= count and price[node] >= cheapest[used - 1]):
            continue
        at = used
        while at > 0 and cheapest[at - 1] > price[node]:
            cheapest[at], held[at] = cheapest[at - 1], held[at - 1]
            at -= 1
        cheapest[at], held[at] = price[node], room[node]
        used += 1
        free += room[node]
        while free - held[used - 1] >= count:
            used -= 1
            free -= held[used]
    if free < count:
        return np.inf, np.inf
    total = 0.0
    for at in range(used):
        total += cheapest[at] * held[at]
    return total - (free - count) * cheapest[used - 1], cheapest[used - 1]
