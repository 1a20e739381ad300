"""Small random problems on which load matters, and the costs of all their placements."""

from dataclasses import replace

from brute_force import carried, every_placement, fits
from eyewall_contracts.objective_terms import Term
from eyewall_sidecar.model import LoadModel, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.load import LoadArrays, evaluate_load
from numpy.random import default_rng
from random_problems import random_problem


def load_problem(seed: int, *, operators: int = 6, nodes: int = 4) -> PlacementProblem:
    """Draw a problem whose nodes are unequal, with background, demands and crossing costs.

    Where the seed is odd, one operator acks what all others get; every fifth problem has no
    execution times.
    """
    problem, draw = random_problem(seed, operators=operators, nodes=nodes), default_rng(seed)
    acker, *others = [it.id for it in problem.operators]
    acks = [Stream(one, acker, 10.0, 0.0, system=True) for one in others]
    acks += [Stream(acker, one, 10.0, 0.0, system=True) for one in others]
    return replace(
        problem,
        operators=tuple(
            replace(
                it,
                demand=float(draw.uniform(0, 0.4)),
                demand_error=float(draw.uniform(0, 0.1)),
                execution_time=float(draw.choice([0.0, 0.001, 0.01])) if seed % 5 else 0.0,
            )
            for it in problem.operators
        ),
        nodes=tuple(
            replace(
                it,
                cores=float(draw.uniform(0.2, 2)),
                background=float(draw.choice([0.0, 0.1, 0.3])),
            )
            for it in problem.nodes
        ),
        streams=(*problem.streams, *acks) if seed % 2 else problem.streams,
        load=LoadModel(
            executors_per_worker=int(draw.integers(0, 4)),
            worker_cpu=float(draw.choice([0.0, 0.02])),
            polling_cpu=float(draw.choice([0.0, 0.01, 0.2])),
            send_cpu=float(draw.choice([0.0, 1e-4, 1e-3])),
            receive_cpu=float(draw.choice([0.0, 1e-4])),
            crossing_seconds=float(draw.choice([0.0, 0.001])),
            burstiness=float(draw.uniform(0.5, 2)),
            sharing=float(draw.uniform(0.2, 2)),
            crossing_cpu=float(draw.choice([0.0, 0.05])),
            crossing_half_rate=float(draw.choice([0.0, 10.0, 100.0])),
        ),
    )


def best_value(problem: PlacementProblem, term: Term) -> float | None:
    """Return the best L or Θ of all valid placements; None if there is none."""
    arrays = ProblemArrays.of(problem)
    tried = every_placement(arrays)
    valid = tried[fits(arrays, tried) & carried(arrays, tried)]
    load = LoadArrays.of(arrays)
    states = [evaluate_load(load, places) for places in valid]
    if term is Term.THETA:
        return max((it.sustainable for it in states), default=None)
    return min((it.load_response_time for it in states), default=None)
