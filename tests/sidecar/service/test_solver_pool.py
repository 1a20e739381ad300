import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.solver_pool import (
    IMPROVING,
    PLACING,
    PLANNING,
    Job,
    PlacementTask,
    SolverFailure,
    SolverPool,
)

PROBLEM = PlacementProblem(
    operators=(Operator("a"), Operator("b")),
    streams=(Stream("a", "b"),),
    nodes=(Node("u", operators=1), Node("v", operators=1)),
    links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
)
Result = Solution | SolverFailure

TASK = PlacementTask(PROBLEM, Objective.parse("R=1"), "odp", seed=0, purpose=PLACING)
SOON = 600.0


@pytest.fixture
def solvers() -> Iterator[SolverPool]:
    processes = SolverPool()
    processes.warm()
    yield processes
    processes.close()


def answer(solvers: SolverPool, task: PlacementTask = TASK, limit: float = 5) -> Result:
    found = solvers.run(task, limit).result(time.monotonic() + SOON)
    assert found is not None
    return found


def test_a_task_is_solved_by_another_process(solvers: SolverPool) -> None:
    found = answer(solvers)
    assert isinstance(found, Solution)
    assert found.evaluation is not None
    assert found.evaluation.value == pytest.approx(0.010)
    assert len({os.getpid(), solvers.process_id(PLACING), solvers.process_id(IMPROVING)}) == 3


def await_end(pid: int) -> None:
    """Who killed it does not wait until it is gone."""
    end = time.monotonic() + SOON
    while psutil.pid_exists(pid):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_process_that_died_is_replaced(solvers: SolverPool) -> None:
    before = solvers.process_id(PLACING)
    os.kill(before, signal.SIGKILL)
    outcomes = [answer(solvers), answer(solvers)]
    assert isinstance(outcomes[-1], Solution)
    assert solvers.process_id(PLACING) != before


def test_a_process_that_hangs_is_killed_and_replaced(solvers: SolverPool) -> None:
    before = solvers.process_id(PLACING)
    os.kill(before, signal.SIGSTOP)
    job = solvers.run(replace(TASK, grace=0.2), 0.1)
    found = job.result(time.monotonic() + 1.0)  # longer than 0.1 s and the 0.2 s of grace
    assert found == SolverFailure(message(Code.SOLVER_HUNG))
    assert isinstance(answer(solvers), Solution)
    await_end(before)


