"""Loading compiled code before a search is timed."""

from functools import cache

import numpy as np
from numpy.random import default_rng

from eyewall_sidecar.heuristic.ant_colony import Colony
from eyewall_sidecar.heuristic.evaluator import started, violations
from eyewall_sidecar.heuristic.hill_climbing import climb
from eyewall_sidecar.heuristic.neighbourhoods import MOVE, MOVE_ALL, SWAP
from eyewall_sidecar.heuristic.ranges import price
from eyewall_sidecar.heuristic.stopping_criteria import After, never
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective


@cache
def load_compiled_searches() -> None:
    """Run every compiled part once: a second from numba's cache, a minute without it."""
    problem = PlacementProblem(
        operators=(Operator("a"), Operator("b")),
        streams=(Stream("a", "b"),),
        nodes=(Node("n1"), Node("n2")),
        links={("n1", "n2"): Link(0.001), ("n2", "n1"): Link(0.001)},
    )
    arrays = ProblemArrays.of(problem)
    pricing = price(arrays, Objective.parse("R=0.5,N=0.5"))
    state = started(arrays, pricing.costs, np.array([0, 1]))
    Colony().search(state, pricing, None, default_rng(0), After(1, 1))
    for neighbourhood in (MOVE, SWAP, MOVE_ALL):
        neighbourhood.make(state, 0, 1)
    climb(state, (MOVE, SWAP, MOVE_ALL), never)
    violations(state)
