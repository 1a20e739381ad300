"""Policies of other distributions that misbehave harm nobody else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import psutil
import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.catalogue import GROUP
from eyewall_sidecar.service import Failed, Question
from eyewall_sidecar.service.solver_processes import SolverProcesses
from installed_plugins import install_plugin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyewall_sidecar.service import Outcome

PROBLEM = PlacementProblem(
    operators=(Operator("a"), Operator("b")),
    streams=(Stream("a", "b", rate=10),),
    nodes=(Node("u", cpu=1), Node("v", cpu=1)),
    links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
)
N = Objective.parse("N=1")
SOON = 120.0
CODE = """
import os, time
from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.objective import ObjectiveError, Term
from eyewall_sidecar.policies import PolicyEntry

ENTRY = PolicyEntry(title="t", source="s", method="m", optimises=(Term.N,), take_it="never",
                    implementation="{name}_module:place")

def placed(**placement):
    return Solution(Status.HEURISTIC, "whatever", "me", placement or None)

def place(problem, objective, *, time_limit, seed):
    {body}
"""


def install(folder: Path, name: str, body: str) -> None:
    install_plugin(
        folder,
        name,
        {GROUP: {name: f"{name}_module:ENTRY"}},
        CODE.format(name=name, body=body),
    )


@pytest.fixture
def solvers() -> Iterator[SolverProcesses]:
    processes = SolverProcesses(hanging_after=0.5)
    processes.warm()
    yield processes
    processes.close()


def answer(solvers: SolverProcesses, policy: str, limit: float = 2) -> Outcome:
    job = solvers.place(Question(PROBLEM, N, policy, seed=0), limit)
    ends_at = time.monotonic() + SOON
    while (found := job.outcome(time.monotonic() + 0.2)) is None and time.monotonic() < ends_at:
        pass
    assert found is not None
    return found


def test_what_it_leaves_out_is_filled_in(plugins: Path, solvers: SolverProcesses) -> None:
    install(plugins, "apart", "return placed(b='v', a='u')")
    found = answer(solvers, "apart")
    assert isinstance(found, Solution)
    assert (found.policy, found.status, found.decided_by) == ("apart", Status.HEURISTIC, "me")
    assert found.evaluation is not None
    assert found.evaluation.value == pytest.approx(0.1)  # 10 tuples/s · 10 ms


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise ValueError('no idea')", ["failed", "ValueError: no idea"]),
        ("raise SystemExit(3)", ["failed", "SystemExit: 3"]),
        ("return {'a': 'u'}", ["nonsense"]),
        ("return None", ["nonsense"]),
        ("return placed()", ["heuristic", "no placement"]),
        ("return placed(a='u')", ["illegal", "operator b is placed nowhere"]),
        ("return placed(a='u', b='w')", ["illegal", "operator b is on w"]),
        ("return placed(a='u', b='u')", ["illegal", "node u: cpu 2 placed, 1 there"]),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_failure_that_says_what_is_wrong(
    plugins: Path, solvers: SolverProcesses, body: str, words: list[str]
) -> None:
    install(plugins, "broken", body)
    found = answer(solvers, "broken")
    assert isinstance(found, Failed)
    assert [it for it in ["policy broken", *words] if it not in found.reason] == []


@pytest.mark.parametrize("body", ["time.sleep(600)", "os._exit(1)"])
def test_one_that_hangs_or_ends_its_process_leaves_the_others_their_processes(
    plugins: Path, solvers: SolverProcesses, body: str
) -> None:
    install(plugins, "broken", body)
    before = solvers.process_ids()
    job = solvers.place(Question(PROBLEM, N, "broken", seed=0), 2)
    # While it hangs, a question for an own policy is answered at once.
    assert isinstance(answer(solvers, "odp"), Solution)
    ends_at = time.monotonic() + SOON
    while (found := job.outcome(time.monotonic() + 0.2)) is None and time.monotonic() < ends_at:
        pass
    assert isinstance(found, Failed)
    assert solvers.process_ids() == before
    assert all(psutil.pid_exists(it) for it in before)
    assert isinstance(answer(solvers, "odp"), Solution)


def test_one_that_cannot_be_imported_is_a_failure_that_names_it(
    plugins: Path, solvers: SolverProcesses
) -> None:
    entry = CODE.format(name="nowhere", body="pass").replace(
        "nowhere_module:place", "nowhere:place"
    )
    install_plugin(plugins, "nowhere", {GROUP: {"nowhere": "nowhere_module:ENTRY"}}, entry)
    found = answer(solvers, "nowhere")
    assert isinstance(found, Failed)
    assert "policy nowhere: nowhere:place cannot be loaded" in found.reason
