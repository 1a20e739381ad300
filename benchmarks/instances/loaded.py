"""Edge, fog and cloud under load: nodes have cores, and operators take CPU for each tuple."""

from dataclasses import replace

from eyewall_sidecar.model import LoadModel, PlacementProblem

from benchmarks.instances.unequal import KINDS, UnequalShape, unequal

CORES = {speedup: cores for (speedup, _), cores in zip(KINDS, (1.0, 2.0, 4.0), strict=True)}
UTILISATION = 0.5
"""Of all nodes together, by the operators alone."""
BUSIEST = 0.8
"""Cores of speedup 1 that an operator needs at most: it runs on one thread."""
LOAD = LoadModel(
    executors_per_worker=16,
    worker_cpu=0.02,
    crossing_cpu=0.05,
    polling_cpu=0.011,
    crossing_seconds=0.001,
    sharing=0.25,
)


def loaded(shape: UnequalShape, operators: int, nodes: int, seed: int) -> PlacementProblem:
    """Return the problem of `unequal` with cores, demands and the load model's usual values.

    Nodes have 1, 2 and 4 cores. All rates are multiplied by one factor, by which the busiest
    operator needs 0.8 cores, or all of them half of the nodes' CPU if that is less.
    """
    problem = unequal(shape, operators, nodes, seed)
    received = dict.fromkeys((it.id for it in problem.operators), 0.0)
    for stream in problem.streams:
        received[stream.target] += stream.rate
    work = {it.id: received[it.id] * it.execution_time for it in problem.operators}
    room = sum(CORES[it.speedup] * it.speedup for it in problem.nodes)
    factor = min(UTILISATION * room / sum(work.values()), BUSIEST / max(work.values()))
    return replace(
        problem,
        operators=tuple(replace(it, demand=factor * work[it.id]) for it in problem.operators),
        streams=tuple(replace(it, rate=factor * it.rate) for it in problem.streams),
        nodes=tuple(replace(it, cores=CORES[it.speedup]) for it in problem.nodes),
        load=LOAD,
    )
