"""Paper 002's test bed as placement problems: its topologies (table 1) on its 11 workers (6.1.1).

Cores and memory of the workers are the paper's; their delays are those that
deploy/src/eyewall_deploy/clusters/ecker11.toml chose within its "low single-digit milliseconds".
What operators need is not in the paper: 128 MB each, Storm's default; and as much CPU as they
handle tuples, 10 % of a core in the mean, which is Storm's default too. With it, as the paper says
of its own, the three small topologies fit on the greatest worker.
"""

import tomllib
from itertools import product
from pathlib import Path

import numpy as np
from eyewall_sidecar.model import LinkMatrix, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.path_order import path_order

from eyewall_papers.instances.ecker_shapes import SOURCE, EckerShape, Edge, shape_of

CLUSTER = Path(__file__).parents[4] / "deploy/src/eyewall_deploy/clusters/ecker11.toml"
MEGABYTE = 1024.0**2
MEMORY = 128 * MEGABYTE
"""Bytes that an operator needs."""
CPU = 0.1
"""Cores that an operator needs in the mean."""
SOURCE_RATE = 1000.0
"""Tuples/s; only what others send by it counts."""


def ecker_problem(topology: str, cpu: float = CPU) -> PlacementProblem:
    """Return the problem of placing one of table 1's topologies.

    Streams between operations are grouped by shuffle: every pair of their operators has an equal
    share. What a stream back carries is what its sender emits, and it brings nothing back.

    Parameters
    ----------
    cpu
        Cores that an operator needs in the mean.
    """
    shape = shape_of(topology)
    names = [
        [f"{'source' if it == SOURCE else 'sink' if it == 1 else it}#{n}" for n in range(count)]
        for it, count in enumerate(shape.instances)
    ]
    rates = stream_rates(shape)
    handled = np.zeros(len(names))
    handled[SOURCE] = SOURCE_RATE
    for (_, target), rate in rates.items():
        handled[target] += rate
    each = handled / shape.instances
    cores = each * cpu * sum(shape.instances) / handled.sum()
    nodes, links = workers()
    return PlacementProblem(
        operators=tuple(
            Operator(name, cpu=float(cores[it]), memory=MEMORY)
            for it, operators in enumerate(names)
            for name in operators
        ),
        streams=tuple(
            Stream(one, other, rate / len(names[source]) / len(names[target]))
            for (source, target), rate in rates.items()
            for one, other in product(names[source], names[target])
        ),
        nodes=nodes,
        links=links,
    )


def stream_rates(shape: EckerShape) -> dict[Edge, float]:
    """Return stream between operations → tuples/s at `SOURCE_RATE`: all that its sender emits."""
    operations = range(len(shape.instances))
    order = path_order([str(it) for it in operations], [(str(u), str(v)) for u, v in shape.edges])
    emitted = np.zeros(len(operations))
    emitted[SOURCE] = SOURCE_RATE
    for name in order[1:]:
        operation = int(name)
        arriving = sum(emitted[u] for u, v in shape.edges if v == operation)
        emitted[operation] = arriving * shape.selectivities[operation]
    streams = shape.edges if shape.back is None else (*shape.edges, shape.back)
    return {edge: float(emitted[edge[0]]) for edge in streams}


def workers() -> tuple[tuple[Node, ...], LinkMatrix]:
    """Return w1 to w11 and the links between them."""
    read = tomllib.loads(CLUSTER.read_text(encoding="utf-8"))
    hosts = read["hosts"]
    between = {frozenset(it["between"]): it["one_way_ms"] / 1e3 for it in read["delays"]}
    nodes = tuple(Node(it["name"], it["cpu"], it["memory_mb"] * MEGABYTE) for it in hosts)
    delays = [
        [0.0 if u is v else between[frozenset((u["site"], v["site"]))] for v in hosts]
        for u in hosts
    ]
    return nodes, LinkMatrix.from_delays([it.id for it in nodes], np.array(delays))