class Watched:
    """A lane whose time a test moves; its process is real."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.solvers = SolverPool(clock=lambda: self.now)
        self.solvers.warm()

    def answered(self, job: Job[Solution]) -> Result | None:
        return job.result(self.now + SOON)

    def now_at_hand(self, job: Job[Solution]) -> Result | None:
        return job.result(self.now)


@pytest.fixture
def watched() -> Iterator[Watched]:
    lane = Watched()
    yield lane
    lane.solvers.close()


HUNG = SolverFailure(message(Code.SOLVER_HUNG))


def test_a_hang_is_noticed_as_soon_after_many_answers_as_after_none(watched: Watched) -> None:
    # The next task is always there before the last one is answered: the lane is never idle.
    job = watched.solvers.run(TASK, 5)
    for _ in range(20):
        following = watched.solvers.run(TASK, 5)
        assert isinstance(watched.answered(job), Solution)
        job = following
    assert isinstance(watched.answered(job), Solution)
    os.kill(watched.solvers.process_id(PLACING), signal.SIGSTOP)
    job = watched.solvers.run(TASK, 5)
    watched.now += 14  # 5 s for the task, 10 s of grace
    assert watched.now_at_hand(job) is None
    watched.now += 1
    assert watched.now_at_hand(job) == HUNG


def test_a_task_is_not_blamed_for_the_time_it_waited_for_the_process(watched: Watched) -> None:
    os.kill(process := watched.solvers.process_id(PLACING), signal.SIGSTOP)
    first, second = watched.solvers.run(TASK, 5), watched.solvers.run(TASK, 1)
    watched.now += 14
    assert watched.now_at_hand(second) is None
    os.kill(process, signal.SIGCONT)
    assert isinstance(watched.answered(first), Solution)
    assert isinstance(watched.answered(second), Solution)


def test_a_hang_over_a_task_that_was_cancelled_is_noticed_by_the_next(watched: Watched) -> None:
    os.kill(watched.solvers.process_id(PLACING), signal.SIGSTOP)
    first, second = watched.solvers.run(TASK, 5), watched.solvers.run(TASK, 50)
    first.cancel()
    assert watched.now_at_hand(second) is None
    watched.now += 60  # more than either may take, with its grace
    assert watched.now_at_hand(second) == HUNG
    assert isinstance(watched.answered(watched.solvers.run(TASK, 5)), Solution)


def test_when_the_process_that_they_are_forked_from_is_killed_all_are_replaced(
    solvers: SolverPool,
) -> None:
    before = [psutil.Process(solvers.process_id(it)) for it in (PLACING, IMPROVING)]
    parent = before[0].parent()
    assert parent is not None
    assert parent.pid != os.getpid()
    assert parent.num_threads() == 1  # else it must not be forked
    parent.kill()
    _, alive = psutil.wait_procs(before, timeout=SOON)
    assert alive == []
    for purpose in (PLACING, IMPROVING):
        task = replace(TASK, purpose=purpose)
        outcomes = [answer(solvers, task), answer(solvers, task)]
        assert isinstance(outcomes[-1], Solution)
    assert isinstance(answer(solvers, replace(TASK, purpose=PLANNING)), Solution)
    for lane in (PLACING, IMPROVING, PLANNING):
        assert psutil.Process(solvers.process_id(lane)).ppid() == os.getpid()


def test_where_nothing_can_be_forked_processes_are_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("multiprocessing.forkserver._forkserver.ensure_running", refused)
    processes = SolverPool()
    try:
        assert isinstance(answer(processes), Solution)
        assert psutil.Process(processes.process_id(PLACING)).ppid() == os.getpid()
    finally:
        processes.close()


def test_what_has_to_be_compiled_first_is_left_to_the_processes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import eyewall_sidecar.service.solver_preload"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=SOON,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert [it for it in tmp_path.rglob("*") if it.is_file()] == []


def test_an_answer_that_is_not_there_yet_is_none(solvers: SolverPool) -> None:
    os.kill(solvers.process_id(PLACING), signal.SIGSTOP)
    assert solvers.run(TASK, 60).result(time.monotonic()) is None


def test_a_policy_that_raises_is_a_failure_with_its_words(solvers: SolverPool) -> None:
    unknown = replace(TASK, policy="magic")
    assert answer(solvers, unknown) == SolverFailure(
        message(Code.POLICY_FAILED, error="KeyError: 'magic'")
    )


def test_closing_leaves_no_process(solvers: SolverPool) -> None:
    processes = [psutil.Process(solvers.process_id(it)) for it in (PLACING, IMPROVING)]
    solvers.close()
    assert psutil.wait_procs(processes, timeout=SOON)[1] == []


class Slow:
    """A policy that puts both operators on u and v, and takes its time by a clock of its own."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.now = 100.0
        self.limit = 0.0

    def clock(self) -> float:
        return self.now

    def __call__(
        self, problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        self.now += self.seconds
        self.limit = time_limit
        placement = {"a": "u", "b": "v"}
        value = evaluate(problem, placement, objective, {})
        return Solution(Status.FEASIBLE, "slow", f"seed {seed}", placement, value)


APART = PlacementProblem(
    operators=(Operator("a"), Operator("b")),
    streams=(Stream("a", "b"),),
    nodes=(Node("u"), Node("v")),
    links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
)
"""Both fit on one node, so any step towards the other pays."""


@pytest.mark.parametrize(
    ("seconds", "placement"),
    [
        (0.9, [{"a": "u", "b": "u"}, {"a": "v", "b": "v"}]),
        (1.0, [{"a": "u", "b": "v"}]),
        (3.0, [{"a": "u", "b": "v"}]),
    ],
)
def test_the_time_limit_is_for_all_of_a_solve(
    monkeypatch: pytest.MonkeyPatch, seconds: float, placement: list[dict[str, str]]
) -> None:
    # Of a limit of 1 s the policy is given 0.9 s; once 1 s is over, nothing more is tidied up.
    policy = Slow(seconds)
    monkeypatch.setattr("eyewall_sidecar.policies.invocation.load_policy", {"odp": policy}.get)
    task = PlacementTask(APART, Objective.parse("R=1"), "odp", seed=0)
    found = task.solve(1.0, policy.clock)
    assert policy.limit == pytest.approx(0.9)
    assert found.placement in placement


def test_the_process_for_plans_is_started_with_the_first_plan_and_delays_nobody_else() -> None:
    processes = SolverPool()
    try:
        processes.warm()
        before = {it.pid for it in psutil.Process().children(recursive=True)}
        job = processes.run(replace(TASK, purpose=PLANNING), 5)
        found = processes.run(replace(TASK, purpose=IMPROVING), 5).result(time.monotonic() + SOON)
        assert isinstance(found, Solution)
        planned = job.result(time.monotonic() + SOON)
        assert isinstance(planned, Solution)
        assert planned.placement == found.placement
        new = {it.pid for it in psutil.Process().children(recursive=True)} - before
        assert len(new) == 1
        again = processes.run(replace(TASK, purpose=PLANNING), 5).result(time.monotonic() + SOON)
        assert isinstance(again, Solution)
        assert {it.pid for it in psutil.Process().children(recursive=True)} - before == new
    finally:
        processes.close()
    for it in new:
        await_end(it)


def test_several_may_wait_for_plans_at_a_time(solvers: SolverPool) -> None:
    with ThreadPoolExecutor(4) as waiting:
        found = list(
            waiting.map(
                lambda _: solvers.run(replace(TASK, purpose=PLANNING), 5).result(
                    time.monotonic() + SOON
                ),
                range(8),
            )
        )
    assert all(isinstance(it, Solution) for it in found)


@dataclass(frozen=True)
class ProcessId:
    """A task of another distribution."""

    lane: str
    grace: float = 10.0

    def solve(self, time_limit: float) -> tuple[int, float]:
        return os.getpid(), time_limit


def test_tasks_of_a_lane_are_solved_by_one_process_of_its_own(solvers: SolverPool) -> None:
    def solve(lane: str) -> tuple[int, float]:
        found = solvers.run(ProcessId(lane), 4).result(time.monotonic() + SOON)
        assert isinstance(found, tuple)
        return found

    one, limit = solve("one")
    assert limit == 4
    own = (os.getpid(), solvers.process_id(PLACING), solvers.process_id(IMPROVING))
    assert one not in own
    assert solve("one") == (one, 4)
    assert solve("other") != (one, 4)
