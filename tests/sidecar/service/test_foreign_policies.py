"""Policies of other distributions that misbehave harm nobody else."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import psutil
import pytest
from eyewall_sidecar.model import (
    Link,
    Node,
    Operator,
    PlacementProblem,
    Range,
    Solution,
    Status,
    Stream,
)
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.policies.catalogue import GROUP
from eyewall_sidecar.service.solver_pool import (
    IMPROVING,
    PLACING,
    PlacementTask,
    SolverFailure,
    SolverPool,
)
from installed_plugins import install_plugin
from obedient_nimbus import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROBLEM = PlacementProblem(
    operators=(Operator("a"), Operator("b")),
    streams=(Stream("a", "b", rate=10),),
    nodes=(Node("u", cpu=1), Node("v", cpu=1)),
    links={("u", "v"): Link(0.010), ("v", "u"): Link(0.010)},
)
N = Objective.parse("N=1")
SOON = 300.0
"""Seconds; no test means to wait so long."""
CODE = """
import os, time
from math import inf, nan
from eyewall_sidecar.model import Evaluation, Range, Solution, Status
from eyewall_sidecar.objective import ObjectiveError, Term
from eyewall_sidecar.policies import PolicyEntry

ENTRY = PolicyEntry(title="t", source="s", method="m", optimises={optimises}, take_it="never",
                    mixes=len({optimises}) > 1,
                    implementation="{name}_module:{implementation}")

def placed(**placement):
    return Solution(Status.HEURISTIC, "whatever", "me", placement or None)

def counted(evaluated):
    return Solution(Status.HEURISTIC, "whatever", "me", dict(a="u", b="v"), evaluated=evaluated)

def ranged(better, worse, **availability):
    ranges = dict(N=Range(better, worse), A=Range(-1.0, -2.0)) | availability
    value = Evaluation(0.0, dict(), 0.0, ranges)
    return Solution(Status.HEURISTIC, "whatever", "me", dict(a="u", b="v"), value)

def place(problem, objective, *, time_limit, seed):
    {body}
"""


NAMES = map("policy_{}".format, count())
"""Each test has a policy, and so a solver process, of its own."""


def install(
    folder: Path, body: str, implementation: str = "place", optimises: str = "(Term.N,)"
) -> str:
    """Install a policy with this body; return its name."""
    name = next(NAMES)
    code = CODE.format(name=name, body=body, implementation=implementation, optimises=optimises)
    install_plugin(folder, name, {GROUP: {name: f"{name}_module:ENTRY"}}, code)
    return name


CLOCK = Clock()
"""Only a test moves it: a slow machine makes no process hang."""


@pytest.fixture(scope="module")
def solvers() -> Iterator[SolverPool]:
    processes = SolverPool(clock=CLOCK)
    processes.warm()
    yield processes
    processes.close()


def process_ids(solvers: SolverPool) -> list[int]:
    return [solvers.process_id(it) for it in (PLACING, IMPROVING)]


def answer(solvers: SolverPool, policy: str, objective: str = "N=1") -> Solution | SolverFailure:
    job = solvers.run(PlacementTask(PROBLEM, Objective.parse(objective), policy, seed=0), 2)
    found = job.result(CLOCK.now + SOON)
    assert found is not None
    return found


def test_what_it_leaves_out_is_filled_in(plugins: Path, solvers: SolverPool) -> None:
    name = install(plugins, "return placed(b='v', a='u')")
    found = answer(solvers, name)
    assert isinstance(found, Solution)
    assert (found.policy, found.status, found.decided_by) == (name, Status.HEURISTIC, "me")
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
        ("return counted(-5)", ["evaluated -5", "from 0"]),
        ("return counted(1.5)", ["evaluated 1.5", "whole number"]),
        ("return counted(2**53 + 1)", ["evaluated 9007199254740993", "whole number"]),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_failure_that_says_what_is_wrong(
    plugins: Path, solvers: SolverPool, body: str, words: list[str]
) -> None:
    name = install(plugins, body)
    found = answer(solvers, name)
    assert isinstance(found, SolverFailure)
    assert [it for it in [f"policy {name}", *words] if it not in str(found.reason)] == []


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ("nan, nan", ["range N from better nan to worse nan", "0 ≤ better ≤ worse"]),
        ("0.0, inf", ["range N from better 0 to worse inf"]),
        ("inf, 1.0", ["range N from better inf to worse 1"]),
        ("-1.0, 1.0", ["range N from better -1 to worse 1"]),
        ("1.0, 0.0", ["range N from better 1 to worse 0"]),  # reversed: worse is better
        ("0.0, 1.0, A=Range(-2.0, -1.0)", ["range A from better -2 to worse -1"]),
        ("0.0, 1.0, A=Range(0.0, -inf)", ["range A from better 0 to worse -inf"]),
    ],
)
def test_ranges_that_would_value_a_placement_wrongly_are_a_failure_that_names_them(
    plugins: Path, solvers: SolverPool, ranges: str, words: list[str]
) -> None:
    name = install(plugins, f"return ranged({ranges})", optimises="(Term.N, Term.A)")
    found = answer(solvers, name, objective="N=0.5,A=0.5")
    assert isinstance(found, SolverFailure)
    assert [it for it in [f"policy {name}", *words] if it not in str(found.reason)] == []


@pytest.mark.parametrize("availability", ["", "A=Range(-inf, -inf)"])
def test_ranges_that_normalise_are_used(
    plugins: Path, solvers: SolverPool, availability: str
) -> None:
    body = f"return ranged(0.0, 0.4, {availability})"
    name = install(plugins, body, optimises="(Term.N, Term.A)")
    found = answer(solvers, name, objective="N=0.5,A=0.5")
    assert isinstance(found, Solution)
    assert found.evaluation is not None
    assert found.evaluation.ranges[Term.N] == Range(0.0, 0.4)


@pytest.mark.parametrize("body", ["time.sleep(600)", "os._exit(1)"])
def test_one_that_hangs_or_ends_its_process_leaves_the_others_their_processes(
    plugins: Path, solvers: SolverPool, body: str
) -> None:
    name = install(plugins, body)
    before = process_ids(solvers)
    job = solvers.run(PlacementTask(PROBLEM, N, name, seed=0), 2)
    assert isinstance(answer(solvers, "odp"), Solution)  # does not wait for it
    found = None
    for _ in range(int(SOON)):  # until its process has started
        CLOCK.now += 13  # 2 s for the question, 10 s of grace
        if (found := job.result(CLOCK.now + 1)) is not None:
            break
    assert isinstance(found, SolverFailure)
    assert process_ids(solvers) == before
    assert all(psutil.pid_exists(it) for it in before)
    assert isinstance(answer(solvers, "odp"), Solution)


def test_one_that_cannot_be_imported_is_a_failure_that_names_it(
    plugins: Path, solvers: SolverPool
) -> None:
    name = install(plugins, "pass", implementation="elsewhere")
    found = answer(solvers, name)
    assert isinstance(found, SolverFailure)
    assert f"policy {name}: {name}_module:elsewhere cannot be loaded" in str(found.reason)


def test_it_is_not_asked_for_an_objective_that_it_does_not_list(
    plugins: Path, solvers: SolverPool
) -> None:
    name = install(plugins, "return placed(b='v', a='u')")
    found = answer(solvers, name, objective="R=1")
    assert isinstance(found, SolverFailure)
    assert f"policy {name} optimises N alone" in str(found.reason)
