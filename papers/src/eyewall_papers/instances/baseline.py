"""The scalability baseline of paper 000, section 7.3, table 2: one factor varied at a time.

The paper's figure 8 is not in its text. "Fat" is taken as one source, n − 2 parallel operators and
one sink; fully connected layers of two fit the paper's counts of streams as well: both are here.
"""

from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

import numpy as np
from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Stream


class GraphShape(StrEnum):
    """The application's graph."""

    SEQUENTIAL = "sequential"
    FAT = "fat"
    LAYERS = "layers"
    """Source, fully connected layers of two, sink; for an even number of operators."""


def baseline(
    shape: GraphShape,
    operators: int,
    nodes: int,
    *,
    capacity: int = 4,
    seed: int,
    symmetric: bool = False,
    varied: bool = False,
    execution_time: float = 0.0,
) -> PlacementProblem:
    """Return one instance; the same arguments give the same instance.

    Parameters
    ----------
    capacity
        C_u, with C_i = 1.
    symmetric
        Delays are the same in both directions; otherwise each is drawn by itself.
    varied
        Rates drawn evenly from 1 to 10 tuples/s and every other node 99 % available, for terms
        that would be flat with the paper's homogeneous ones.
    execution_time
        R_i. The paper's 1 s adds the length of the longest path, in seconds, to every R: with it
        no relative gap means anything, so it is left out unless asked for.
    """
    rng = np.random.default_rng(seed * 1000 + operators * 7 + nodes)
    milliseconds = np.maximum(rng.normal(22, 5, (nodes, nodes)), 1.0)
    if symmetric:
        upper = np.triu(milliseconds, 1)
        milliseconds = upper + upper.T
    ends = list(_ends(shape, operators))
    rates = rng.uniform(1, 10, len(ends)).tolist() if varied else [1.0] * len(ends)
    names = [f"n{number}" for number in range(nodes)]
    return PlacementProblem(
        operators=tuple(
            Operator(f"op{number}", execution_time=execution_time) for number in range(operators)
        ),
        streams=tuple(
            Stream(f"op{source}", f"op{target}", rate)
            for (source, target), rate in zip(ends, rates, strict=True)
        ),
        nodes=tuple(
            Node(name, operators=capacity, availability=0.99 if varied and not place % 2 else 1.0)
            for place, name in enumerate(names)
        ),
        links=LinkMatrix.from_delays(names, milliseconds / 1000),
    )


def _ends(shape: GraphShape, operators: int) -> Iterator[tuple[int, int]]:
    last = operators - 1
    match shape:
        case GraphShape.SEQUENTIAL:
            yield from pairwise(range(operators))
        case GraphShape.FAT:
            yield from ((0, middle) for middle in range(1, last))
            yield from ((middle, last) for middle in range(1, last))
        case GraphShape.LAYERS:
            if operators % 2:
                raise ValueError(f"layers: {operators} operators; it must be an even number")
            layers = [[0], *([i, i + 1] for i in range(1, last, 2)), [last]]
            for senders, receivers in pairwise(layers):
                yield from ((i, j) for i in senders for j in receivers)
