"""Where a tuple's way leads, and its ack's, in expectation: none of it depends on the placement.

A tuple's way is a random walk from a source to a sink that takes each stream in proportion to its
rate. Its tree is all that follows from it: where a stream goes to two executors, the walk takes
one of them, and the tree both.
"""

from dataclasses import dataclass

import numpy as np

from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.arrays import ProblemArrays


@dataclass(frozen=True, slots=True, eq=False)
class TupleWays:
    """What one tuple of a source leads to.

    Parameters
    ----------
    visits, entries
        [operator]: how often a tuple's way leads through it, and begins there.
    passes
        [stream]: how often a tuple's way, or its ack's, leads along it.
    tuple_passes
        [stream]: the same without acks.
    tree_tuples
        [operator]: tuples of a tree that it works on; no fewer than its visits.
    """

    visits: Floats
    entries: Floats
    passes: Floats
    tuple_passes: Floats
    tree_tuples: Floats

    @property
    def way_shares(self) -> Floats:
        """[operator]: the part of its tree's tuples that are on the tuple's way."""
        none = np.zeros(len(self.visits))
        return np.divide(self.visits, self.tree_tuples, out=none, where=self.tree_tuples > 0)


def tuple_ways(arrays: ProblemArrays) -> TupleWays:
    """Follow the streams from the sources; without rates, each stream of an operator alike."""
    count = arrays.operators
    position = np.full(count, -1)
    position[arrays.path_order] = np.arange(len(arrays.path_order))
    at, to = position[arrays.sources], position[arrays.targets]
    forward = ~arrays.system & (at >= 0) & (at < to)
    leaving = np.bincount(arrays.sources[forward], arrays.rates[forward], count)
    streams = np.bincount(arrays.sources[forward], minlength=count)
    begins = np.zeros(count, dtype=np.bool_)
    begins[arrays.path_order] = True
    begins[arrays.targets[forward]] = False
    entries = np.where(begins, leaving, 0.0)
    emitted = entries.sum()
    if emitted == 0.0:
        entries = begins.astype(np.float64)
    entries /= max(1e-300, entries.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(
            leaving[arrays.sources] > 0,
            arrays.rates / leaving[arrays.sources],
            1.0 / streams[arrays.sources],
        )
    visits, passes = entries.copy(), np.zeros(len(arrays.rates))
    for stream in np.argsort(at, kind="stable").tolist():
        if forward[stream]:
            passes[stream] = visits[arrays.sources[stream]] * shares[stream]
            visits[arrays.targets[stream]] += passes[stream]
    received = np.bincount(arrays.targets[forward], arrays.rates[forward], count)
    ends = np.where(streams == 0, visits, 0.0)
    return TupleWays(
        visits=visits,
        entries=entries,
        passes=passes + _ack_passes(arrays, ends, entries),
        tuple_passes=passes,
        tree_tuples=np.maximum(visits, received / emitted if emitted > 0 else 0.0),
    )


def _ack_passes(arrays: ProblemArrays, ends: Floats, entries: Floats) -> Floats:
    """Return how often an ack leads along each stream: from where a tuple's way ends to its source.

    An acker is what has a system stream to a source: of Storm's own, only ackers answer spouts.

    Parameters
    ----------
    ends
        [operator]: how often a tuple's way ends there.
    """
    back = arrays.system & (entries[arrays.targets] > 0)
    is_acker = np.zeros(len(ends), dtype=np.bool_)
    is_acker[arrays.sources[back]] = True
    to_acker = arrays.system & is_acker[arrays.targets] & (ends[arrays.sources] > 0)
    passes = np.zeros(len(arrays.rates))
    own = ~arrays.system
    received = np.bincount(arrays.targets[own], arrays.rates[own], len(ends))
    sent = np.bincount(arrays.sources[to_acker], arrays.rates[to_acker], len(ends))
    # Without rates all is taken to be acked: Storm starts ackers unless configured otherwise.
    acked = ends * np.divide(sent, received, out=np.ones(len(ends)), where=received > 0).clip(0, 1)
    for leg in (to_acker, back):
        sources, targets = arrays.sources[leg], arrays.targets[leg]
        weights = np.maximum(arrays.rates[leg], 1e-12)
        passes[leg] = acked[sources] * weights / np.bincount(sources, weights, len(ends))[sources]
        acked = np.asarray(np.bincount(targets, passes[leg], len(ends)), dtype=np.float64)
    return passes
