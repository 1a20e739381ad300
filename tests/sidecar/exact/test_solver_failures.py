"""What the solver refuses or breaks off is told as that, never as the end of the time limit."""

from math import inf

import pytest
from eyewall_sidecar.exact import infeasibility, search, solve
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.objective import Objective
from pulp import LpMinimize, LpProblem

IDS = ("n1", "n2")


def problem(*cores: float, room: tuple[float, float] = (1, 1)) -> PlacementProblem:
    """Operators that need so many cores on two nodes that have `room`."""
    return PlacementProblem(
        tuple(Operator(f"o{i}", cpu=cpu) for i, cpu in enumerate(cores)),
        tuple(Stream(f"o{i}", f"o{i + 1}") for i in range(len(cores) - 1)),
        tuple(Node(node, cpu=cpu) for node, cpu in zip(IDS, room, strict=True)),
        {pair: Link(0.01) for pair in (IDS, IDS[::-1])},
    )


def answer(asked: PlacementProblem, objective: str = "R=1") -> Solution:
    found = solve(asked, Objective.parse(objective), time_limit=9.0, seed=0, clock=lambda: 0.0)
    assert found
    return found


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Finding(Outcome.FAILED, remark="the solver failed: Solve error")
    monkeypatch.setattr(search, "covers", lambda _: False)
    monkeypatch.setattr(search, "integer_program", lambda *_, **__: failed)


def test_a_program_that_highs_refuses_is_told_in_its_words() -> None:
    linear = LpProblem("refused", LpMinimize)
    x, y = linear.add_variable("x", 0, 1), linear.add_variable("y", 0, 1)
    linear += x + y
    linear += 1e20 * x + y <= 1, "row"
    run = minimise(linear, ends_at=9.0, clock=lambda: 0.0, seed=0)
    assert (run.outcome, run.bound) == (Outcome.FAILED, 0.0)
    assert "greater than" in run.error
    assert "1e+15" in run.error


@pytest.mark.usefixtures("failing")
def test_where_something_fits_it_is_the_answer_with_the_solvers_words() -> None:
    solution = answer(problem(0.4, 0.4))
    assert (solution.status, solution.decided_by) == (Status.FEASIBLE, "first fit")
    assert solution.reasons == ("the solver failed: Solve error",)


@pytest.mark.usefixtures("failing")
def test_where_nothing_is_found_the_answer_is_that_the_solver_failed() -> None:
    # The first fit puts 0.4 and 0.5 on n1, then 0.5 on n2, and 0.6 finds no room.
    solution = answer(problem(0.4, 0.5, 0.5, 0.6))
    assert solution.placement is None
    assert solution.status is Status.FAILED
    assert solution.reasons == ("the solver failed: Solve error",)


def test_a_load_beyond_all_capacities_is_no_number_that_the_solver_refuses() -> None:
    # 1e15 cores on a node of 1e-9 would be 1e27 thousandths of its capacity.
    solution = answer(problem(1e15, 1.0, room=(1e-9, inf)))
    assert solution.status is Status.OPTIMAL
    assert solution.placement == {"o0": "n2", "o1": "n2"}
    asked = PlacementProblem(
        tuple(Operator(name) for name in "ab"),
        (Stream("a", "b", rate=1e15, tuple_bytes=1e15),),
        (Node("n1"), Node("n2", operators=1)),
        {("n1", "n2"): Link(0.0, bandwidth=1e-9), ("n2", "n1"): Link(0.0, bandwidth=0)},
    )
    assert answer(asked, "T=1").placement == {"a": "n1", "b": "n1"}


def test_where_the_binding_constraints_are_not_found_the_answer_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 0.8 + 0.8 + 0.4 cores fill two nodes of 1, but not in these pieces.
    failed = None, "the solver failed: Solve error"
    monkeypatch.setattr(infeasibility, "least_overload", lambda *_, **__: failed)
    solution = answer(problem(0.8, 0.8, 0.4))
    assert solution.status is Status.INFEASIBLE
    assert solution.reasons == (
        (
            "the constraints leave no placement; which of them bind was not found: "
            "the solver failed: Solve error"
        ),
    )
