"""Ours: beams that know what is still to come, pairs of hubs, then large-neighbourhood search.

No paper's. The branch and bound's idea, that a bound of what remains tells which partial placement
is worth going on with, without its proof: a beam keeps the best few. What the beam cannot see, as
it goes along the paths, local search and regrowth repair.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np
from numpy.random import Generator

from eyewall_sidecar.heuristic.beam_search import grow
from eyewall_sidecar.heuristic.completions import Completions, completions, no_completions, twins
from eyewall_sidecar.heuristic.evaluation_state import State, terms_of
from eyewall_sidecar.heuristic.evaluator import cost, put, started, violations
from eyewall_sidecar.heuristic.hub_pairs import FEWEST_SHARED, MOST_NODES, hub_places, hubs_of
from eyewall_sidecar.heuristic.large_neighbourhood_search import (
    DELTAS,
    DELTAS_AT_ONCE,
    descend,
    regrow,
)
from eyewall_sidecar.heuristic.partial_placement import without_response
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import Costs, weigh

STEP = 3e-8
"""Seconds for one operator tried on one node, measured on a core of 2020; for budgets alone."""
WIDEST = 100
"""Partial placements in a beam; twice as many found nothing better in twice the time."""
NARROW = 4
"""The same when a few operators grow back."""
ROUNDS = 8
"""Regrowths between two looks at the clock."""
MOST_TWINS = 4
"""More are not expected to share a node."""
PAIRS = 64
"""Pairs of hubs that are grown, and `POOL` of them searched further."""
POOL = 4
PRICE = 0.1
"""What a node is dearer by at most, in the mean cost of an operator; 0.01 led nowhere new."""
PATIENCE = 4
"""Steps without progress until the search goes on from something else."""
SLACK = 0.02
"""How much worse than the best a placement may be to go on from, every other time."""


@cache
def load_guided() -> None:
    """Run every compiled part once: a second from numba's cache, a minute without it."""
    middle = [f"m{place}" for place in range(FEWEST_SHARED)]
    problem = PlacementProblem(
        operators=tuple(Operator(it) for it in ("a", *middle, "z")),
        streams=tuple(Stream(*it) for name in middle for it in (("a", name), (name, "z"))),
        nodes=tuple(Node(it, operators=3) for it in "uvw"),
        links={(u, v): Link(0.001) for u in "uvw" for v in "uvw" if u != v},
    )
    arrays = ProblemArrays.of(problem)
    costs = weigh(arrays, {Term.R: 1.0, Term.N: 1.0})
    search = guided(arrays, costs, [], seconds=1.0, generator=np.random.default_rng(0))
    # The last step that does something new is the second round of regrowth.
    for _ in islice(search, 2 * PAIRS):
        pass


def guided(
    arrays: ProblemArrays,
    costs: Costs,
    starts: list[Places],
    *,
    seconds: float,
    generator: Generator,
) -> Iterator[Places]:
    """Yield valid placements, the best so far each time, without end; nothing if none was found.

    The sequence depends on the arguments alone: who takes as many gets the same.

    Parameters
    ----------
    starts
        Placements to begin with; those that are not valid are left out.
    seconds
        What the caller means to spend: how wide beams are.
    """
    search = _Search(arrays, costs, seconds)
    for places in starts:
        search.meet(places)
    yield from search.begin()
    yield from search.go_on(generator)


