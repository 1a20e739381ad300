import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import psutil
import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service import Failed, Job, Outcome, Question
from eyewall_sidecar.service.solver_processes import SolverProcesses, solve

PROBLEM = PlacementProblem(
    operators=(Operator("a"), Operator("b")),
    streams=(Stream("a", "b"),),
    nodes=(Node("u", operators=1), Node("v", operators=1)),
    links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
)
QUESTION = Question(PROBLEM, Objective.parse("R=1"), "odp", seed=0)
SOON = 60.0


@pytest.fixture
def solvers() -> Iterator[SolverProcesses]:
    processes = SolverProcesses(hanging_after=0.2)
    processes.warm()
    yield processes
    processes.close()


def answer(solvers: SolverProcesses, question: Question = QUESTION, limit: float = 5) -> Outcome:
    found = solvers.place(question, limit).outcome(time.monotonic() + SOON)
    assert found is not None
    return found


def test_a_question_is_answered_by_another_process(solvers: SolverProcesses) -> None:
    found = answer(solvers)
    assert isinstance(found, Solution)
    assert found.evaluation is not None
    assert found.evaluation.value == pytest.approx(0.010)
    assert os.getpid() not in solvers.process_ids()
    assert len(set(solvers.process_ids())) == 2


def test_a_process_that_died_is_replaced(solvers: SolverProcesses) -> None:
    before, _ = solvers.process_ids()
    os.kill(before, signal.SIGKILL)
    outcomes = [answer(solvers), answer(solvers)]
    assert isinstance(outcomes[-1], Solution)
    assert solvers.process_ids()[0] != before


def test_a_process_that_hangs_is_killed_and_replaced(solvers: SolverProcesses) -> None:
    before, _ = solvers.process_ids()
    os.kill(before, signal.SIGSTOP)
    job = solvers.place(QUESTION, 0.1)
    found = job.outcome(time.monotonic() + 1.0)  # longer than 0.1 s and the 0.2 s of grace
    assert found == Failed("the solver process hung and was replaced")
    assert isinstance(answer(solvers), Solution)
    assert not psutil.pid_exists(before)


class Watched:
    """A lane whose time a test moves; its process is real."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.solvers = SolverProcesses(hanging_after=10, clock=lambda: self.now)
        self.solvers.warm()

    def answered(self, job: Job[Solution]) -> Outcome | None:
        return job.outcome(self.now + SOON)

    def now_at_hand(self, job: Job[Solution]) -> Outcome | None:
        return job.outcome(self.now)


@pytest.fixture
def watched() -> Iterator[Watched]:
    lane = Watched()
    yield lane
    lane.solvers.close()


HUNG = Failed("the solver process hung and was replaced")


def test_a_hang_is_noticed_as_soon_after_many_answers_as_after_none(watched: Watched) -> None:
    # The next question is always there before the last one is answered: the lane is never idle.
    job = watched.solvers.place(QUESTION, 5)
    for _ in range(20):
        following = watched.solvers.place(QUESTION, 5)
        assert isinstance(watched.answered(job), Solution)
        job = following
    assert isinstance(watched.answered(job), Solution)
    os.kill(watched.solvers.process_ids()[0], signal.SIGSTOP)
    job = watched.solvers.place(QUESTION, 5)
    watched.now += 14  # 5 s for the question, 10 s of grace
    assert watched.now_at_hand(job) is None
    watched.now += 1
    assert watched.now_at_hand(job) == HUNG


def test_a_question_is_not_blamed_for_the_time_it_waited_for_the_process(watched: Watched) -> None:
    os.kill(process := watched.solvers.process_ids()[0], signal.SIGSTOP)
    first, second = watched.solvers.place(QUESTION, 5), watched.solvers.place(QUESTION, 1)
    watched.now += 14
    assert watched.now_at_hand(second) is None
    os.kill(process, signal.SIGCONT)
    assert isinstance(watched.answered(first), Solution)
    assert isinstance(watched.answered(second), Solution)


def test_a_hang_over_a_question_that_was_dropped_is_noticed_by_the_next(watched: Watched) -> None:
    os.kill(watched.solvers.process_ids()[0], signal.SIGSTOP)
    first, second = watched.solvers.place(QUESTION, 5), watched.solvers.place(QUESTION, 50)
    first.drop()
    assert watched.now_at_hand(second) is None
    watched.now += 60  # more than either may take, with its grace
    assert watched.now_at_hand(second) == HUNG
    assert isinstance(watched.answered(watched.solvers.place(QUESTION, 5)), Solution)


def test_an_answer_that_is_not_there_yet_is_none(solvers: SolverProcesses) -> None:
    os.kill(solvers.process_ids()[0], signal.SIGSTOP)
    assert solvers.place(QUESTION, 60).outcome(time.monotonic()) is None


def test_a_policy_that_raises_is_a_failure_with_its_words(solvers: SolverProcesses) -> None:
    unknown = Question(PROBLEM, Objective.parse("R=1"), "magic", seed=0)
    assert answer(solvers, unknown) == Failed("the policy failed: KeyError: 'magic'")


def test_closing_leaves_no_process(solvers: SolverProcesses) -> None:
    ids = solvers.process_ids()
    solvers.close()
    assert [it for it in ids if psutil.pid_exists(it)] == []


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
    question = Question(APART, Objective.parse("R=1"), "odp", seed=0)
    found = solve(question, 1.0, policy.clock)
    assert policy.limit == pytest.approx(0.9)
    assert found.placement in placement


def test_the_process_for_plans_is_started_with_the_first_plan_and_delays_nobody_else() -> None:
    processes = SolverProcesses()
    try:
        processes.warm()
        before = {it.pid for it in psutil.Process().children(recursive=True)}
        job = processes.plan(QUESTION, 5)
        found = processes.improve(QUESTION, 5).outcome(time.monotonic() + SOON)
        assert isinstance(found, Solution)
        planned = job.outcome(time.monotonic() + SOON)
        assert isinstance(planned, Solution)
        assert planned.placement == found.placement
        new = {it.pid for it in psutil.Process().children(recursive=True)} - before
        assert len(new) == 1
        again = processes.plan(QUESTION, 5).outcome(time.monotonic() + SOON)
        assert isinstance(again, Solution)
        assert {it.pid for it in psutil.Process().children(recursive=True)} - before == new
    finally:
        processes.close()
    assert not any(psutil.pid_exists(it) for it in new)


def test_several_may_wait_for_plans_at_a_time(solvers: SolverProcesses) -> None:
    with ThreadPoolExecutor(4) as waiting:
        found = list(
            waiting.map(
                lambda _: solvers.plan(QUESTION, 5).outcome(time.monotonic() + SOON), range(8)
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


def test_tasks_of_a_lane_are_solved_by_one_process_of_its_own(solvers: SolverProcesses) -> None:
    def solve(lane: str) -> tuple[int, float]:
        found = solvers.run(ProcessId(lane), 4).outcome(time.monotonic() + SOON)
        assert isinstance(found, tuple)
        return found

    one, limit = solve("one")
    assert limit == 4
    assert one not in (os.getpid(), *solvers.process_ids())
    assert solve("one") == (one, 4)
    assert solve("other") != (one, 4)
