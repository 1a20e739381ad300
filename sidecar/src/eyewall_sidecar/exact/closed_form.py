"""The closed case: one source, parallel operators, one sink ("fat" in paper 000, section 7.3).

For each pair of nodes that the ends can be on, what is left is a transport problem: the parallel
operators share nothing but room. R alone asks for the least longest way, sums for the least sum,
and a mix for both in turn: the least sum of ways below an ever shorter limit. Pairs are tried by
increasing bound, until the next bound is no better than what was found.
"""

from typing import NamedTuple

import numpy as np

from eyewall_sidecar.exact.end_pairs import BETTER, Diamond, bound_pairs, improve, scratch_of
from eyewall_sidecar.exact.finding import Clock, Finding, Outcome
from eyewall_sidecar.model.array_types import Floats, Indices
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.costs import Costs, cost

AT_ONCE = 100_000
"""Classes × nodes × pairs between two looks at the clock: less than a millisecond or so."""

MOST_STEPS = 20_000_000
"""Classes² × nodes that one transport may take, between two looks at the clock."""


class FatShape(NamedTuple):
    """Which operator is what.

    Parameters
    ----------
    source, sink
        The ends.
    parallel
        The operators between them.
    direct
        Whether a path leads from the source straight to the sink.
    """

    source: int
    sink: int
    parallel: Indices
    direct: bool


def covers(arrays: ProblemArrays) -> bool:
    """Whether `solve_closed_form` takes the problem.

    - Paths lead from one operator, the source, over each of at least one other, the parallel ones,
      to one more, the sink; a path may also lead from the source straight to the sink.
    - Every operator is on a path. Streams, those on no path included, run between the ends,
      between an end and a parallel operator, or from an operator to itself.
    - No bandwidth is limited.
    - Parallel operators need the same of each resource that some node may run out of.
    - Those that differ from each other are not so many that a transport takes seconds.

    Candidates, speeds, execution times and what the ends need are free.
    """
    shape = shape_of(arrays)
    if shape is None:
        return False
    streams = _streams_of(arrays, shape, arrays.data_rates)
    classes = int(_classes_of(arrays, shape, streams).max()) + 1
    return classes**2 * arrays.nodes <= MOST_STEPS


def solve_closed_form(
    arrays: ProblemArrays, costs: Costs, *, ends_at: float, clock: Clock
) -> Finding:
    """Return the optimum of a problem that `covers` takes, or what is known when time is up.

    Parameters
    ----------
    ends_at
        When it must be done, by `clock` in seconds.
    """
    shape = shape_of(arrays)
    if shape is None:
        raise ValueError("the problem is not one source, parallel operators and one sink")
    streams = _streams_of(arrays, shape, costs.data_rates)
    classes = _classes_of(arrays, shape, streams, costs)
    search = _PairSearch(_diamond(arrays, costs, shape, streams, classes), ends_at, clock)
    together = np.arange(arrays.nodes) * (arrays.nodes + 1)
    apart = np.setdiff1d(np.arange(arrays.nodes**2), together)
    search.bound(together, share=0.25)
    search.improve(together, share=0.25)
    search.bound(apart, share=0.5)
    search.improve(np.arange(arrays.nodes**2), share=1.0)
    if search.pair < 0:
        outcome = Outcome.INFEASIBLE if search.finished else Outcome.NOTHING
        return Finding(outcome, bound=search.lowest, steps=search.tried)
    places = np.empty(arrays.operators, dtype=np.int64)
    places[shape.source], places[shape.sink] = divmod(search.pair, arrays.nodes)
    for one, row in enumerate(search.flow):
        places[shape.parallel[classes == one]] = np.repeat(np.arange(arrays.nodes), row)
    value = cost(arrays, costs, places)
    if search.finished:
        return Finding(Outcome.OPTIMAL, places, value, value, search.tried)
    bound = min(search.lowest, value)
    return Finding(Outcome.INCUMBENT, places, value, bound, search.tried)


