"""A move to hosts on which workers start quickly, where the best one costs too much.

A search finds the best placement, whatever it takes to get there: one worker on a small host may
make a move several times as dear as the same without it.
"""

from dataclasses import replace

from eyewall_sidecar.messages import Code
from eyewall_sidecar.model import Operator, PlacementProblem
from eyewall_sidecar.service.candidate_move import CandidateMove
from eyewall_sidecar.service.move_price import expected_start
from eyewall_sidecar.service.move_value import price_of
from eyewall_sidecar.service.movement_rules import MoveVerdict
from eyewall_sidecar.service.solver_pool import PlacementTask
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import TopologyProblem

QUICKER = 1.5
"""By which factor a start has to be quicker than those of the move that costs too much."""
_PRICED = frozenset(
    {
        Code.COSTS_MORE,
        Code.OVERLOAD_MAY_END,
        Code.SAVES_TOO_LITTLE_WAITING,
        Code.SAVES_TOO_LITTLE_DOWNTIME,
    }
)


def is_priced_out(verdict: MoveVerdict) -> bool:
    """Whether only its price holds a move back: at a lower one it may be made."""
    hold, prediction = verdict.hold, verdict.candidate.prediction
    if hold is None or hold.code not in _PRICED:
        return False
    return hold.code is not Code.COSTS_MORE or prediction is None or prediction.gain[0] > 0


def quick_task(
    task: PlacementTask, candidate: CandidateMove, starts: WorkerStarts
) -> PlacementTask | None:
    """Return a task for a placement whose workers start sooner than those of a candidate move.

    What runs on a slow host may stay there. None where no host is so much quicker, or where
    something had nowhere to run.
    """
    request = candidate.request
    of_topology = request.problem
    if not isinstance(of_topology, TopologyProblem):
        return None
    longest = price_of(candidate, starts).gap / QUICKER
    quick = {
        node
        for node, supervisor in of_topology.supervisors.items()
        if (capacity := request.capacities.get(supervisor)) is not None
        and expected_start(request, capacity.supervisor.host, starts) <= longest
    }
    if not quick or quick >= of_topology.supervisors.keys():
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
