"""Problems of a few operators, written down in one line each."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import inf

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream


def chain_of(
    rates: Sequence[float],
    rooms: Sequence[float],
    *,
    pins: Mapping[str, str] | None = None,
    delays: Mapping[tuple[str, str], float] | None = None,
) -> PlacementProblem:
    """Return a → b → c …, one stream for each rate, on n1, n2, … with room for so many operators.

    Parameters
    ----------
    pins
        Operator → its only candidate.
    delays
        Pair of nodes → seconds, both ways; 10 ms where nothing is given.
    """
    names = [chr(ord("a") + place) for place in range(len(rates) + 1)]
    streams = {(i, j): rate for i, j, rate in zip(names, names[1:], rates, strict=False)}
    return graph_of(streams, rooms, pins=pins, delays=delays)


def graph_of(
    streams: Mapping[tuple[str, str], float],
    rooms: Sequence[float],
    *,
    pins: Mapping[str, str] | None = None,
    delays: Mapping[tuple[str, str], float] | None = None,
    bandwidth: float = inf,
) -> PlacementProblem:
    """Return operators with these streams; tuples have one byte."""
    pins, delays = pins or {}, delays or {}
    names = dict.fromkeys(name for ends in streams for name in ends)
    nodes = [f"n{place + 1}" for place in range(len(rooms))]
    return PlacementProblem(
        operators=tuple(
            Operator(it, candidates=(pins[it],) if it in pins else None) for it in names
        ),
        streams=tuple(Stream(i, j, rate, tuple_bytes=1) for (i, j), rate in streams.items()),
        nodes=tuple(Node(u, operators=room) for u, room in zip(nodes, rooms, strict=True)),
        links={
            (u, v): Link(delays.get((u, v), delays.get((v, u), 0.010)), bandwidth=bandwidth)
            for u, v in product(nodes, nodes)
            if u != v
        },
    )
