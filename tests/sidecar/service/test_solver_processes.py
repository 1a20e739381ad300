import os
import signal
import time
from collections.abc import Iterator

import psutil
import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.service import Failed, Outcome, Question
from eyewall_sidecar.service.solver_processes import SolverProcesses

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
