"""A move of whole workers, where the best placement costs too much to move to.

A worker of which some executors move starts again where it was. Where it fills its host, nothing
can serve on beside that, and a topology that is overloaded stops for as long as its workers start.
A worker that moves whole to a host with room serves on until its successor carries tuples.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from eyewall_sidecar.heuristic.group_moves import move_groups
from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.candidate_move import CandidateMove
from eyewall_sidecar.service.move_price import QUICK_START, expected_start
from eyewall_sidecar.service.overlap import find_obstacle
from eyewall_sidecar.service.solver_pool import PlacementTask
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import TopologyProblem

DECIDED_BY = "moves of whole workers"


@dataclass(frozen=True, slots=True)
class WorkerMovesTask(PlacementTask):
    """The same problem, to be solved by moves of whole workers alone; a `SolverTask`.

    Parameters
    ----------
    workers
        The operators of each worker that runs.
    open_nodes
        To which a worker may move, one to each.
    """

    workers: tuple[tuple[str, ...], ...] = ()
    open_nodes: tuple[str, ...] = ()

    @property
    def lane(self) -> str:
        """The sidecar's own, also where the topology has a policy of another distribution."""
        return self.purpose

    def solve(self, time_limit: float, clock: Callable[[], float] = time.monotonic) -> Solution:
        """Solve in this process; what is found until the time limit counts."""
        began = clock()
        placement, evaluated = move_groups(
            self.problem,
            self.objective,
            self.workers,
            dict.fromkeys(self.open_nodes, 1),
            lambda: clock() >= began + time_limit,
        )
        return Solution(
            Status.HEURISTIC,
            self.policy,
            DECIDED_BY,
            placement,
            evaluate(self.problem, placement, self.objective, {}),
            seconds=clock() - began,
            moves=self.problem.moves(placement),
            evaluated=evaluated,
        )


def worker_moves_task(
    task: PlacementTask, candidate: CandidateMove, starts: WorkerStarts
) -> WorkerMovesTask | None:
    """Return a task for a placement to which whole workers move.

    None where old workers do not serve on, where the objective knows no load, or where no host has
    a slot in which a worker starts quickly.
    """
    request = candidate.request
    of_topology = request.problem
    if not isinstance(of_topology, TopologyProblem) or not task.objective.weighs_load:
        return None
    if find_obstacle(request) is not None:
        return None
    ids = {executor: operator for operator, executor in of_topology.executors.items()}
    reported = request.reported_workers(set(of_topology.supervisors.values())).keys()
    nodes = tuple(
        node
        for node, supervisor in of_topology.supervisors.items()
        if (capacity := request.capacities.get(supervisor)) is not None
        and set(capacity.fresh) - reported
        and expected_start(request, capacity.supervisor.host, starts) <= QUICK_START
    )
    workers = tuple(
        tuple(sorted(ids[it] for it in worker.executors if it in ids))
        for worker in request.topology.assignment
    )
    if not nodes or not all(workers):
        return None
    return WorkerMovesTask(
        task.problem,
        task.objective,
        task.policy,
        task.seed,
        purpose=task.purpose,
        workers=workers,
        open_nodes=nodes,
    )
