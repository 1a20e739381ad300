"""The schedulers of section 7.2 over time: who runs where from when on, and what that is worth.

The text gives the moment of S-ODP's second step (100 s), the interval that it averages over (800 to
2000 s), Xu's times (100 s and 750 s), and that runs go on beyond; it says of the two decentralised
ones that they work on estimated latencies and stop and replay what they move. Assumed:

- Pietzuch's and Rizou's executors start as Storm's even scheduler spreads them. Every `PERIOD` each
  free one, in random order, takes one turn of the method by what it knows of its neighbours; then
  those whose nearest node with room is another one move there together: one reassignment.
- Coordinates (Vivaldi) have been measured for ten minutes before and go on being measured, each
  node once a second, on delays that fluctuate as netem's do (section 7.1). Rates are known.
- Xu's scheduler looks every 50 s from 100 s on; a stream's rate is its mean since the start, of
  tuples that arrive at random; it reassigns if best fit leaves less traffic between nodes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from eyewall_sidecar.model import Placement, PlacementProblem
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of, places_of
from eyewall_sidecar.model.compilation import kernel
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives import METRICS
from numpy.random import Generator

from eyewall_papers.cost_space.coordinates import (
    ADJUSTMENT,
    DIMENSIONS,
    LARGEST_ERROR,
    LEAST_ERROR,
    distance,
)
from eyewall_papers.cost_space.equilibrium import Turns
from eyewall_papers.cost_space.nearest_node import Sites, map_to_nodes
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.cost_space.turns import Moves, TurnQueue
from eyewall_papers.experiments.paper_000.placements import find_placement

RATES_KNOWN = 100.0
"""Seconds: the second step of S-ODP, and Xu's first reassignment."""
PERIOD = 30.0
"""Seconds between two looks of a decentralised scheduler: assumed."""
LOOK = 50.0
"""Seconds between two looks of Xu's scheduler."""
END = 3000.0
"""Seconds. What happens after 2000 s is mentioned, so the paper's axis ends later: assumed."""
MEASURED_BEFORE = 600
"""Seconds of measuring coordinates before the application is submitted."""
JITTER = 0.001, 0.003
"""Seconds: the paper's standard deviations of a one-way delay are in [1, 3] ms."""

Metric = Callable[[PlacementProblem, Placement], float]


@dataclass(frozen=True, slots=True)
class PlacementStep:
    """A placement from this second on, until the next step."""

    since: float
    chosen: Placement


@dataclass(frozen=True, slots=True)
class PlacementTimeline:
    """All placements of one application, in order of time; each differs from the one before."""

    problem: PlacementProblem
    steps: tuple[PlacementStep, ...]

    @classmethod
    def of(cls, problem: PlacementProblem, steps: list[PlacementStep]) -> "PlacementTimeline":
        changed = [
            it
            for before, it in zip([None, *steps], steps, strict=False)
            if before is None or dict(before.chosen) != dict(it.chosen)
        ]
        return cls(problem, tuple(changed))

    @property
    def reassignments(self) -> tuple[float, ...]:
        """When operators were moved, in seconds; several at once are one reassignment."""
        return tuple(it.since for it in self.steps[1:])

    @property
    def moves(self) -> int:
        """Operators moved in all reassignments together."""
        pairs = zip(self.steps, self.steps[1:], strict=False)
        return sum(
            after.chosen[name] != node for old, after in pairs for name, node in old.chosen.items()
        )

    def values(self, metric: Metric) -> Floats:
        """Return [step]: the metric of each placement, by the true delays and rates."""
        return np.array([metric(self.problem, it.chosen) for it in self.steps])

    def mean(self, metric: Metric, begin: float, end: float) -> float:
        """Return the metric's mean over an interval of time."""
        since = np.clip([*(it.since for it in self.steps), END], begin, end)
        return float(self.values(metric) @ np.diff(since) / (end - begin))

    def settled(self, still: float = 500.0) -> float:
        """Return from when on nothing was moved for that many seconds."""
        gaps = np.diff([*(it.since for it in self.steps), END + still])
        return self.steps[int(np.argmax(gaps >= still))].since


def run_s_odp(problem: PlacementProblem, term: Term) -> PlacementTimeline:
    """S-ODP: w_a = 1 as long as no rates are known, then w_z = 1."""
    early, known = (find_placement("odp", problem, it) for it in (Term.A, term))
    return PlacementTimeline.of(
        problem, [PlacementStep(0.0, early), PlacementStep(RATES_KNOWN, known)]
    )


def run_xu(problem: PlacementProblem, rng: Generator) -> PlacementTimeline:
    """Xu's: round robin, then best fit by the rates that were measured so far."""
    steps = [PlacementStep(0.0, find_placement("round_robin", problem, Term.T))]
    rates = np.array([it.rate for it in problem.streams])
    tuples = rng.poisson(rates * (RATES_KNOWN - LOOK)).astype(np.float64)
    for now in np.arange(RATES_KNOWN, END, LOOK).tolist():
        tuples += rng.poisson(rates * LOOK)
        streams = (
            replace(it, rate=rate)
            for it, rate in zip(problem.streams, (tuples / now).tolist(), strict=True)
        )
        measured = replace(problem, streams=tuple(streams))
        fitted = find_placement("xu", measured, Term.T)
        traffic = METRICS[Term.T]
        if now == RATES_KNOWN or traffic(measured, fitted) < traffic(measured, steps[-1].chosen):
            steps.append(PlacementStep(now, fitted))
    return PlacementTimeline.of(problem, steps)