class _Search:
    """One search: the problem, and the best placements met."""

    def __init__(self, arrays: ProblemArrays, costs: Costs, seconds: float) -> None:
        self._terms = terms_of(arrays, without_response(arrays, costs))
        self._unaware = no_completions(self._terms)
        on_paths = np.zeros(arrays.operators, dtype=np.bool_)
        on_paths[arrays.path_order] = True
        self._order = np.concatenate([arrays.path_order, np.flatnonzero(~on_paths)])
        self._seconds = seconds
        self._state: State | None = None
        self._arrays, self._costs = arrays, costs
        self._table_steps = (len(self._terms.outputs) + arrays.operators) * arrays.nodes**2 / 16
        self._width = 1
        self.met: list[tuple[float, Places]] = []
        """Cost and placement, the best first, none twice."""

    def meet(self, places: Places) -> float:
        """Remember a placement, if it is valid; return its cost."""
        if self._state is None:
            self._state = started(self._arrays, without_response(self._arrays, self._costs), places)
        else:
            put(self._state, places)
        if violations(self._state):
            return np.inf
        value = float(cost(self._state))
        if all(value != other for other, _ in self.met):
            self.met = sorted([*self.met, (value, places.copy())], key=lambda it: it[0])[:PAIRS]
        return value

    def begin(self) -> Iterator[Places]:
        """Construct placements, and descend from the best of them."""
        terms, operators = self._terms, len(self._order)
        nodes = len(terms.speedups)
        streams = len(terms.stream_ends)
        once = operators * (nodes + (operators + streams) / 8)
        if operators == 0 or (not self._affords(once) and self.met):
            yield from self._best()
            return
        self._width = width = int(np.clip(0.15 * self._seconds / (once * STEP), 1, WIDEST))
        for ahead in self._ahead():
            for beam in sorted({1, min(8, width), width}):
                self._grow(ahead, {}, self._order, beam)
                yield from self._best()
        if self._affords(min(nodes, MOST_NODES) ** 2 * nodes / 8 + PAIRS * once):
            yield from self._between_hubs()
        for _, places in self.met[:POOL].copy():
            yield from self._descend(places)

    def go_on(self, generator: Generator) -> Iterator[Places]:
        """Take operators out and grow them back, for ever."""
        if self._state is None or not self.met or not len(self._order):
            return
        turn = 0
        while True:
            # From the best; every third time from another good one.
            which = 0 if turn % 3 != 2 else int(generator.integers(0, len(self.met[:POOL])))
            least, places = self.met[which]
            slack = SLACK * (turn % 2)
            put(self._state, places)
            idle = 0
            while idle < PATIENCE:
                grown = regrow(
                    self._state, self._unaware, self._order, NARROW, ROUNDS, slack, generator
                )
                there = self._state.places.copy()
                value = self.meet(grown)
                idle = 0 if value < least - 1e-12 * abs(least) else idle + 1
                least = min(least, value)
                put(self._state, there)
                yield from self._best()
            turn += 1
            yield from self._dearer(generator, turn)

    def _dearer(self, generator: Generator, turn: int) -> Iterator[Places]:
        """Construct again while some nodes are dearer, every other time from the ends of paths.

        Where capacities are tight the first nodes of a path take the best ones from the last;
        prices on nodes, drawn anew each time, lead elsewhere.
        """
        if not self._affords(self._table_steps):
            return
        # Where the response time is no sum, a path is followed from its source alone.
        order = self._order if turn % 2 or self._terms.response else self._order[::-1].copy()
        least = abs(self.met[0][0]) / len(order)
        if not np.isfinite(least):
            return
        prices = PRICE * least * generator.random(len(self._terms.per_operator))
        priced = self._terms.per_operator + prices
        priced.setflags(write=False)
        terms = self._terms._replace(per_operator=priced)
        ahead = completions(terms, np.ones(len(order), dtype=np.int64), order)
        value, grown = grow(terms, ahead, np.full(len(order), -1), order, self._width, np.inf)
        if np.isfinite(value):
            self.meet(grown)
            yield from self._descend(grown)

    def _ahead(self) -> Iterator[Completions]:
        """What to expect: operators for themselves, then twins (two in a layer, say) together."""
        operators = len(self._order)
        if not self._affords(self._table_steps):
            yield self._unaware
            return
        alone = np.ones(operators, dtype=np.int64)
        yield completions(self._terms, alone, self._order)
        together = twins(self._terms)
        together[together > MOST_TWINS] = 1
        if together.max(initial=1) > 1:
            yield completions(self._terms, together, self._order)

    def _affords(self, tried: float) -> bool:
        """Whether so many operators on nodes can be tried in a quarter of the time."""
        return tried * STEP <= 0.25 * self._seconds

    def _best(self) -> Iterator[Places]:
        if self.met:
            yield self.met[0][1]

    def _grow(self, ahead: Completions, fixed: dict[int, int], order: Places, width: int) -> None:
        places = np.full(len(self._order), -1)
        for operator, node in fixed.items():
            places[operator] = node
        value, grown = grow(self._terms, ahead, places, order, width, np.inf)
        if np.isfinite(value):
            self.meet(grown)

    def _between_hubs(self) -> Iterator[Places]:
        hubs = hubs_of(self._terms)
        if hubs is None:
            return
        first = [hubs.one, hubs.other]
        rest = self._order[~np.isin(self._order, [*first, *hubs.between])]
        order = np.concatenate([hubs.between, rest])
        for one, other in hub_places(self._terms, hubs, PAIRS):
            self._grow(self._unaware, {hubs.one: one, hubs.other: other}, order, 1)
            yield from self._best()

    def _descend(self, places: Places) -> Iterator[Places]:
        if self._state is None:
            return
        tried = len(places) + len(self._state.holds)
        looks, progress = DELTAS // tried + 1, np.zeros(2, dtype=np.int64)
        at_once = DELTAS_AT_ONCE // (tried * len(places)) + 1
        there = places.copy()
        while looks > 0 and progress[0] < len(places):
            put(self._state, there)
            descend(self._state, progress, min(looks, at_once))
            looks -= at_once
            there = self._state.places.copy()
            self.meet(there)
            yield from self._best()
