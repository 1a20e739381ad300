"""Placements for L and Θ: annealing and descent from many starts.

L has no bound that a beam could follow: each operator changes what all others on its node wait.
Evaluations are so cheap that moves, swaps and moves of whole nodes are simply tried. Constraints
may be broken on the way, at a price.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.random import Generator

from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.array_types import Floats, Indices, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.compilation import kernel, subroutine
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.compiled_load import evaluate_places
from eyewall_sidecar.objectives.load_terms import LoadTerms, Scratch, load_terms, scratch

ROUNDING = 1e-9
"""Of a cost: placements that differ by less are equal."""
EXCESS_PRICES = (1e9, 4.0, 1e3)
"""What one unit too much multiplies a cost by, less 1, in turn: where hosts are full, breaking a
constraint may be worth a factor of 1000; where room is tight, the way leads through it."""
HOT, WARM, COLD = 0.5, 0.05, 1e-4
"""Temperatures; energy is the logarithm of the cost, so that all problems have the same."""
FEWEST_PROPOSALS, MOST_PROPOSALS = 2_000, 20_000
"""In one round of annealing; between them 200 for each operator."""
POOL = 8
"""Starts that are descended from."""
STEP = 20_000_000
"""Operators, streams and nodes that one step looks at, at most: a tenth of a second."""
_OPERATOR, _IDLE, _TRIED = 0, 1, 2
"""Places in the counters of a descent."""
_MOVE, _SWAP, _JOIN, _PAIR = 0.45, 0.7, 0.85, 0.95
"""Up to which draw a proposal is of this kind; beyond, all of a node move."""


class LoadSearch:
    """One search; `best` is the best valid placement met, None as long as there is none.

    Parameters
    ----------
    current
        Where operators run, if all do; among equals, what is nearest to it is best.
    """

    def __init__(self, terms: LoadTerms, current: Places | None) -> None:
        self._terms = terms
        self._room: Scratch = scratch(terms)
        self._current = current
        self.best: Places | None = None
        self.cost = np.inf
        self.evaluated = 0
        size = len(terms.demands) + len(terms.sources) + len(terms.cores)
        self._affordable = max(1, STEP // size)

    def meet(self, places: Places) -> float:
        """Remember a placement if it is the best so far and valid; return its cost to search by."""
        value, guide, excess = _evaluated(self._terms, self._room, places)
        self.evaluated += 1
        if excess == 0 and value < self.cost:
            self.best, self.cost = places.copy(), value
        return float((guide + 1e-12) * (1 + EXCESS_PRICES[0] * excess))

    def improve(self, starts: list[Places], generator: Generator) -> Iterator[None]:
        """Search for ever; the sequence of placements depends on the arguments alone."""
        pool = sorted([*starts, *_simple_starts(self._terms)], key=lambda it: self.meet(it))
        pool = _distinct(pool)[:POOL]
        for places in pool:
            yield from self._descend(places)
        operators = len(self._terms.demands)
        proposals = int(np.clip(200 * operators, FEWEST_PROPOSALS, MOST_PROPOSALS))
        proposals = min(proposals, self._affordable)
        turn = 0
        while True:
            # From the best, gently; from a start, hotter; from anywhere.
            hot = (WARM, HOT, HOT)[turn % 3]
            places = (
                pool[turn // 3 % len(pool)] if turn % 3 == 1 else _random(self._terms, generator)
            )
            if turn % 3 == 0 and self.best is not None:
                places = self.best
            places = places.copy()
            best, least = places.copy(), np.full(1, np.inf)
            draws = generator.random((proposals, 6))
            price = EXCESS_PRICES[turn // 3 % len(EXCESS_PRICES)]
            _anneal(self._terms, self._room, places, best, least, draws, price, hot, COLD)
            self.evaluated += proposals
            self.meet(best)
            yield from self._descend(best)
            turn += 1

    def settle(self) -> None:
        """Move operators back to where they run, or swap two, where it costs nothing."""
        if self.best is None or self._current is None:
            return
        places, current = self.best, self._current
        most = self.cost + ROUNDING * self.cost
        for operator in np.flatnonzero(places != current).tolist():
            home = current[operator]
            if not self._terms.allowed[operator, home]:
                continue
            there = np.flatnonzero((places == home) & (current != home))
            for other in (operator, *there.tolist()):
                changed = places.copy()
                changed[operator], changed[other] = places[other], places[operator]
                changed[operator] = home
                if not self._terms.allowed[other, changed[other]]:
                    continue
                value, _, excess = _evaluated(self._terms, self._room, changed)
                self.evaluated += 1
                if excess == 0 and value <= most:
                    places = changed
                    break
        self.best = places

    def _descend(self, places: Places) -> Iterator[None]:
        there, counters = places.copy(), np.zeros(3, dtype=np.int64)
        while counters[_IDLE] < len(there):
            counters[_TRIED] = 0
            _descend(self._terms, self._room, there, counters, self._affordable)
            self.evaluated += int(counters[_TRIED])
            self.meet(there)
            yield


@cache
def load_load_search() -> None:
    """Run every compiled part once."""
    problem = PlacementProblem(
        operators=(Operator("a"), Operator("b")),
        streams=(Stream("a", "b"),),
        nodes=(Node("n1"), Node("n2")),
        links={("n1", "n2"): Link(0.001), ("n2", "n1"): Link(0.001)},
    )
    search = LoadSearch(load_terms(ProblemArrays.of(problem), Term.L), np.zeros(2, np.int64))
    for turn, _ in enumerate(search.improve([], np.random.default_rng(0))):
        if turn > POOL:
            break
    search.settle()


def _simple_starts(terms: LoadTerms) -> list[Places]:
    """Return all operators on each single node, as far as they may, and spread over all nodes."""
    operators, nodes = terms.allowed.shape
    first = terms.allowed.argmax(axis=1)
    together = [np.where(terms.allowed[:, it], it, first) for it in range(nodes)]
    power = terms.cores * terms.speedups
    load = np.zeros(nodes)
    spread = np.zeros(operators, dtype=np.int64)
    for operator in np.argsort(-terms.demands, kind="stable"):
        filled = (load + terms.demands[operator]) / power
        spread[operator] = np.where(terms.allowed[operator], filled, np.inf).argmin()
        load[spread[operator]] += terms.demands[operator]
    return [*together, spread]


def _random(terms: LoadTerms, generator: Generator) -> Places:
    drawn = np.where(terms.allowed, generator.random(terms.allowed.shape), -1.0)
    return np.asarray(drawn.argmax(axis=1), dtype=np.int64)


def _distinct(pool: list[Places]) -> list[Places]:
    return list({it.tobytes(): it for it in pool}.values())


@kernel
def _evaluated(terms: LoadTerms, room: Scratch, places: Places) -> tuple[float, float, float]:
    return evaluate_places(terms, room, places)


@subroutine
def _searched(terms: LoadTerms, room: Scratch, places: Places, price: float) -> float:
    """Return the cost to search by, broken constraints included."""
    _, guide, excess = evaluate_places(terms, room, places)
    return (guide + 1e-12) * (1.0 + price * excess)


@kernel
def _descend(terms: LoadTerms, room: Scratch, places: Places, counters: Indices, most: int) -> None:
    """Make each move or swap that improves until none does, or so many were tried.

    `counters` say where to go on, and that nothing is left when as many operators are idle as
    there are.
    """
    operators, nodes = terms.allowed.shape
    least, tried = _searched(terms, room, places, EXCESS_PRICES[0]), 1
    operator, idle = counters[_OPERATOR], counters[_IDLE]
    while idle < operators and tried < most:
        before = least
        for node in range(nodes):
            was = places[operator]
            if node != was and terms.allowed[operator, node]:
                places[operator] = node
                value = _searched(terms, room, places, EXCESS_PRICES[0])
                tried += 1
                if value < least - ROUNDING * least:
                    least = value
                else:
                    places[operator] = was
        for other in range(operators):
            one, two = places[operator], places[other]
            if one != two and terms.allowed[operator, two] and terms.allowed[other, one]:
                places[operator], places[other] = two, one
                value = _searched(terms, room, places, EXCESS_PRICES[0])
                tried += 1
                if value < least - ROUNDING * least:
                    least = value
                else:
                    places[operator], places[other] = one, two
        idle = 0 if least < before else idle + 1
        operator = (operator + 1) % operators
    counters[_OPERATOR], counters[_IDLE], counters[_TRIED] = operator, idle, tried


@kernel
def _anneal(
    terms: LoadTerms,
    room: Scratch,
    places: Places,
    best: Places,
    least: Floats,
    draws: Floats,
    price: float,
    hot: float,
    cold: float,
) -> None:
    """Change `places` by as many proposals as there are draws; leave the best in `best`."""
    operators, nodes = terms.allowed.shape
    before = places.copy()
    energy = np.log(_searched(terms, room, places, price))
    least[0] = energy
    best[:] = places
    cooling = (cold / hot) ** (1.0 / len(draws))
    temperature = hot
    for it in range(len(draws)):
        temperature *= cooling
        kind, luck = draws[it, 0], draws[it, 4]
        operator = int(draws[it, 1] * operators)
        node = int(draws[it, 2] * nodes)
        other = int(draws[it, 3] * operators)
        if _SWAP <= kind < _PAIR and len(terms.sources) > 0:
            stream = int(draws[it, 3] * len(terms.sources))
            operator, other = terms.sources[stream], terms.targets[stream]
            if draws[it, 5] < 0.5:
                operator, other = other, operator
        was, there = places[operator], places[other]
        if kind < _MOVE:
            if node != was and terms.allowed[operator, node]:
                places[operator] = node
        elif kind < _SWAP:
            if terms.allowed[operator, there] and terms.allowed[other, was]:
                places[operator], places[other] = there, was
        elif kind < _JOIN:
            if terms.allowed[operator, there]:
                places[operator] = there
        elif kind < _PAIR:
            if terms.allowed[operator, node]:
                places[operator] = node
            if terms.allowed[other, node]:
                places[other] = node
        else:
            for each in range(operators):
                if places[each] == was and terms.allowed[each, node]:
                    places[each] = node
        value = np.log(_searched(terms, room, places, price))
        if value <= energy or luck < np.exp((energy - value) / temperature):
            energy = value
            if kind >= _PAIR:
                before[:] = places
            before[operator], before[other] = places[operator], places[other]
            if energy < least[0]:
                least[0] = energy
                best[:] = places
        elif kind >= _PAIR:
            places[:] = before
        else:
            places[operator], places[other] = before[operator], before[other]
