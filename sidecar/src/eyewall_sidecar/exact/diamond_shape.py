"""Who is what in a problem of one source, parallel operators and one sink."""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays
from eyewall_sidecar.objectives.costs import Costs


class Shape(NamedTuple):
    """Who is what in it.

    Parameters
    ----------
    source, sink
        Places of the ends.
    parallel
        Places of the operators between them.
    direct
        Whether a path leads from the source straight to the sink.
    """

    source: int
    sink: int
    parallel: Places
    direct: bool


def shape_of(arrays: ProblemArrays) -> Shape | None:
    """Return who is what, or None if the problem is of another shape."""
    count = arrays.operators
    if count < 3 or len(arrays.path_order) != count or np.isfinite(arrays.bandwidths).any():
        return None
    (sources,) = np.nonzero(np.bincount(arrays.path_targets, minlength=count) == 0)
    (sinks,) = np.nonzero(np.bincount(arrays.path_sources, minlength=count) == 0)
    if len(sources) != 1 or len(sinks) != 1:
        return None
    source, sink = int(sources[0]), int(sinks[0])
    starts, ends = arrays.path_sources == source, arrays.path_targets == sink
    if not (starts | ends).all():
        return None
    apart = arrays.sources != arrays.targets
    touching = np.isin(arrays.sources, (source, sink)) | np.isin(arrays.targets, (source, sink))
    if not touching[apart].all():
        return None
    parallel = np.setdiff1d(np.arange(count), (source, sink))
    for need, limit in zip(arrays.requirements, arrays.limits, strict=True):
        if np.ptp(need[parallel]) > 0 and binding(arrays, need, limit):
            return None
    return Shape(source, sink, parallel, direct=bool((starts & ends).any()))


def binding(arrays: ProblemArrays, need: Floats, limit: Floats) -> bool:
    """Whether some node would run out of the resource if it held all that may be there."""
    return bool((need @ arrays.allowed > limit).any())


def streams_of(arrays: ProblemArrays, shape: Shape) -> Floats:
    """Return [end, kind, operator]: tuples/s and streams between it and source, sink.

    Kinds are tuples/s and number of streams from the end, then both to the end.
    """
    amounts = np.zeros((2, 4, arrays.operators))
    for place, end in enumerate((shape.source, shape.sink)):
        leaving, coming = arrays.sources == end, arrays.targets == end
        for kind, chosen, others in ((0, leaving, arrays.targets), (2, coming, arrays.sources)):
            np.add.at(amounts[place, kind], others[chosen], arrays.rates[chosen])
            np.add.at(amounts[place, kind + 1], others[chosen], 1.0)
    return amounts


def classes_of(
    arrays: ProblemArrays, shape: Shape, streams: Floats, costs: Costs | None = None
) -> Places:
    """Return [parallel operator]: its class; those of one class are alike in all that counts.

    What the costs do not count may differ; without costs, all counts.
    """
    middle = shape.parallel
    counts = np.ones(3, dtype=np.bool_)
    if costs is not None:
        counts = np.array([costs.response > 0, costs.per_tuple.any(), costs.per_stream.any()])
    _, candidates = np.unique(arrays.allowed[middle], axis=0, return_inverse=True)
    keys = np.vstack(
        [
            candidates.reshape(1, -1),
            arrays.execution_times[middle] * counts[0],
            (streams[:, :, middle] * np.tile(counts[1:], 2)[:, None]).reshape(8, -1),
        ]
    )
    _, classes = np.unique(keys, axis=1, return_inverse=True)
    return np.asarray(classes.reshape(-1), dtype=np.int64)