class _PairSearch:
    """What is known of each pair of the ends' nodes, u · nodes + v, while the time lasts."""

    def __init__(self, diamond: Diamond, ends_at: float, clock: Clock) -> None:
        self.flow = np.zeros(diamond.work.shape, dtype=np.int64)
        self.pair, self.least, self.tried = -1, np.inf, 0
        self._diamond, self._ends_at, self._clock = diamond, ends_at, clock
        self._bounds = diamond.fixed.ravel().copy()
        if diamond.direct and diamond.response > 0:
            self._bounds += diamond.response * diamond.delays[0].ravel()
        self._step = max(1, AT_ONCE // diamond.work.size)
        self._scratch = scratch_of(*diamond.work.shape)

    @property
    def finished(self) -> bool:
        """Whether nothing better is left to be found."""
        return not (self._bounds < self._goal).any()

    @property
    def lowest(self) -> float:
        """No placement costs less."""
        return min(self.least, float(self._bounds.min()))

    @property
    def _goal(self) -> float:
        return self.least * BETTER

    def bound(self, pairs: Indices, *, share: float) -> None:
        """Raise the pairs' bounds in a share of the time that is left."""
        pairs = self._open(pairs)
        ends_at = self._until(share)
        for start in range(0, len(pairs), self._step):
            if self._clock() >= ends_at:
                break
            some = pairs[start : start + self._step].copy()
            bound_pairs(self._diamond, self._scratch, some, self.least, self._bounds)

    def improve(self, pairs: Indices, *, share: float) -> None:
        """Try the pairs in a share of the time that is left, those with the least bound first."""
        pairs = self._open(pairs)
        ends_at = self._until(share)
        pairs = pairs[np.argsort(self._bounds[pairs], kind="stable")]
        for start in range(0, len(pairs), self._step):
            some = pairs[start : start + self._step].copy()
            if self._bounds[some[0]] >= self._goal or self._clock() >= ends_at:
                break
            self.least, found = improve(
                self._diamond, self._scratch, some, self._bounds, self.least, self.flow
            )
            self.pair = self.pair if found < 0 else found
            self._bounds[some] = np.inf
            self.tried += len(some)

    def _until(self, share: float) -> float:
        """Return when a share of the time that is left will be over."""
        now = self._clock()
        return now + share * (self._ends_at - now)

    def _open(self, pairs: Indices) -> Indices:
        return pairs[self._bounds[pairs] < self._goal]


def shape_of(arrays: ProblemArrays) -> FatShape | None:
    """Return which operator is what, or None if the problem is of another shape."""
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
        if np.ptp(need[parallel]) > 0 and _binds(arrays, need, limit):
            return None
    return FatShape(source, sink, parallel, direct=bool((starts & ends).any()))


def _binds(arrays: ProblemArrays, need: Floats, limit: Floats) -> bool:
    """Whether some node would run out of the resource if it held all that may be there."""
    return bool((need @ arrays.allowed > limit).any())


def _streams_of(arrays: ProblemArrays, shape: FatShape, data_rates: Floats) -> Floats:
    """Return [end, kind, operator]: data rate and streams between it and source, sink.

    Kinds are data rate and number of streams from the end, then both to the end.
    """
    amounts = np.zeros((2, 4, arrays.operators))
    for place, end in enumerate((shape.source, shape.sink)):
        leaving, arriving = arrays.sources == end, arrays.targets == end
        for kind, chosen, others in ((0, leaving, arrays.targets), (2, arriving, arrays.sources)):
            np.add.at(amounts[place, kind], others[chosen], data_rates[chosen])
            np.add.at(amounts[place, kind + 1], others[chosen], 1.0)
    return amounts


def _classes_of(
    arrays: ProblemArrays, shape: FatShape, streams: Floats, costs: Costs | None = None
) -> Indices:
    """Return [parallel operator]: its class; those of one class are alike in all that counts.

    What the costs do not count may differ; without costs, all counts.
    """
    middle = shape.parallel
    counts = np.ones(3, dtype=np.bool_)
    if costs is not None:
        counts = np.array([costs.response > 0, costs.per_rate.any(), costs.per_stream.any()])
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


def _diamond(
    arrays: ProblemArrays, costs: Costs, shape: FatShape, streams: Floats, classes: Indices
) -> Diamond:
    _, firsts, supplies = np.unique(classes, return_index=True, return_counts=True)
    like = shape.parallel[firsts]
    work = arrays.execution_times[like, None] / arrays.speedups
    per_rate, per_stream = costs.per_rate, costs.per_stream
    rooms = _rooms(arrays, shape)
    return Diamond(
        response=float(costs.response),
        direct=shape.direct,
        additive=costs.additive or not costs.response,
        fixed=_fixed(arrays, costs, shape, streams, rooms),
        delays=np.stack([arrays.delays, arrays.delays.T]),
        work=np.where(arrays.allowed[like], work, np.inf),
        there=np.where(arrays.allowed[like], costs.per_operator, np.inf),
        between=np.stack([per_rate, per_stream, per_rate.T, per_stream.T]),
        amounts=np.ascontiguousarray(streams[:, :, like].transpose(2, 0, 1)),
        supplies=supplies.astype(np.int64),
        rooms=rooms,
        quickest=np.where(arrays.allowed[like], work, np.inf).min(axis=0),
    )


def _fixed(
    arrays: ProblemArrays, costs: Costs, shape: FatShape, streams: Floats, rooms: Indices
) -> Floats:
    """Return [u, v]: what source and sink cost there; infinite where they may not be."""
    alone = []
    for end, room in ((shape.source, rooms[1]), (shape.sink, rooms[2])):
        work = costs.response * arrays.execution_times[end] / arrays.speedups
        there = arrays.allowed[end] & (room >= 0)
        alone.append(np.where(there, costs.per_operator + work, np.inf))
    fixed = alone[0][:, None] + alone[1][None, :]
    ways = (costs.per_rate, costs.per_stream, costs.per_rate.T, costs.per_stream.T)
    for amount, way in zip(streams[0, :, shape.sink], ways, strict=True):
        if amount:
            fixed = fixed + amount * way
    crowded = np.flatnonzero(rooms[3] < 0)
    fixed[crowded, crowded] = np.inf
    return np.asarray(fixed, dtype=np.float64)


def _rooms(arrays: ProblemArrays, shape: FatShape) -> Indices:
    """Return [4, node]: how many parallel operators fit with no end there, the source, sink, both.

    −1 where the ends do not fit themselves.
    """
    count = len(shape.parallel)
    rooms = np.full((4, arrays.nodes), count, dtype=np.int64)
    for need, limit in zip(arrays.requirements, arrays.limits, strict=True):
        if not _binds(arrays, need, limit):
            continue
        each, source, sink = need[shape.parallel[0]], need[shape.source], need[shape.sink]
        for place, taken in enumerate((0.0, source, sink, source + sink)):
            left = limit - taken
            fitting = np.minimum(left / each, count) if each > 0 else np.full(len(left), count)
            fitting = np.where(left < 0, -1, np.floor(fitting))
            rooms[place] = np.minimum(rooms[place], fitting.astype(np.int64))
    return rooms