class Neighbours(StrEnum):
    """Where an executor of a decentralised scheduler takes its neighbours to be."""

    ON_NODES = "nodes"
    """On the nodes that they run on, as it is itself."""
    VIRTUAL = "virtual"
    """At the virtual nodes that they want, kept from round to round."""


def run_decentralised(
    problem: PlacementProblem,
    turns: Turns,
    rng: Generator,
    neighbours: Neighbours = Neighbours.ON_NODES,
) -> PlacementTimeline:
    """Pietzuch's or Rizou's, by the turns that operators take."""
    arrays = ProblemArrays.of(problem)
    graph = OperatorGraph.of(arrays)
    coordinates = Coordinates.unknown(problem.link_matrix.delays, rng)
    coordinates.measure(MEASURED_BEFORE)
    steps = [PlacementStep(0.0, find_placement("round_robin", problem, Term.T))]
    places = places_of(problem, steps[0].chosen)
    positions = coordinates.positions[places]
    free = np.flatnonzero(~graph.pinned)
    for now in np.arange(PERIOD, END, PERIOD).tolist():
        coordinates.measure(int(PERIOD))
        known = graph.pinned | (neighbours is Neighbours.ON_NODES)
        positions[known] = coordinates.positions[places[known]]
        order = rng.permutation(free)
        for operator in order.tolist():
            take_one_turn(turns, graph, positions, operator)
        sites = Sites.of(arrays, coordinates.positions.copy())
        places = map_to_nodes(sites, positions, places, order).places
        steps.append(PlacementStep(now, placement_of(problem, places)))
    return PlacementTimeline.of(problem, steps)


def take_one_turn(turns: Turns, graph: OperatorGraph, positions: Floats, operator: int) -> None:
    """Let one operator take one turn; room to note no more than that ends it there."""
    count = graph.operators
    waiting: Places = np.zeros(count, np.int64)
    waiting[operator] = 1
    queue = TurnQueue(np.full(count, operator, np.int64), waiting, np.array([0, 1], np.int64))
    moves = Moves(
        np.empty(count, np.int64), np.empty((count, positions.shape[1])), np.zeros(3, np.int64)
    )
    turns(graph, positions, queue, moves)


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """Estimates of all nodes by Vivaldi (Dabek et al., SIGCOMM 2004), changed by `measure`.

    As in `cost_space.coordinates`, but each sample is drawn again, so it never settles.

    Parameters
    ----------
    delays, deviations
        [node, node]: mean and standard deviation of half a round trip, in seconds.
    positions, errors
        [node, dimension], and [node]: what each believes its own relative error to be.
    rng
        Draws partners and samples.
    """

    delays: Matrix
    deviations: Matrix
    positions: Floats
    errors: Floats
    rng: Generator

    @classmethod
    def unknown(cls, delays: Matrix, rng: Generator) -> "Coordinates":
        count = len(delays)
        one_way = rng.uniform(*JITTER, (count, count))
        # A round trip is the sum of both ways: variances add, and half of it has a quarter.
        deviations = np.sqrt(one_way**2 + one_way.T**2) / 2
        positions = rng.normal(scale=1e-3, size=(count, DIMENSIONS))
        errors = np.full(count, LARGEST_ERROR)
        return cls((delays + delays.T) / 2, deviations, positions, errors, rng)

    def measure(self, rounds: int) -> None:
        """Let each node measure another one, `rounds` times."""
        count = len(self.delays)
        nodes = np.broadcast_to(np.arange(count), (rounds, count))
        partners = (nodes + self.rng.integers(1, count, (rounds, count))) % count
        samples = self.rng.normal(self.delays[nodes, partners], self.deviations[nodes, partners])
        _relax(np.maximum(samples, 1e-4), partners, self.positions, self.errors)


@kernel
def _relax(samples: Floats, partners: Places, positions: Floats, errors: Floats) -> None:
    for turn in range(len(samples)):
        for node in range(len(positions)):
            partner, wanted = partners[turn, node], samples[turn, node]
            length = distance(positions[node], positions[partner])
            if length == 0.0:
                continue
            weight = errors[node] / (errors[node] + errors[partner])
            sample = min(abs(length - wanted) / wanted, LARGEST_ERROR)
            share = ADJUSTMENT * weight
            errors[node] = max(LEAST_ERROR, sample * share + errors[node] * (1.0 - share))
            stretch = share * (wanted - length) / length
            for axis in range(positions.shape[1]):
                apart = positions[node, axis] - positions[partner, axis]
                positions[node, axis] += stretch * apart
