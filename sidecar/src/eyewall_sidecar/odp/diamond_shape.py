"""Whether a problem is one source, parallel operators and one sink."""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays


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


def covers(arrays: ProblemArrays) -> bool:
    """Whether `solve_diamond` takes the problem.

    - Paths lead from one operator, the source, over each of at least one other, the parallel ones,
      to one more, the sink; a path from the source straight to the sink may be beside them.
    - Every operator is on a path. Streams, those on no path included, run between the ends,
      between an end and a parallel operator, or from an operator to itself.
    - No bandwidth is limited.
    - Parallel operators need the same of each resource that some node may run out of.

    Candidates, speeds, execution times and what the ends need are free.
    """
    return shape_of(arrays) is not None


def shape_of(arrays: ProblemArrays) -> Shape | None:
    """Return who is what, or None for a problem that is not `covers`' case."""
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
