"""Moves of workers that leave their hosts whole, where the best placement costs too much.

A worker of which some executors stay starts again where it was. Where it fills its host, nothing
can serve on beside that, and a topology that is overloaded stops for as long as its workers start.
One that leaves whole, to hosts with room, serves on until its successors carry tuples.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from eyewall_sidecar.heuristic.group_moves import GroupMoves
from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of, places_of
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.candidate_move import CandidateMove
from eyewall_sidecar.service.move_price import QUICK_START, expected_start
from eyewall_sidecar.service.overlap import find_obstacle, find_target_obstacle
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.solver_pool import PlacementTask
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import TopologyProblem, Worker

DECIDED_BY = "workers that leave whole"


@dataclass(frozen=True, slots=True)
class WorkerMovesTask(PlacementTask):
    """The same problem, to be solved by workers that leave whole alone; a `SolverTask`.

    Its objective is L or THETA, and all operators run.

    Parameters
    ----------
    workers
        The operators of each worker that runs.
    open_nodes
        To which their operators may go, those of one worker to each.
    """

    workers: tuple[tuple[str, ...], ...] = ()
    open_nodes: tuple[str, ...] = ()

    @property
    def lane(self) -> str:
        """The sidecar's own, also where the topology has a policy of another distribution."""
        return self.purpose

    def solve(self, time_limit: float, clock: Callable[[], float] = time.monotonic) -> Solution:
        """Solve in this process; what is found until the time limit counts."""
        problem, began = self.problem, clock()
        arrays = ProblemArrays.of(problem)
        term, current = self.objective.single, problem.current
        if term is None or current is None:
            raise ValueError("workers leave by L or THETA, and where all operators run")
        moves = GroupMoves(
            arrays, term, places_of(problem, current), lambda: clock() >= began + time_limit
        )
        operators = {it.id: place for place, it in enumerate(problem.operators)}
        nodes = {it.id: place for place, it in enumerate(problem.nodes)}
        places = moves.descend(
            [[operators[it] for it in worker] for worker in self.workers],
            [nodes[it] for it in self.open_nodes],
        )
        placement = placement_of(problem, places)
        return Solution(
            Status.HEURISTIC,
            self.policy,
            DECIDED_BY,
            placement,
            evaluate(problem, placement, self.objective, {}),
            seconds=clock() - began,
            moves=problem.moves(placement),
            evaluated=moves.evaluated,
        )


def worker_moves_task(
    task: PlacementTask, candidate: CandidateMove, starts: WorkerStarts
) -> WorkerMovesTask | None:
    """Return a task for a placement to which workers leave whole.

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
    nodes = _open_nodes(request, of_topology, starts)
    workers = tuple(
        tuple(sorted(ids[it] for it in worker.executors))
        for worker in request.topology.assignment
        if worker.executors <= ids.keys() and not _is_exclusive(request, worker)
    )
    if not nodes or not workers:
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


def _open_nodes(
    request: PlacementRequest, of_topology: TopologyProblem, starts: WorkerStarts
) -> tuple[str, ...]:
    """Return nodes on which a worker may start beside old ones, and soon; one of each host."""
    reported = request.reported_workers(set(of_topology.supervisors.values())).keys()
    nodes: dict[str, str] = {}
    for node, supervisor in of_topology.supervisors.items():
        capacity = request.capacities.get(supervisor)
        if capacity is None or not set(capacity.fresh) - reported:
            continue
        host = capacity.supervisor.host
        if find_target_obstacle(request, supervisor) is not None:
            continue
        if expected_start(request, host, starts) <= QUICK_START:
            nodes.setdefault(host, node)
    return tuple(nodes.values())


def _is_exclusive(request: PlacementRequest, worker: Worker) -> bool:
    """Whether a worker has components that must not run twice."""
    components = request.topology.topology.executors()
    return any(components[it].id in request.settings.exclusive for it in worker.executors)
