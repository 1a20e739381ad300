"""The traps between a solver's answer and a true one, each with a case that fell into it."""

import json
from collections.abc import Callable
from itertools import count
from math import inf
from random import Random

import highspy
import pytest
from eyewall_sidecar.exact import search, solve
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.exact.integer_program import create_program
from eyewall_sidecar.model import (
    Link,
    Node,
    Operator,
    PlacementProblem,
    Solution,
    Status,
    Stream,
    violations,
)
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.problem_file.answer import answer as to_json


def stopped() -> float:
    """Tell the same time whenever asked, so that a limit is the solver's alone."""
    return 0.0


def answer(
    problem: PlacementProblem,
    objective: str,
    *,
    time_limit: float = 30.0,
    clock: Callable[[], float] = stopped,
) -> Solution:
    found = solve(problem, Objective.parse(objective), time_limit=time_limit, seed=0, clock=clock)
    assert found
    return found


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no engine find anything."""
    nothing = Finding(Outcome.NOTHING, remark="no time was left")
    for engine in ("branch_and_bound", "integer_program", "solve_closed_form"):
        monkeypatch.setattr(search, engine, lambda *_, **__: nothing)


def mesh(
    operators: int, nodes: int, streams: list[tuple[int, int]], *, room: float, work: float = 0.0
) -> PlacementProblem:
    """Operators alike, nodes alike, delays drawn once from 10 to 35 ms."""
    draw = Random(7)
    ids = [f"n{u}" for u in range(nodes)]
    return PlacementProblem(
        operators=tuple(Operator(f"o{i}", execution_time=work) for i in range(operators)),
        streams=tuple(Stream(f"o{i}", f"o{j}") for i, j in streams),
        nodes=tuple(Node(u, operators=room) for u in ids),
        links={(u, v): Link(draw.uniform(0.010, 0.035)) for u in ids for v in ids if u != v},
    )


def test_time_that_every_placement_needs_does_not_make_a_gap_look_small() -> None:
    # Pitfall 1: eight operators of 1000 s each dwarf the 20 ms of the network. HiGHS's default gap
    # of 1e-4 allows 0.8 s; the network's part must be the optimum's all the same.
    chain = [(i, i + 1) for i in range(7)]
    quick = answer(mesh(8, 4, chain, room=3), "R=1")
    slow = answer(mesh(8, 4, chain, room=3, work=1000.0), "R=1")
    assert quick.evaluation is not None
    assert slow.evaluation is not None
    assert slow.evaluation.metrics[Term.R] - 8000 == pytest.approx(
        quick.evaluation.metrics[Term.R], abs=1e-9
    )


def test_terms_that_cannot_differ_count_0_in_a_weighted_sum() -> None:
    # Pitfall 2: everything is always up (log A is 0 at both ends), and rates are 0 (so is N).
    problem = PlacementProblem(
        (Operator("a", candidates=("n1",)), Operator("b", candidates=("n1", "n2"))),
        (Stream("a", "b", rate=0),),
        (Node("n1"), Node("n2")),
        {("n1", "n2"): Link(0.02), ("n2", "n1"): Link(0.02)},
    )
    solution = answer(problem, "R=0.5,A=0.2,N=0.3")
    assert solution.status is Status.OPTIMAL
    assert solution.evaluation is not None
    assert solution.evaluation.value == pytest.approx(0.5)
    assert solution.evaluation.ranges[Term.A].coincide
    assert solution.evaluation.ranges[Term.N].coincide
    assert not solution.evaluation.ranges[Term.R].coincide


def test_an_incumbent_at_the_time_limit_is_not_called_optimal() -> None:
    # Pitfall 3: PuLP's status of a time-limited incumbent is "Optimal". A full layered graph of 40
    # operators on 20 nodes is not proven after a few slices of branching.
    layers = [(i, j) for i in range(38) for j in (i + 2 - i % 2, i + 3 - i % 2)]
    problem = mesh(40, 20, layers, room=3)
    solution = answer(problem, "N=1", time_limit=0.4, clock=count(0.0, 0.1).__next__)
    assert solution.status is Status.FEASIBLE
    assert solution.decided_by == "branch and bound"
    assert solution.evaluation is not None
    assert solution.placement is not None
    assert violations(problem, solution.placement) == ()
    assert solution.bound is not None
    assert 0 <= solution.bound < solution.evaluation.value
    assert solution.gap == pytest.approx(
        (solution.evaluation.value - solution.bound) / solution.evaluation.value
    )


def test_a_run_that_ends_before_any_incumbent_has_nothing_to_read() -> None:
    # Pitfall 3 again: the solver's columns hold numbers even then.
    program = create_program(mesh(6, 4, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], room=2), {})
    run = minimise(program.linear, ends_at=0.0, clock=stopped, seed=0)
    assert (run.outcome, run.error) == (Outcome.NOTHING, "")


@pytest.mark.usefixtures("no_time")
def test_without_an_incumbent_the_answer_is_what_fits_first_and_the_bound_of_the_best_case() -> (
    None
):
    problem = mesh(4, 3, [(0, 1), (1, 2), (2, 3)], room=2)
    solution = answer(problem, "R=1")
    assert solution.status is Status.FEASIBLE
    assert solution.decided_by == "first fit"
    assert solution.reasons == ("no time was left",)
    assert solution.bound == 0
    assert solution.placement is not None
    assert violations(problem, solution.placement) == ()


@pytest.mark.usefixtures("no_time")
def test_without_an_incumbent_a_current_placement_that_still_fits_is_kept() -> None:
    problem = mesh(4, 3, [(0, 1), (1, 2), (2, 3)], room=2)
    for second, decided_by in (("n0", "current placement"), ("n1", "first fit")):
        # With o1 on n1 there are three on n1, where two fit.
        current = {"o0": "n0", "o1": second, "o2": "n1", "o3": "n1"}
        running = PlacementProblem(
            problem.operators, problem.streams, problem.nodes, problem.links, current
        )
        assert answer(running, "R=1").decided_by == decided_by


def test_the_solver_gets_the_time_that_handing_the_program_over_and_reading_it_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The clock is looked at when the run starts and when the program is handed over: 4 s later, at
    # 4 s. Another 4 s are kept for reading: of 10 s the solver gets 2.
    limits: list[object] = []

    def noted(model: highspy.Highs) -> None:
        limits.append(model.getOptionValue("time_limit")[1])
        model.solve()

    monkeypatch.setattr(highspy.Highs, "run", noted)
    program = create_program(mesh(4, 3, [(0, 1), (1, 2), (2, 3)], room=2), {Term.R: 1.0})
    minimise(program.linear, ends_at=10.0, clock=count(0.0, 4.0).__next__, seed=0)
    assert limits == [2.0]


@pytest.mark.usefixtures("no_time")
def test_the_value_of_what_fails_for_certain_has_no_gap() -> None:
    # The first fit puts both on the dead node, which n1 could spare: log A is −∞, the bound is not.
    problem = PlacementProblem(
        (Operator("a"), Operator("b")),
        (Stream("a", "b"),),
        (Node("dead", availability=0), Node("n1", availability=0.5), Node("n2")),
        {(u, v): Link(0.1) for u in ("dead", "n1", "n2") for v in ("dead", "n1", "n2") if u != v},
    )
    late = answer(problem, "R=0.5,A=0.5")
    assert late.evaluation is not None
    assert late.evaluation.value == -inf
    assert late.gap is None
    assert json.loads(json.dumps(to_json(late), allow_nan=False))["objective"]["value"] is None


@pytest.mark.usefixtures("no_time")
def test_no_placement_within_the_time_limit_is_said_so() -> None:
    # Operators of 0.5, 0.5, 0.4, 0.4, 0.6 and 0.6 cores in this order on three nodes of 1 core: the
    # first fit puts 0.5 + 0.5 and 0.4 + 0.4 together, so only one 0.6 finds room.
    problem = PlacementProblem(
        tuple(Operator(f"o{i}", cpu=cpu) for i, cpu in enumerate((0.5, 0.5, 0.4, 0.4, 0.6, 0.6))),
        (),
        (Node("n1", cpu=1), Node("n2", cpu=1), Node("n3", cpu=1)),
        {(u, v): Link(0.1) for u in ("n1", "n2", "n3") for v in ("n1", "n2", "n3") if u != v},
    )
    late = answer(problem, "T=1", time_limit=1.0)
    assert late.status is Status.TIMED_OUT
    assert late.placement is None
    assert late.evaluation is None
    assert late.bound is None
    assert late.reasons == (
        "the time limit of 1 s ended the search before any placement was found",
        "no time was left",
    )


def test_what_the_first_fit_cannot_place_is_placed() -> None:
    # As above; 0.5 + 0.5, 0.4 + 0.6 and 0.4 + 0.6 fill the three nodes.
    problem = PlacementProblem(
        tuple(Operator(f"o{i}", cpu=cpu) for i, cpu in enumerate((0.5, 0.5, 0.4, 0.4, 0.6, 0.6))),
        (),
        (Node("n1", cpu=1), Node("n2", cpu=1), Node("n3", cpu=1)),
        {(u, v): Link(0.1) for u in ("n1", "n2", "n3") for v in ("n1", "n2", "n3") if u != v},
    )
    assert answer(problem, "T=1").status is Status.OPTIMAL


def test_metrics_come_from_the_placement_and_not_from_the_solvers_rounded_objective() -> None:
    # Pitfall 6: 1/3 has no short decimal.
    problem = PlacementProblem(
        (Operator("a", candidates=("n1",)), Operator("b", candidates=("n2",))),
        (Stream("a", "b", rate=1 / 3),),
        (Node("n1"), Node("n2")),
        {("n1", "n2"): Link(1 / 7), ("n2", "n1"): Link(1 / 7)},
    )
    solution = answer(problem, "N=1")
    assert solution.evaluation is not None
    assert solution.evaluation.value == 1 / 3 * (1 / 7)
    assert solution.bound == pytest.approx(1 / 21, rel=1e-9)


def test_equal_executors_with_unequal_rates_are_not_taken_for_each_other() -> None:
    # Pitfall 5: b1 and b2 look alike but for the rate from a; the greater one belongs on n1, next
    # to a. Ordering operators that look alike would lose this optimum for one of the two orders.
    for rates in ((1.0, 9.0), (9.0, 1.0)):
        problem = PlacementProblem(
            (Operator("a", candidates=("n1",)), Operator("b1"), Operator("b2")),
            (Stream("a", "b1", rates[0]), Stream("a", "b2", rates[1])),
            (Node("n1", operators=2), Node("n2", operators=1)),
            {("n1", "n2"): Link(0.1), ("n2", "n1"): Link(0.1)},
        )
        solution = answer(problem, "T=1")
        assert solution.evaluation is not None
        assert solution.evaluation.value == 1.0


class TestAvailabilityZero:
    """Pitfall 10: log 0 is no number."""

    DEAD = Node("dead", availability=0)

    def problem(self, room: float) -> PlacementProblem:
        return PlacementProblem(
            (Operator("a"), Operator("b")),
            (Stream("a", "b"),),
            (self.DEAD, Node("n1", operators=room, availability=0.5)),
            {("dead", "n1"): Link(0.01), ("n1", "dead"): Link(0.01)},
        )

    @pytest.mark.parametrize("objective", ["A=1", "R=0.5,A=0.5"])
    def test_a_node_that_is_never_up_is_avoided(self, objective: str) -> None:
        solution = answer(self.problem(room=2), objective)
        assert solution.placement == {"a": "n1", "b": "n1"}
        assert solution.status is Status.OPTIMAL

    @pytest.mark.parametrize("objective", ["A=1", "R=0.5,A=0.5"])
    def test_where_it_cannot_be_avoided_the_answer_says_so(self, objective: str) -> None:
        solution = answer(self.problem(room=1), objective)
        assert solution.status is Status.OPTIMAL
        assert solution.evaluation is not None
        assert solution.evaluation.metrics[Term.A] == 0
        assert solution.reasons == (
            "every valid placement needs a node or link of availability 0, so A is 0 for all",
        )

    def test_a_link_that_is_never_up_is_avoided_in_its_direction_only(self) -> None:
        # a on n1, b → a comes from n2; only the way back, n2 → n1, is broken.
        problem = PlacementProblem(
            (Operator("a", candidates=("n1", "n3")), Operator("b", candidates=("n2", "n3"))),
            (Stream("a", "b"), Stream("b", "a")),
            (Node("n1"), Node("n2"), Node("n3", availability=0.5)),
            {
                (u, v): Link(0.01, 0 if (u, v) == ("n2", "n1") else 1)
                for u in ("n1", "n2", "n3")
                for v in ("n1", "n2", "n3")
                if u != v
            },
        )
        solution = answer(problem, "A=1")
        assert solution.evaluation is not None
        # One of both on n3; two on n3 would give 0.25, a on n1 and b on n2 give 0.
        assert solution.evaluation.metrics[Term.A] == 0.5


def test_among_equal_placements_the_one_that_runs_now_is_kept() -> None:
    problem = mesh(3, 4, [(0, 1), (1, 2)], room=3)
    for node in ("n0", "n3"):
        current = dict.fromkeys(("o0", "o1", "o2"), node)
        running = PlacementProblem(
            problem.operators, problem.streams, problem.nodes, problem.links, current
        )
        solution = answer(running, "R=1")
        assert solution.placement == current
        assert solution.moves == 0
        assert solution.status is Status.OPTIMAL


def test_a_program_without_costs_ends() -> None:
    # Found with HiGHS 1.15.1: this very program, minimising nothing, ran for ever. It has a node
    # for one operator, one for three and links of availability 0 in it.
    ids = ("n0", "n1", "n2", "n3")
    broken = {("n2", "n0"), ("n3", "n2")}
    problem = PlacementProblem(
        tuple(Operator(f"o{i}", cpu=cpu) for i, cpu in enumerate((0.3, 0.0, 0.7, 0.7))),
        tuple(
            Stream(f"o{i}", f"o{j}", rate)
            for i, j, rate in ((1, 3, 0), (2, 1, 1), (1, 2, 100), (0, 2, 1), (2, 3, 100))
        ),
        (
            Node("n0", cpu=1, operators=1),
            Node("n1", cpu=2, operators=3, availability=0.9),
            Node("n2", operators=3, availability=0.9),
            Node("n3", cpu=1, operators=3),
        ),
        {(u, v): Link(0.0, 0 if (u, v) in broken else 1) for u in ids for v in ids if u != v},
    )
    program = create_program(problem, {})
    assert minimise(program.linear, ends_at=10, clock=stopped, seed=0).outcome is Outcome.OPTIMAL
    assert answer(problem, "N=1").status is Status.OPTIMAL


def test_an_unlimited_capacity_is_none() -> None:
    assert answer(mesh(3, 2, [(0, 1), (1, 2)], room=inf), "R=1").status is Status.OPTIMAL
