"""Small random problems with every trait that an exact engine may stumble over, from a seed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise, product
from math import inf
from typing import Self

import numpy as np
from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.links import LinkMatrix, Matrix
from numpy.random import Generator, default_rng

Edge = tuple[int, int]
CHANCE = 0.3
"""How likely a drawn problem has a given trait."""


class Graph(StrEnum):
    """How the operators hang together."""

    CHAIN = "chain"
    DIAMOND = "diamond"
    """One source, parallel operators, one sink; at times a stream from source to sink."""
    LAYERS = "layers"
    DAG = "dag"
    CYCLES = "cycles"
    DISCONNECTED = "disconnected"


@dataclass(frozen=True, slots=True)
class Traits:
    """What a problem has.

    Parameters
    ----------
    graph
        How the operators hang together.
    system_streams, self_streams, parallel_streams
        Streams on no path, streams from an operator to itself, a second stream along a first.
    shuffled
        Operators are listed in any order, not sources first.
    interchangeable
        Operators of a layer, and the streams between two layers, are alike in all they need.
    tight
        Together the nodes hold as many operators as there are, or one more, at times one less.
    limited
        Nodes hold any number from 1 to 3, or as many as may be.
    resources
        Operators need cpu and memory in different amounts, and nodes run out of them.
    speeds, availabilities
        Nodes differ in speedup; nodes and links differ in availability.
    dead
        Some nodes and links have availability 0.
    pins, candidates
        Some operators have one candidate, or a few.
    bandwidth
        Some links carry a limited number of bytes/s.
    equal_delays
        Every link has the same delay.
    asymmetric
        The way back takes longer, or shorter.
    detours
        Some links take ten times as long as the way around: no triangle inequality.
    identical_nodes
        Some nodes are copies of others, each at the same distance from the rest.
    generic
        Operators need, and nodes have, some of two generic resources.
    """

    graph: Graph = Graph.DAG
    system_streams: bool = False
    self_streams: bool = False
    parallel_streams: bool = False
    shuffled: bool = False
    interchangeable: bool = False
    tight: bool = False
    limited: bool = False
    resources: bool = False
    speeds: bool = False
    availabilities: bool = False
    dead: bool = False
    pins: bool = False
    candidates: bool = False
    bandwidth: bool = False
    equal_delays: bool = False
    asymmetric: bool = False
    detours: bool = False
    identical_nodes: bool = False
    generic: bool = False

    @classmethod
    def drawn(cls, rng: Generator, graph: Graph | None = None, **fixed: bool) -> Self:
        """Draw every trait that is not fixed."""
        chosen = list(Graph)[rng.integers(len(Graph))]
        names = [name for name in cls.__slots__ if name not in {"graph", "generic"}]
        flags = {name: bool(rng.random() < CHANCE) for name in names}
        return cls(graph or chosen, **(flags | fixed))


def random_problem(
    seed: int, traits: Traits | None = None, *, operators: int = 6, nodes: int = 4
) -> PlacementProblem:
    """Return a problem of at most so many operators and nodes; the seed decides all else.

    Without traits, these are drawn too.
    """
    rng, own = default_rng(seed), default_rng((seed, 1))
    traits = traits or replace(Traits.drawn(rng), generic=bool(own.random() < CHANCE))
    n, m = int(rng.integers(1, operators + 1)), int(rng.integers(1, nodes + 1))
    layers = _layers(rng, traits.graph, n)
    names = [f"o{i}" for i in range(n)]
    places = [f"n{u}" for u in range(m)]
    listed = rng.permutation(n).tolist() if traits.shuffled else range(n)
    made = _operators(rng, traits, names, places, layers)
    streams = _streams(rng, traits, names, layers)
    copies = _copies(rng, m) if traits.identical_nodes else list(range(m))
    there = _nodes(rng, traits, n, copies)
    if traits.generic:
        made, there = _with_generic(own, traits, layers, made, there, copies)
    return PlacementProblem(
        operators=tuple(made[i] for i in listed),
        streams=tuple(streams),
        nodes=tuple(there),
        links=_links(rng, traits, places, copies),
    )


def random_problems(
    first: int, count: int, *, operators: int = 6, nodes: int = 4
) -> Iterator[tuple[int, PlacementProblem]]:
    """Yield so many seeds, each with its problem."""
    for seed in range(first, first + count):
        yield seed, random_problem(seed, operators=operators, nodes=nodes)


def _layers(rng: Generator, graph: Graph, n: int) -> list[list[int]]:
    if graph is Graph.DIAMOND and n >= 3:
        return [[0], list(range(1, n - 1)), [n - 1]]
    if graph is Graph.LAYERS:
        cuts = [0, *(i for i in range(1, n) if rng.random() < 0.5), n]
        return [list(range(start, end)) for start, end in pairwise(cuts)]
    return [[i] for i in range(n)]


def _edges(rng: Generator, graph: Graph, layers: list[list[int]]) -> list[Edge]:
    operators = [i for layer in layers for i in layer]
    match graph:
        case Graph.CHAIN | Graph.LAYERS:
            return [pair for one, two in pairwise(layers) for pair in product(one, two)]
        case Graph.DIAMOND:
            edges = [pair for one, two in pairwise(layers) for pair in product(one, two)]
            direct = len(layers) == 3 and rng.random() < 0.3
            return [*edges, (operators[0], operators[-1])] if direct else edges
        case Graph.DAG:
            return [(i, j) for i in operators for j in operators if i < j and rng.random() < 0.5]
        case Graph.CYCLES:
            return [(i, j) for i in operators for j in operators if i != j and rng.random() < 0.35]
        case Graph.DISCONNECTED:
            half = len(operators) // 2
            parts = operators[:half], operators[half:-1]
            return [(i, j) for part in parts for i in part for j in part if i < j]


def _operators(
    rng: Generator, traits: Traits, names: list[str], nodes: list[str], layers: list[list[int]]
) -> list[Operator]:
    made: list[Operator] = []
    for layer in layers:
        for i in layer:
            if traits.interchangeable and i != layer[0]:
                first = made[layer[0]]
                made.append(
                    Operator(
                        names[i], first.cpu, first.memory, first.execution_time, first.candidates
                    )
                )
                continue
            choice = None
            if traits.candidates and rng.random() < 0.6:
                size = int(rng.integers(1, len(nodes) + 1))
                choice = tuple(rng.choice(nodes, size, replace=False).tolist())
            if traits.pins and rng.random() < 0.4:
                choice = (str(rng.choice(nodes)),)
            made.append(
                Operator(
                    names[i],
                    cpu=_pick(rng, 0, 0.3, 0.7, 1) if traits.resources else 1.0,
                    memory=_pick(rng, 0, 1e8, 5e8) if traits.resources else 0.0,
                    execution_time=_pick(rng, 0, 0.001, 0.02, float(rng.uniform(0, 0.05))),
                    candidates=choice,
                )
            )
    return made


def _streams(
    rng: Generator, traits: Traits, names: list[str], layers: list[list[int]]
) -> list[Stream]:
    layer_of = {i: place for place, layer in enumerate(layers) for i in layer}
    shared: dict[Edge, float] = {}

    def stream(i: int, j: int, *, system: bool = False) -> Stream:
        rate = _pick(rng, 0, 1, 7.5, 100, float(rng.uniform(0, 20)))
        if traits.interchangeable:
            rate = shared.setdefault((layer_of[i], layer_of[j]), rate)
        return Stream(names[i], names[j], rate, _pick(rng, 1, 10, 120), system)

    def any_pairs() -> list[Edge]:
        size = int(rng.integers(1, 4))
        return [(i, j) for i, j in rng.integers(len(names), size=(size, 2)).tolist() if i != j]

    edges = _edges(rng, traits.graph, layers)
    streams = [stream(i, j) for i, j in edges]
    if traits.parallel_streams:
        streams += [stream(i, j) for i, j in edges if rng.random() < 0.3]
    if traits.self_streams:
        streams.append(stream(loop := int(rng.integers(len(names))), loop))
    if traits.system_streams:
        streams += [stream(i, j, system=True) for i, j in any_pairs()]
    return streams


def _copies(rng: Generator, m: int) -> list[int]:
    """Return [node]: the node that it is a copy of, at times itself."""
    copies: list[int] = []
    for node in range(m):
        copied = node > 0 and rng.random() < 0.6
        copies.append(copies[int(rng.integers(node))] if copied else node)
    return copies


def _nodes(rng: Generator, traits: Traits, n: int, copies: list[int]) -> list[Node]:
    m = len(copies)
    room = np.full(m, inf)
    if traits.limited:
        room = np.array([_pick(rng, 1, 2, 3, inf) for _ in range(m)])
    if traits.tight:
        total = max(0, n + int(rng.choice([0, 0, 1, 1, -1])))
        room = np.bincount(rng.integers(m, size=total), minlength=m).astype(float)
    room = room[copies]
    made: list[Node] = []
    for u, copied in enumerate(copies):
        node = Node(
            f"n{u}",
            cpu=_pick(rng, inf, 1, 2, 3.5) if traits.resources else inf,
            memory=_pick(rng, inf, 5e8, 1e9, 3e9) if traits.resources else inf,
            operators=float(room[u]),
            speedup=_pick(rng, 1, 0.5, 2) if traits.speeds else 1.0,
            availability=_availability(rng, traits),
        )
        if copied != u:
            like = made[copied]
            node = Node(
                f"n{u}", like.cpu, like.memory, like.operators, like.speedup, like.availability
            )
        made.append(node)
    return made


def _with_generic(
    rng: Generator,
    traits: Traits,
    layers: list[list[int]],
    operators: list[Operator],
    nodes: list[Node],
    copies: list[int],
) -> tuple[list[Operator], list[Node]]:
    """Add them by numbers of their own, so that all else of a seed is as it is without."""

    def amounts(most: int) -> tuple[tuple[str, float], ...]:
        drawn = ((name, float(rng.integers(most + 1))) for name in ("fpga", "gpu"))
        return tuple((name, amount) for name, amount in drawn if amount)

    needed = [amounts(1) for _ in operators]
    if traits.interchangeable:
        for layer in layers:
            for i in layer:
                needed[i] = needed[layer[0]]
    offered = [amounts(4) for _ in nodes]
    return (
        [replace(it, generic=need) for it, need in zip(operators, needed, strict=True)],
        [replace(it, generic=offered[like]) for it, like in zip(nodes, copies, strict=True)],
    )


def _links(rng: Generator, traits: Traits, nodes: list[str], copies: list[int]) -> LinkMatrix:
    """Draw points in a square of 50 ms, and bend their distances as the traits say."""
    m = len(nodes)
    points = rng.uniform(0, 0.05, (m, 2))
    delays = np.hypot(*(points[:, None, :] - points[None, :, :]).transpose(2, 0, 1))
    delays = np.maximum(np.round(delays, 3), 0.001)
    if traits.equal_delays:
        delays[:] = 0.01
    if traits.asymmetric:
        delays *= rng.uniform(1, 2, (m, m))
    if traits.detours:
        delays = np.where(rng.random((m, m)) < 0.3, 10 * delays, delays)
    availabilities = np.array([[_availability(rng, traits) for _ in nodes] for _ in nodes])
    bandwidths = np.full((m, m), inf)
    if traits.bandwidth:
        limits = rng.choice([inf, 0.0, 100.0, 1000.0], (m, m), p=[0.5, 0.1, 0.2, 0.2])
        bandwidths = np.where(rng.random((m, m)) < 0.7, limits, inf)
    return LinkMatrix(
        tuple(nodes),
        _between(delays, copies, diagonal=0.0),
        _between(availabilities, copies, diagonal=1.0),
        _between(bandwidths, copies, diagonal=inf),
    )


def _between(values: Matrix, copies: list[int], diagonal: float) -> Matrix:
    """Give copies the links of what they copy; what leads between two copies is its diagonal."""
    between = values[np.ix_(copies, copies)]
    np.fill_diagonal(between, diagonal)
    return between


def _availability(rng: Generator, traits: Traits) -> float:
    if traits.dead and rng.random() < 0.15:
        return 0.0
    return _pick(rng, 1, 0.99, 0.9) if traits.availabilities else 1.0


def _pick(rng: Generator, *values: float) -> float:
    return float(values[int(rng.integers(len(values)))])
