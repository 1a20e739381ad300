"""The operation graphs of paper 002, section 6.1.2 and table 1.

Text and table say how many operations and operators each has and how random ones grow; how they
look is in figures. Sizes are the paper's therefore, and shapes are ours, by the same rules.

What the text does not say, and is so here: after the operation count, the same generator draws
`nextInt(edges)` for the edge and `nextDouble() < 0.6` for a single operation; where only one is
lacking, it is a single one; a selectivity is 0.5 + `nextDouble()`, for one operation after the
other, sink excepted; a cycle is one stream back from an operation to the one before it, drawn
among streams between two that are neither source nor sink.
"""

from dataclasses import dataclass
from itertools import pairwise

from eyewall_papers.instances.java_random import JavaRandom

SEED = 3141592653589793238
"""The first 19 digits of π, a Java long."""
SKIPPED = 1000
"""Draws between the generators of two random topologies."""
LEAST, COUNTS = 5, 20
"""`nextInt(20) + 5` gives table 1's counts; the text's "between three and 24" does not."""
SINGLE = 0.6
"""The probability of a single operation; else it is a diamond."""
SELECTIVITY = (0.5, 1.0)
"""The least, and the width of what is drawn."""
SOURCE, SINK = 0, 1

TABLE_1 = {
    "T-M1": (6, 6),
    "T-M2": (3, 12),
    "T-M3": (3, 3),
    "T-R1": (16, 30),
    "T-R2": (7, 12),
    "T-R3": (12, 22),
    "T-R4": (15, 28),
    "T-R5": (11, 20),
    "T-R6": (11, 20),
    "T-R7": (22, 42),
    "T-R8": (8, 14),
    "T-R9": (10, 18),
}
"""Topology → operations and operators."""
CYCLIC = ("T-R8", "T-R9")

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EckerShape:
    """Operations and the streams between them; operation 0 is the source, 1 the sink.

    Parameters
    ----------
    instances
        [operation]: how many operators it has.
    selectivities
        [operation]: output by input; the source's and the sink's are of no meaning.
    edges
        Streams that close no cycle.
    back
        The stream that closes one, if any.
    """

    instances: tuple[int, ...]
    selectivities: tuple[float, ...]
    edges: tuple[Edge, ...]
    back: Edge | None = None


def shape_of(topology: str) -> EckerShape:
    """Return the shape of one of table 1's topologies."""
    operations, operators = TABLE_1[topology]
    if topology.startswith("T-R"):
        return _random(topology, operations)
    if topology == "T-M1":
        chain = (SOURCE, *range(2, operations), SINK)
        edges = tuple(pairwise(chain))
    else:
        edges = ((SOURCE, 2), (2, SINK))
    each = (operators - 2) // (operations - 2)
    return EckerShape((1, 1, *[each] * (operations - 2)), (1.0,) * operations, edges)


def count_drawn(number: int) -> int:
    """Return the operation count that the seed gives random topology 1, 2, …"""
    return _count(_generator(number))


def _random(topology: str, operations: int) -> EckerShape:
    rng = _generator(int(topology.removeprefix("T-R")))
    _count(rng)
    edges = grow(rng, operations)
    least, width = SELECTIVITY
    drawn = [least + width * rng.next_double() for _ in range(operations)]
    back = None
    if topology in CYCLIC:
        inner = [(one, other) for one, other in edges if one != SOURCE and other != SINK]
        back = inner[rng.below(len(inner))][::-1]
    return EckerShape((1, 1, *[2] * (operations - 2)), tuple(drawn), tuple(edges), back)


def grow(rng: JavaRandom, operations: int) -> list[Edge]:
    """Grow a graph from source → sink until it has so many operations (at least 2).

    A drawn edge is replaced by a way through a new operation, or through either of two.
    """
    edges: list[Edge] = [(SOURCE, SINK)]
    count = 2
    while count < operations:
        start, end = edges.pop(rng.below(len(edges)))
        single = rng.next_double() < SINGLE or count + 1 == operations
        for new in range(count, count + (1 if single else 2)):
            edges += [(start, new), (new, end)]
            count += 1
    return edges


def _generator(number: int) -> JavaRandom:
    rng = JavaRandom(SEED)
    rng.skip((number - 1) * SKIPPED)
    return rng


def _count(rng: JavaRandom) -> int:
    return LEAST + rng.below(COUNTS)
