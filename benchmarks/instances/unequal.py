"""Edge, fog and cloud: nodes with unequal speed and room, and delays between sites."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

import numpy as np
from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Stream
from numpy.random import Generator

KINDS = ((0.5, 2), (1.0, 6), (2.0, 16))
"""Speedup and room for operators of edge, fog and cloud; a third of the nodes each."""
WITHIN_A_SITE = 0.001
"""Seconds one way between two nodes of a site."""
NODES_A_SITE = 5


class UnequalShape(StrEnum):
    """The application's graph."""

    CHAIN = "chain"
    LAYERS = "layers"
    """Layers of four, fully connected."""
    RANDOM = "random"
    """Each operator but the first follows one or two earlier ones."""


def unequal(shape: UnequalShape, operators: int, nodes: int, seed: int) -> PlacementProblem:
    """Return one instance; the same arguments give the same instance.

    Sites of five nodes, whose kinds are mixed, are 5 to 50 ms apart; operators take 1 to 20 ms for
    a tuple at speedup 1, streams have 1 to 100 tuples/s.
    """
    draw = np.random.default_rng((seed, operators, nodes))
    names = [f"n{number}" for number in range(nodes)]
    ends = list(_ends(shape, operators, draw))
    rates = draw.uniform(1, 100, len(ends)).tolist()
    times = draw.uniform(0.001, 0.02, operators).tolist()
    site = np.arange(nodes) // NODES_A_SITE
    sites = int(site[-1]) + 1
    between = np.triu(draw.uniform(0.005, 0.05, (sites, sites)), 1)
    delays = (between + between.T)[site][:, site]
    delays[site[:, None] == site[None, :]] = WITHIN_A_SITE
    np.fill_diagonal(delays, 0.0)
    return PlacementProblem(
        operators=tuple(
            Operator(f"op{number}", execution_time=time) for number, time in enumerate(times)
        ),
        streams=tuple(
            Stream(f"op{source}", f"op{target}", rate)
            for (source, target), rate in zip(ends, rates, strict=True)
        ),
        nodes=tuple(
            Node(name, operators=room, speedup=speedup)
            for name, (speedup, room) in zip(names, _kinds(nodes, draw), strict=True)
        ),
        links=LinkMatrix.from_delays(names, delays),
    )


def _kinds(nodes: int, draw: Generator) -> list[tuple[float, int]]:
    return [KINDS[place % len(KINDS)] for place in draw.permutation(nodes)]


def _ends(shape: UnequalShape, operators: int, draw: Generator) -> Iterator[tuple[int, int]]:
    match shape:
        case UnequalShape.CHAIN:
            yield from pairwise(range(operators))
        case UnequalShape.LAYERS:
            layers = [range(first, min(first + 4, operators)) for first in range(0, operators, 4)]
            for senders, receivers in pairwise(layers):
                yield from ((i, j) for i in senders for j in receivers)
        case UnequalShape.RANDOM:
            for target in range(1, operators):
                count = min(target, int(draw.integers(1, 3)))
                yield from ((int(i), target) for i in draw.choice(target, count, replace=False))
