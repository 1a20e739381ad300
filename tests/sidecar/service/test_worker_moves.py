"""A move of whole workers, where the best placement costs too much to move to."""

import pytest
from eyewall_sidecar.model import Status
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.service.candidate_move import CandidateMove
from eyewall_sidecar.service.solver_pool import IMPROVING, PlacementTask
from eyewall_sidecar.service.worker_moves import DECIDED_BY, WorkerMovesTask, worker_moves_task
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import TopologyProblem
from obedient_nimbus import Nimbus
from overlapping_moves import add_worker, have_cores, pair, request, running
from storm_builders import supervisor


def task_of(
    nimbus: Nimbus, moves: object = "overlap", objective: str = "L=1", **settings: object
) -> WorkerMovesTask | None:
    """Return the task for the pair on a and b, as the round that needs it makes it."""
    topology = pair(moves, objective=objective, **settings)
    nimbus.round(topology, obey=False)
    asked = request(nimbus, topology)
    assert isinstance(asked.problem, TopologyProblem)
    found = PlacementTask(asked.problem.problem, Objective.parse(objective), "odp", 0)
    candidate = CandidateMove(asked, None, None)  # type: ignore[arg-type]
    return worker_moves_task(found, candidate, WorkerStarts())


def test_each_worker_moves_as_a_whole_to_a_slot_that_nobody_uses() -> None:
    task = task_of(running(pair()))
    assert task is not None
    assert set(task.workers) == {("source[1-1]",), ("sink[2-2]",)}
    assert set(task.open_nodes) == {"a", "b"}
    assert task.lane == IMPROVING


def test_a_host_has_no_room_where_its_slots_are_taken_or_workers_start_slowly() -> None:
    nimbus = running(pair())
    add_worker(nimbus, "a", port=6701, topology="ended-1", used=0.1)  # it has not ended yet
    task = task_of(nimbus)
    assert task is not None
    assert task.open_nodes == ("b",)
    # Of 0.13 cores a start takes 31 s: old workers serve on, at the price of an ordinary move.
    have_cores(nimbus, 0.13)
    assert task_of(nimbus) is None


@pytest.mark.parametrize(("moves", "objective"), [("restart", "L=1"), ("overlap", "R=1")])
def test_nothing_is_searched_for_where_workers_restart_or_load_does_not_count(
    moves: str, objective: str
) -> None:
    assert task_of(running(pair()), moves, objective) is None


def test_a_worker_that_must_not_run_twice_stays() -> None:
    task = task_of(running(pair(exclusive=["source"])), exclusive=["source"])
    assert task is not None
    assert task.workers == (("sink[2-2]",),)


def test_what_is_found_is_a_placement_with_its_value_and_says_how() -> None:
    nimbus = running(pair())
    nimbus.hosts.append(supervisor("c"))
    task = task_of(nimbus)
    assert task is not None
    found = task.solve(5.0)
    assert (found.status, found.policy, found.decided_by) == (Status.HEURISTIC, "odp", DECIDED_BY)
    # 10 ms lie between them: one joins the other.
    assert found.moves == 1
    assert found.placement is not None
    assert len(set(found.placement.values())) == 1
    assert found.evaluation is not None
