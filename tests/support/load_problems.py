"""Small random problems on which load matters, and the costs of all their placements."""

from dataclasses import replace
from itertools import pairwise

from brute_force import carried, every_placement, fits
from eyewall_contracts.objective_terms import Term
from eyewall_sidecar.model import LoadModel, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from numpy.random import default_rng
from random_problems import random_problem


def load_problem(seed: int, *, operators: int = 6, nodes: int = 4) -> PlacementProblem:
    """Draw a problem whose nodes are unequal, with background, demands and crossing costs.

    Where the seed is odd, one operator acks what all others get; every fifth problem has no
    execution times; in two of three, what most operators emit is shuffled.
    """
    problem, draw = random_problem(seed, operators=operators, nodes=nodes), default_rng(seed)
    acker, *others = [it.id for it in problem.operators]
    acks = [Stream(one, acker, 10.0, 0.0, system=True) for one in others]
    acks += [Stream(acker, one, 10.0, 0.0, system=True) for one in others]
    shuffling = {it.id for it in problem.operators if seed % 3 and draw.random() < 0.7}
    streams = tuple(
        replace(it, shuffle="all") if it.source in shuffling else it for it in problem.streams
    )
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
        streams=(*streams, *acks) if seed % 2 else streams,
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


def replicated_chain(
    seed: int, *, stages: int = 2, replicas: int = 2, nodes: int = 3
) -> PlacementProblem:
    """Draw a source, stages of alike operators that shuffle to the next, and a sink."""
    problem, draw = load_problem(2 * seed, nodes=nodes), default_rng(seed)
    between = [[f"{stage}-{it}" for it in range(replicas)] for stage in range(stages)]
    names = [["source"], *between, ["sink"]]
    operators: list[Operator] = []
    for stage in names:
        demand, seconds = float(draw.uniform(0.01, 0.3)), float(draw.choice([0.001, 0.01]))
        operators += [Operator(it, 0.0, 0.0, seconds, demand=demand) for it in stage]
    return replace(
        problem,
        operators=tuple(operators),
        streams=tuple(
            Stream(one, other, 60.0 / len(stage) / len(following), 100.0, shuffle="next")
            for stage, following in pairwise(names)
            for one in stage
            for other in following
        ),
        current=None,
    )
