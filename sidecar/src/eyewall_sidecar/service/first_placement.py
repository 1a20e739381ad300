"""A first placement, before anything is measured: by the load model never worse than Storm's own.

What executors declare says how they relate to each other and to their hosts, but hardly how much
they use: most use far less. A placement that is good only if all of it is used spreads a topology
over hosts for nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.random import default_rng

from eyewall_sidecar.model import PlacementProblem, Solution, Status
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.load import LoadArrays, evaluate_load
from eyewall_sidecar.objectives.load_scenarios import SCENARIOS
from eyewall_sidecar.policies.ras import ResourceAware
from eyewall_sidecar.service.solver_pool import PlacementTask

DECLARED_PARTS = (0.1, 0.3, 1.0)
"""Of the declared CPU and the assumed rates, in each of which a placement has to be as good."""
UNEVENNESS, DRAWS = 1.5, 50
"""Deviation of the logarithm of what components use of what they declare, and how many topologies
of such components a placement has to be as good for."""
RAS_SECONDS, RAS_RETRIES = 0.1, 100
"""After which RAS's placement is not waited for; it usually takes a millisecond."""
AS_GOOD = 1.0 + 1e-9
_FIELDS_BUT_NODES = tuple(it for it in fields(PlacementProblem) if it.init and it.name != "nodes")
KEPT = (
    "before CPU is measured a placement has to be as good as Storm's resource-aware one whatever "
    "part of the declared CPU is used; what {policy} found is not, so that one is used"
)


def is_same_but_for_others(task: PlacementTask, other: PlacementTask) -> bool:
    """Whether nothing but what others use of the hosts tells one task from another.

    That changes all the time, and is unknown until a host's first report: a search for a first
    placement goes on.
    """
    one, two = task.problem, other.problem
    if task == other:
        return True
    return (
        replace(task, problem=two) == other
        and all(getattr(one, it.name) == getattr(two, it.name) for it in _FIELDS_BUT_NODES)
        and len(one.nodes) == len(two.nodes)
        and all(
            replace(u, cores=v.cores, background=v.background) == v
            for u, v in zip(one.nodes, two.nodes, strict=True)
        )
    )


def prefer_ras(
    problem: PlacementProblem,
    objective: Objective,
    solution: Solution,
    clock: Callable[[], float],
    until: float,
    component_of: Mapping[str, str],
) -> Solution:
    """Return RAS's placement instead of a solution that may be worse.

    `problem` has declared CPU. A solution is left as it is where executors run already, and for
    objectives that know no load.

    Parameters
    ----------
    until
        When, by the clock, RAS's placement is used unless the solution is known to be as good:
        large topologies take seconds.
    component_of
        Operator id → its component.
    """
    placement, evaluation = solution.placement, solution.evaluation
    if placement is None or evaluation is None or problem.current or not objective.weighs_load:
        return solution
    ras = ResourceAware(RAS_RETRIES, clock)(problem, objective, time_limit=RAS_SECONDS, seed=0)
    if ras.placement is None:
        return solution
    arrays = ProblemArrays.of(problem)
    found, known = places_of(problem, placement), places_of(problem, ras.placement)
    if np.array_equal(found, known) or all(
        clock() < until
        and evaluate_load(it, found).load_response_time
        <= AS_GOOD * evaluate_load(it, known).load_response_time
        for it in _possible_loads(arrays, [component_of[it.id] for it in problem.operators])
    ):
        return solution
    return replace(
        solution,
        status=Status.HEURISTIC,
        decided_by=ras.policy,
        placement=ras.placement,
        evaluation=evaluate(problem, ras.placement, objective, evaluation.ranges),
        bound=None,
        gap=None,
        reasons=(*solution.reasons, KEPT.format(policy=solution.policy)),
    )


def _possible_loads(arrays: ProblemArrays, components: Sequence[str]) -> Iterator[LoadArrays]:
    """Yield what the topology may turn out to be: parts of what is declared, evenly or unevenly.

    `components` has the component of each operator.
    """
    names = {it: number for number, it in enumerate(dict.fromkeys(components))}
    numbers = np.array([names[it] for it in components])
    drawn = default_rng(0).lognormal(0.0, UNEVENNESS, (DRAWS, len(names)))
    uneven = np.vstack([np.eye(len(names)), drawn])[:, numbers]
    for part in DECLARED_PARTS:
        for scenario in SCENARIOS:
            yield LoadArrays.of(arrays, part, scenario)
        loads = LoadArrays.of(arrays, part)
        for weights in uneven:
            demands = loads.demands * weights
            total = max(demands.sum(), 1e-12)
            yield replace(loads, demands=demands * (loads.demands.sum() / total))
