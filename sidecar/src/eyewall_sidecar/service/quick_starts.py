"""A move to hosts on which workers start quickly, where the best one costs too much.

A search finds the best placement, whatever it takes to get there: one worker on a small host may
make a move several times as dear as the same without it.
"""

from dataclasses import replace

from eyewall_sidecar.messages import Code
from eyewall_sidecar.model import Operator, PlacementProblem
from eyewall_sidecar.service.move_price import least_start
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.solver_pool import PlacementTask
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import TopologyProblem

QUICKER = 1.5
"""Times as long as on others a start takes on hosts that are left out."""
PRICED = frozenset({Code.COSTS_MORE, Code.OVERLOAD_MAY_END, Code.SAVES_TOO_LITTLE_WAITING})
"""Why a better placement is not moved to: for its price alone."""


def quick_task(
    task: PlacementTask, request: PlacementRequest, starts: WorkerStarts
) -> PlacementTask | None:
    """Return a task whose placements start workers on the quicker hosts only.

    What runs on a slow host may stay there. None where no host is much slower than others, or
    nothing could move.
    """
    of_topology = request.problem
    if not isinstance(of_topology, TopologyProblem):
        return None
    seconds = {
        node: least_start(request, request.capacities[supervisor].supervisor.host, starts)
        for node, supervisor in of_topology.supervisors.items()
        if supervisor in request.capacities
    }
    slowest = max(seconds.values(), default=0.0)
    quick = {node for node, it in seconds.items() if it * QUICKER <= slowest}
    if not quick:
        return None
    problem = task.problem
    operators = tuple(_limited(it, problem, quick) for it in problem.operators)
    if any(not it.candidates for it in operators):
        return None
    return replace(task, problem=replace(problem, operators=operators))


def _limited(operator: Operator, problem: PlacementProblem, quick: set[str]) -> Operator:
    here = (problem.current or {}).get(operator.id)
    nodes = (it for it in problem.candidates(operator.id) if it in quick or it == here)
    return replace(operator, candidates=tuple(nodes))
