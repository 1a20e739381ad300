"""The ant system of Ecker et al. (paper 002), section 4.3.2, equations (2) to (5)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from eyewall_sidecar.heuristic.evaluation_state import NOBODY, State, Terms
from eyewall_sidecar.heuristic.evaluator import finite_cost, forbidden, put, violations
from eyewall_sidecar.heuristic.ranges import Pricing
from eyewall_sidecar.heuristic.stopping_criteria import SearchProgress, StoppingCriterion
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import kernel, subroutine

PENALTY = 10_000.0
"""What each violation adds to an ant's score."""
AT_ONCE = 1_000_000
"""Ants times operators times nodes between two questions whether to stop: milliseconds."""
LEAST_SCORE = 1e-3
"""Scores are taken as at least this where pheromone is placed: a score may be 0."""


class Explored(NamedTuple):
    """The best placement, as [operator]: the place of its node, and how many ants went."""

    places: Places
    ants: int


@dataclass(frozen=True, slots=True)
class Colony:
    """Ants that place operators one by one and leave pheromone where placements were good.

    The paper gives none of its constants. These were tuned on five of the problems that
    `python -m eyewall_papers 002-ants` generates; it prints the results of other values.

    Parameters
    ----------
    ants
        m: how many placements are built before pheromone is placed.
    alpha, beta
        How much pheromone and the a priori heuristic count, equation (2).
    rho
        What is left of the pheromone after each round, equation (4).
    initial, least
        p_i and p_m: the pheromone at the start, and the least there ever is.
    constant
        Q: the pheromone that an ant of score 1 places, equation (5).
    previous
        p_c: how often the current placement's pheromone is placed before the first ant.
    """

    ants: int = 10
    alpha: float = 1.0
    beta: float = 2.0
    rho: float = 0.9
    initial: float = 10.0
    least: float = 0.01
    constant: float = 1.0
    previous: int = 1

    def search(
        self,
        state: State,
        pricing: Pricing,
        previous: Places | None,
        rng: Generator,
        stop: StoppingCriterion,
    ) -> Explored:
        """Return the best placement that an ant, or whoever made the previous one, came up with.

        Parameters
        ----------
        state
            What values placements; it has any of them when the search is over.
        pricing
            How its costs are read.
        previous
            [operator]: the place of its current node; None if one runs nowhere.
        stop
            Asked with the rounds so far, and how many of them found nothing better.
        """
        operators, nodes = state.terms.allowed.shape
        everyone = np.arange(operators)
        pheromone = np.full((operators, nodes), self.initial)
        best, best_score = None, np.inf
        if previous is not None:
            best, best_score = previous, float(self._scores(state, pricing, previous[None])[0])
            pheromone[everyone, previous] += self.previous * self._placed(best_score)
        gone = 0
        trail, progress = Trail(state.terms, self.beta), SearchProgress()
        while best is None or not stop(progress):
            found, scores = np.zeros((0, operators), dtype=np.int64), np.zeros(0)
            attraction = pheromone**self.alpha
            for ants in self._groups(operators * nodes):
                placements = trail.walk(attraction, ants, rng)
                found = np.concatenate([found, placements])
                scores = np.concatenate([scores, self._scores(state, pricing, placements)])
                if stop(progress):
                    break
            pheromone *= self.rho
            for places, score in zip(found, scores.tolist(), strict=True):
                pheromone[everyone, places] += self._placed(score)
            np.maximum(pheromone, self.least, out=pheromone)
            gone += len(found)
            winner, idle = int(np.argmin(scores)), progress.idle + 1
            if best is None or scores[winner] < best_score:
                best, best_score, idle = found[winner], float(scores[winner]), 0
            progress = SearchProgress(progress.steps + 1, idle)
        return Explored(best, gone)

    def _groups(self, choices: int) -> Iterator[int]:
        """Split the ants of a round, so that it can be asked in between whether to stop."""
        at_once = max(1, AT_ONCE // max(1, choices))
        for first in range(0, self.ants, at_once):
            yield min(at_once, self.ants - first)

    def _scores(self, state: State, pricing: Pricing, placements: Places) -> Floats:
        """S_k = score(k) + 10000 · constraintViolations(k), section 4.3.2, for [k, operator].

        Any other objective than Ecker's is scaled to [0, 1] first; what costs infinitely much
        counts as a violation.
        """
        costs, broken = np.zeros(len(placements)), np.zeros(len(placements))
        _value(state, placements, costs, broken)
        return pricing.scaled(costs) + PENALTY * broken

    def _placed(self, score: float) -> float:
        """Return the pheromone for a score, equation (5)."""
        return self.constant / max(score, LEAST_SCORE)


class Trail:
    """What an ant needs to build a placement, used again by the next one."""

    def __init__(self, terms: Terms, beta: float) -> None:
        """Prepare the a priori heuristic's values, η^β for two to the power of −3 to 2."""
        nodes = len(terms.speedups)
        self._terms = terms
        powers = np.arange(-len(terms.requirements), 3, dtype=np.float64)
        self._eta: Floats = np.asarray(2.0 ** (beta * powers), dtype=np.float64)
        self._loads = np.zeros((len(terms.requirements), nodes))
        self._holds = np.zeros(nodes, dtype=np.int64)
        self._near = np.full(nodes, NOBODY, dtype=np.int64)
        self._sums = np.zeros(nodes)

    def walk(self, attraction: Floats, ants: int, rng: Generator) -> Places:
        """Return [ant, operator]: the placements of so many ants.

        Parameters
        ----------
        attraction
            [operator, node]: pheromone to the power of α.
        """
        operators = len(attraction)
        orders = rng.permuted(np.tile(np.arange(operators), (ants, 1)), axis=1)
        draws = rng.random((ants, operators))
        placements = np.full((ants, operators), NOBODY, dtype=np.int64)
        _walk_all(
            self._terms,
            attraction,
            self._eta,
            orders,
            draws,
            placements,
            self._loads,
            self._holds,
            self._near,
            self._sums,
        )
        return placements


@kernel
def _value(state: State, placements: Places, costs: Floats, broken: Floats) -> None:
    for ant in range(len(placements)):
        put(state, placements[ant])
        costs[ant] = finite_cost(state)
        broken[ant] = violations(state) + forbidden(state)


@kernel
def _walk_all(
    terms: Terms,
    attraction: Floats,
    eta: Floats,
    orders: Places,
    draws: Floats,
    placements: Places,
    loads: Floats,
    holds: Places,
    near: Places,
    sums: Floats,
) -> None:
    for ant in range(len(orders)):
        _walk(
            terms,
            attraction,
            eta,
            orders[ant],
            draws[ant],
            placements[ant],
            loads,
            holds,
            near,
            sums,
        )


@subroutine
def _walk(
    terms: Terms,
    attraction: Floats,
    eta: Floats,
    order: Places,
    draws: Floats,
    places: Places,
    loads: Floats,
    holds: Places,
    near: Places,
    sums: Floats,
) -> None:
    """Place operators in this order, each on a node drawn by equation (2) with η of (3)."""
    resources, nodes = loads.shape
    for node in range(nodes):
        holds[node], near[node] = 0, NOBODY
        for resource in range(resources):
            loads[resource, node] = 0.0
    for turn in range(len(order)):
        operator = order[turn]
        for place in range(terms.stream_starts[operator], terms.stream_starts[operator + 1]):
            neighbour = places[terms.stream_ends[place]]
            if neighbour != NOBODY:
                near[neighbour] = operator
        total = 0.0
        for node in range(nodes):
            if terms.allowed[operator, node]:
                power = resources + int(near[node] == operator) + int(holds[node] > 0)
                for resource in range(resources):
                    load = loads[resource, node] + terms.requirements[resource, operator]
                    power -= int(load > terms.limits[resource, node])
                total += attraction[operator, node] * eta[power]
            sums[node] = total
        wanted, node = draws[turn] * total, 0
        while not terms.allowed[operator, node] or (sums[node] <= wanted and sums[node] < total):
            node += 1
        places[operator] = node
        holds[node] += 1
        for resource in range(resources):
            loads[resource, node] += terms.requirements[resource, operator]
