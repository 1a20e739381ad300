"""Rates for topologies that have none, by a seeded model.

- A component without inputs emits 100 to 1000 tuples/s, drawn evenly.
- Any other emits selectivity · input, with a selectivity drawn evenly from 0.1 to 2 for each
  component. A tuple counts once as input, under `all` as well, whatever number of executors it
  reaches; streams that close a cycle (`path_order`) bring nothing back.
- Every subscriber gets everything that is emitted. Several streams between the same two components
  share it evenly.
"""

from collections import Counter
from collections.abc import Sequence

from eyewall_sidecar.model.path_order import path_order
from numpy.random import Generator

SOURCE_RATE = (100.0, 1000.0)
"""Tuples/s."""
SELECTIVITY = (0.1, 2.0)

Ends = tuple[str, str]
"""Source and target component."""


def stream_rates(components: Sequence[str], streams: Sequence[Ends], rng: Generator) -> list[float]:
    """Return the tuples/s of each stream, in their order.

    Parameters
    ----------
    components
        Ids; each draws once, in this order.
    streams
        Their ends.
    """
    fed = {target for _, target in streams}
    drawn = {it: rng.uniform(*(SELECTIVITY if it in fed else SOURCE_RATE)) for it in components}
    parallel = Counter(streams)
    place = {it: number for number, it in enumerate(path_order(components, parallel))}
    sources: dict[str, list[str]] = {it: [] for it in components}
    for source, target in parallel:
        if place[source] < place[target]:
            sources[target].append(source)
    emitted: dict[str, float] = {}
    for it in place:
        arriving = sum(emitted[source] for source in sources[it])
        emitted[it] = drawn[it] * arriving if it in fed else drawn[it]
    return [emitted[source] / parallel[source, target] for source, target in streams]
