"""The closed case: one source, parallel operators, one sink ("fat" in paper 000, section 7.3).

For each pair of nodes that the ends can be on, what is left is a transport problem: the parallel
operators share nothing but room. R alone asks for the least longest way, sums for the least sum,
and a mix for both in turn: the least sum of ways below an ever shorter limit. Pairs are tried by
increasing bound, until the next bound is no better than what was found.
"""

import numpy as np

from eyewall_sidecar.exact.diamond_pairs import BETTER, Diamond, bound_pairs, improve
from eyewall_sidecar.exact.diamond_shape import Shape, binding, classes_of, shape_of, streams_of
from eyewall_sidecar.exact.finding import Clock, Finding, Outcome
from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays
from eyewall_sidecar.objectives.costs import Costs, cost

AT_ONCE = 100_000
"""Classes × nodes × pairs between two looks at the clock: less than a millisecond or so."""

MOST_STEPS = 20_000_000
"""Classes² × nodes that one transport may take, between two looks at the clock."""


def covers(arrays: ProblemArrays) -> bool:
    """Whether `solve_diamond` takes the problem.

    - Paths lead from one operator, the source, over each of at least one other, the parallel ones,
      to one more, the sink; a path from the source straight to the sink may be beside them.
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
    classes = int(classes_of(arrays, shape, streams_of(arrays, shape)).max()) + 1
    return classes**2 * arrays.nodes <= MOST_STEPS


def solve_diamond(arrays: ProblemArrays, costs: Costs, *, ends_at: float, clock: Clock) -> Finding:
    """Return the optimum of a problem that `covers` takes, or what is known when time is up.

    Parameters
    ----------
    ends_at
        When it must be done, by `clock` in seconds.
    """
    shape = shape_of(arrays)
    if shape is None:
        raise ValueError("the problem is not one source, parallel operators and one sink")
    streams = streams_of(arrays, shape)
    classes = classes_of(arrays, shape, streams, costs)
    diamond = _diamond(arrays, costs, shape, streams, classes)
    search = _Search(diamond, ends_at, clock)
    together = np.arange(arrays.nodes) * (arrays.nodes + 1)
    apart = np.setdiff1d(np.arange(arrays.nodes**2), together)
    search.bound(together, share=0.25)
    search.improve(together, share=0.25)
    search.bound(apart, share=0.5)
    search.improve(np.arange(arrays.nodes**2), share=1.0)
    if search.pair < 0:
        outcome = Outcome.INFEASIBLE if search.finished else Outcome.NOTHING
        return Finding(outcome, bound=search.lowest, steps=search.tried)
    places = _places(arrays, shape, classes, search.pair, search.flow)
    value = cost(arrays, costs, places)
    if not search.finished:
        bound = min(search.lowest, value)
        return Finding(Outcome.INCUMBENT, places, value, bound, search.tried)
    return Finding(Outcome.OPTIMAL, places, value, value, search.tried)


class _Search:
    """What is known of each pair of the ends' nodes, u · nodes + v, while the time lasts."""

    def __init__(self, diamond: Diamond, ends_at: float, clock: Clock) -> None:
        self.flow = np.zeros(diamond.work.shape, dtype=np.int64)
        self.pair, self.least, self.tried = -1, np.inf, 0
        self._diamond, self._ends_at, self._clock = diamond, ends_at, clock
        self._bounds = diamond.fixed.ravel().copy()
        if diamond.direct and diamond.response > 0:
            self._bounds += diamond.response * diamond.delays[0].ravel()
        self._step = max(1, AT_ONCE // diamond.work.size)

    @property
    def finished(self) -> bool:
        """Whether nothing better is left to be found."""
        return not (self._bounds < self._goal).any()

    @property
    def _goal(self) -> float:
        return self.least * BETTER

    @property
    def lowest(self) -> float:
        """No placement costs less."""
        return min(self.least, float(self._bounds.min()))

    def bound(self, pairs: Places, *, share: float) -> None:
        """Raise the pairs' bounds in a share of the time that is left."""
        pairs = self._open(pairs)
        ends_at = self._within(share)
        for start in range(0, len(pairs), self._step):
            if self._clock() >= ends_at:
                break
            some = pairs[start : start + self._step]
            bound_pairs(self._diamond, some, self.least, self._bounds)

    def improve(self, pairs: Places, *, share: float) -> None:
        """Try the pairs in a share of the time that is left, those with the least bound first."""
        pairs = self._open(pairs)
        ends_at = self._within(share)
        pairs = pairs[np.argsort(self._bounds[pairs], kind="stable")]
        for start in range(0, len(pairs), self._step):
            some = pairs[start : start + self._step]
            if self._bounds[some[0]] >= self._goal or self._clock() >= ends_at:
                break
            self.least, found = improve(self._diamond, some, self._bounds, self.least, self.flow)
            self.pair = self.pair if found < 0 else found
            self._bounds[some] = np.inf
            self.tried += len(some)

    def _within(self, share: float) -> float:
        """Return when a share of the time that is left will be over."""
        now = self._clock()
        return now + share * (self._ends_at - now)

    def _open(self, pairs: Places) -> Places:
        return pairs[self._bounds[pairs] < self._goal]


def _diamond(
    arrays: ProblemArrays, costs: Costs, shape: Shape, streams: Floats, classes: Places
) -> Diamond:
    _, firsts, supplies = np.unique(classes, return_index=True, return_counts=True)
    like = shape.parallel[firsts]
    work = arrays.execution_times[like, None] / arrays.speedups
    per_tuple, per_stream = costs.per_tuple, costs.per_stream
    rooms = _rooms(arrays, shape)
    return Diamond(
        response=float(costs.response),
        direct=shape.direct,
        additive=costs.additive or not costs.response,
        fixed=_fixed(arrays, costs, shape, streams, rooms),
        delays=np.stack([arrays.delays, arrays.delays.T]),
        work=np.where(arrays.allowed[like], work, np.inf),
        there=np.where(arrays.allowed[like], costs.per_operator, np.inf),
        between=np.stack([per_tuple, per_stream, per_tuple.T, per_stream.T]),
        amounts=np.ascontiguousarray(streams[:, :, like].transpose(2, 0, 1)),
        supplies=supplies.astype(np.int64),
        rooms=rooms,
    )


def _fixed(
    arrays: ProblemArrays, costs: Costs, shape: Shape, streams: Floats, rooms: Places
) -> Floats:
    """Return [u, v]: what source and sink cost there; infinite where they may not be."""
    alone = []
    for end, room in ((shape.source, rooms[1]), (shape.sink, rooms[2])):
        work = costs.response * arrays.execution_times[end] / arrays.speedups
        there = arrays.allowed[end] & (room >= 0)
        alone.append(np.where(there, costs.per_operator + work, np.inf))
    fixed = alone[0][:, None] + alone[1][None, :]
    ways = (costs.per_tuple, costs.per_stream, costs.per_tuple.T, costs.per_stream.T)
    for amount, way in zip(streams[0, :, shape.sink], ways, strict=True):
        if amount:
            fixed = fixed + amount * way
    crowded = np.flatnonzero(rooms[3] < 0)
    fixed[crowded, crowded] = np.inf
    return np.asarray(fixed, dtype=np.float64)


def _rooms(arrays: ProblemArrays, shape: Shape) -> Places:
    """Return [4, node]: how many parallel operators fit beside no end, the source, the sink, both.

    −1 where the ends do not fit themselves.
    """
    count = len(shape.parallel)
    rooms = np.full((4, arrays.nodes), count, dtype=np.int64)
    for need, limit in zip(arrays.requirements, arrays.limits, strict=True):
        if not binding(arrays, need, limit):
            continue
        each, source, sink = need[shape.parallel[0]], need[shape.source], need[shape.sink]
        for place, taken in enumerate((0.0, source, sink, source + sink)):
            left = limit - taken
            fitting = np.minimum(left / each, count) if each > 0 else np.full(len(left), count)
            fitting = np.where(left < 0, -1, np.floor(fitting))
            rooms[place] = np.minimum(rooms[place], fitting.astype(np.int64))
    return rooms


def _places(
    arrays: ProblemArrays, shape: Shape, classes: Places, pair: int, flow: Places
) -> Places:
    """Return [operator]: the place of its node, for the ends' pair of nodes and the flow."""
    places = np.empty(arrays.operators, dtype=np.int64)
    places[shape.source], places[shape.sink] = divmod(pair, arrays.nodes)
    for one, row in enumerate(flow):
        places[shape.parallel[classes == one]] = np.repeat(np.arange(arrays.nodes), row)
    return places
