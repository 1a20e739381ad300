"""S-ODP: twelve executors of Tag-and-Count on eight nodes (paper 000, sections 7.1 and 7.2).

A source, five operators of two executors and a consumer; two slots of four executors on each
node; delays drawn once, evenly from 12 to 32 ms for each ordered pair; half of the nodes 99 %
available; 10 tuples/s, give or take 20 % on each stream; source and consumer pinned to two
different nodes.
"""

from itertools import pairwise

import numpy as np
from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Stream

NODES = 8
CAPACITY = 8
OPERATORS = 5
EXECUTION_TIME = 0.001
"""Seconds. The paper says R_i = 1 without a unit (section 6.2)."""


def tag_and_count(seed: int) -> PlacementProblem:
    """Return one instance; the same seed gives the same instance."""
    rng = np.random.default_rng(seed + 99)
    milliseconds = rng.uniform(12, 32, (NODES, NODES))
    unsure = rng.permutation(NODES) < NODES // 2
    source, consumer = rng.choice(NODES, 2, replace=False)
    pinned = {"source": (f"n{source}",), "consumer": (f"n{consumer}",)}
    layers = [
        ["source"],
        *([f"op{number}#1", f"op{number}#2"] for number in range(1, OPERATORS + 1)),
        ["consumer"],
    ]
    names = [f"n{number}" for number in range(NODES)]
    return PlacementProblem(
        operators=tuple(
            Operator(name, execution_time=EXECUTION_TIME, candidates=pinned.get(name))
            for layer in layers
            for name in layer
        ),
        streams=tuple(
            Stream(i, j, 10 * rng.uniform(0.8, 1.2) / len(senders) / len(receivers))
            for senders, receivers in pairwise(layers)
            for i in senders
            for j in receivers
        ),
        nodes=tuple(
            Node(name, operators=CAPACITY, availability=0.99 if it else 1.0)
            for name, it in zip(names, unsure.tolist(), strict=True)
        ),
        links=LinkMatrix.from_delays(names, milliseconds / 1000),
    )
