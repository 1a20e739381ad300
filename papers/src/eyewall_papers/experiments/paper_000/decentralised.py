"""Pietzuch's and Rizou's schedulers in Storm, operator by operator and round by round.

A model of section 7.2, whose text says no more than that both are decentralised, work on estimated
latencies, and stop and replay what they move. Assumed: executors start as Storm's even scheduler
spreads them; every `PERIOD` each free executor, in random order, takes one turn of the method (to
where its springs would balance, or to its Weber point) by what it knows of its neighbours; then
those whose nearest node with room is another one move there together, which is one reassignment.
Coordinates have been measured for ten minutes before and go on being measured, each node once a
second. Rates are known from the start.
"""

from enum import StrEnum

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import Floats, Places, ProblemArrays, placement_of, places_of
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies import load_policy
from numpy.random import Generator

from eyewall_papers.cost_space.equilibrium import Turns
from eyewall_papers.cost_space.nearest_node import Sites, map_to_nodes
from eyewall_papers.cost_space.operator_graph import OperatorGraph
from eyewall_papers.cost_space.turns import Moves, Queue
from eyewall_papers.experiments.paper_000.coordinates import Coordinates
from eyewall_papers.experiments.paper_000.over_time import END, PERIOD, Run, Step
from eyewall_papers.experiments.paper_000.placements import placement

BEFORE = 600
"""Seconds of measuring before the application is submitted."""


class Neighbours(StrEnum):
    """Where an executor takes its neighbours to be."""

    ON_NODES = "nodes"
    """On the nodes that they run on, as it is itself."""
    VIRTUAL = "virtual"
    """At the virtual nodes that they want, kept from round to round."""


def spread(problem: PlacementProblem) -> Step:
    """Begin as Storm's even scheduler does."""
    objective = Objective({Term.T: 1.0})
    found = load_policy("round_robin")(problem, objective, time_limit=5.0, seed=1)
    return Step(0.0, placement(found))


def run(
    problem: PlacementProblem,
    turns: Turns,
    rng: Generator,
    neighbours: Neighbours = Neighbours.ON_NODES,
) -> Run:
    """Let the scheduler work until the end of the experiment."""
    arrays = ProblemArrays.of(problem)
    graph = OperatorGraph.of(arrays)
    coordinates = Coordinates.unknown(problem.link_matrix.delays, rng)
    coordinates.measure(BEFORE)
    steps = [spread(problem)]
    places = places_of(problem, steps[0].chosen)
    positions = coordinates.positions[places]
    free = np.flatnonzero(~graph.pinned)
    for now in np.arange(PERIOD, END, PERIOD).tolist():
        coordinates.measure(int(PERIOD))
        known = graph.pinned | (neighbours is Neighbours.ON_NODES)
        positions[known] = coordinates.positions[places[known]]
        order = rng.permutation(free)
        for operator in order.tolist():
            _one_turn(turns, graph, positions, operator)
        sites = Sites.of(arrays, coordinates.positions.copy())
        places = map_to_nodes(sites, positions, places, order).places
        steps.append(Step(now, placement_of(problem, places)))
    return Run.of(problem, steps)


def _one_turn(turns: Turns, graph: OperatorGraph, positions: Floats, operator: int) -> None:
    """Let one operator take one turn; room to note no more than that ends it there."""
    count = graph.operators
    waiting: Places = np.zeros(count, np.int64)
    waiting[operator] = 1
    queue = Queue(np.full(count, operator, np.int64), waiting, np.array([0, 1], np.int64))
    moves = Moves(
        np.empty(count, np.int64), np.empty((count, positions.shape[1])), np.zeros(3, np.int64)
    )
    turns(graph, positions, queue, moves)
