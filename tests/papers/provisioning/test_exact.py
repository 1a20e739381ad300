"""The cheapest platform against all platforms of tiny problems, and engine against engine."""

import re
from dataclasses import replace
from itertools import count
from math import inf

import pytest
from every_provision import least_price
from eyewall_papers.provisioning import (
    DataServer,
    MachineType,
    Provision,
    ProvisioningProblem,
    violations,
)
from eyewall_papers.provisioning.blobs import blobs
from eyewall_papers.provisioning.exact import exact, solve_by_subsets
from eyewall_papers.provisioning.machine_search import solve_program
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.model import Operator, Status
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_provisioning import Shape, Traits, provisioning_problems, random_provisioning
from small_provisioning import LARGE, SMALL, apart, pair, together

EXAMPLES = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
FEWER = settings(EXAMPLES, max_examples=30)


def stopped() -> float:
    """Return the same time at each call."""
    return 0.0


def answer(problem: ProvisioningProblem, start: Provision | None = None) -> tuple[Status, float]:
    solution, provision = exact(problem, time_limit=60, seed=0, clock=stopped, start=start)
    return solution.status, inf if provision is None else provision.price


def test_one_large_machine_is_bought_where_it_costs_less_than_two_small_ones() -> None:
    # a and b take 3 of 4 cores each: two small machines for 20, or both on a large one for 16.
    assert answer(pair()) == (Status.OPTIMAL, 16)


def test_two_small_machines_are_bought_where_they_cost_less_than_a_large_one() -> None:
    dear = replace(LARGE, price=21.0)
    assert answer(pair(types=(SMALL, dear))) == (Status.OPTIMAL, 20)


def test_a_flow_that_no_link_carries_keeps_its_operators_together() -> None:
    dear = replace(LARGE, price=21.0)
    assert answer(pair(types=(SMALL, dear), link=1)) == (Status.OPTIMAL, 21)


def test_each_machine_of_an_existing_platform_is_used_once() -> None:
    # One small machine only: 10 for it and 21 for the other, against 21 for both on the large one.
    types = (replace(SMALL, count=1.0), replace(LARGE, price=21.0))
    assert answer(pair(types=types)) == (Status.OPTIMAL, 21)


def test_an_existing_platform_that_is_too_small_makes_a_problem_infeasible() -> None:
    # 3 of 4 cores on the small machine; the tiny one makes it 6 in all, but holds neither operator.
    types = (replace(SMALL, count=1.0), MachineType("tiny", cpu=2, card=10, price=1, count=1))
    solution, provision = exact(pair(types=types), time_limit=60, seed=0, clock=stopped)
    assert provision is None
    assert solution.status is Status.INFEASIBLE
    assert solution.reasons == (
        (
            "the numbers of available machines leave no valid provision; without them "
            "there is one for 20"
        ),
    )


def test_a_server_that_cannot_send_twice_keeps_the_users_of_its_object_together() -> None:
    # Two small machines would both download k: 10 bytes/s from a card of 9.
    server = DataServer("s", ("k",), card=9)
    dear = replace(LARGE, price=21.0)
    problem = replace(
        pair(types=(SMALL, dear), servers=(server,)), needs={"a": ("k",), "b": ("k",)}
    )
    assert answer(problem) == (Status.OPTIMAL, 21)


def test_the_value_and_the_bound_of_an_optimum_are_its_price() -> None:
    solution, provision = exact(pair(), time_limit=60, seed=0, clock=stopped)
    assert provision is not None
    assert solution.evaluation is not None
    assert solution.evaluation.value == solution.bound == provision.price == 16
    assert solution.gap == 0
    assert solution.placement == provision.placement


@pytest.mark.parametrize("operators", [2, 15, 25])
def test_machines_that_are_free_and_without_limits_are_no_special_case(operators: int) -> None:
    free = MachineType("free", cpu=inf, card=inf, price=0)
    names = [f"o{place}" for place in range(operators)]
    problem = ProvisioningProblem(tuple(Operator(it, cpu=1) for it in names), (), (free,))
    assert answer(problem) == (Status.OPTIMAL, 0)


def test_a_start_that_is_the_optimum_is_the_answer() -> None:
    start = together()
    solution, provision = exact(pair(), time_limit=60, seed=0, clock=stopped, start=start)
    assert provision == start
    assert solution.status is Status.OPTIMAL


def test_a_start_that_breaks_a_constraint_is_ignored_with_a_reason() -> None:
    solution, provision = exact(pair(), time_limit=60, seed=0, clock=stopped, start=together(SMALL))
    assert provision is not None
    assert provision.price == 16
    assert solution.reasons == ("the start is no valid provision: node u: cpu 6 placed, 4 there",)


def test_a_start_is_the_answer_when_no_time_is_left_with_its_gap() -> None:
    # 30 operators of 1 core, far more than are split by subsets; the time is over before the
    # program ran. The cheapest platform has 30 / 8 → 4 large machines for 64; the start has 5.
    types = (SMALL, LARGE)
    names = [f"o{place}" for place in range(30)]
    problem = ProvisioningProblem(tuple(Operator(it, cpu=1) for it in names), (), types)
    _, best = exact(problem, time_limit=60, seed=0, clock=stopped)
    assert best is not None
    machine = replace(best.machines[0], id="spare")
    moved = {**best.placement, names[0]: "spare"}
    start = replace(best, machines=(*best.machines, machine), placement=moved)
    assert violations(problem, start) == ()
    solution, provision = exact(
        problem, time_limit=1e-9, seed=0, clock=count(0.0, 1.0).__next__, start=start
    )
    assert provision == start
    assert solution.status is Status.FEASIBLE
    assert solution.bound is not None
    assert solution.bound <= best.price
    assert solution.gap == pytest.approx((start.price - solution.bound) / start.price)


def test_without_time_and_start_there_is_no_answer_but_a_reason() -> None:
    names = [f"o{place}" for place in range(30)]
    problem = ProvisioningProblem(tuple(Operator(it, cpu=1) for it in names), (), (SMALL,))
    solution, provision = exact(problem, time_limit=1e-9, seed=0, clock=count(0.0, 1.0).__next__)
    assert provision is None
    assert solution.status is Status.TIMED_OUT
    assert solution.reasons == ("the time limit ended the search before any provision was found",)


def test_a_program_with_more_variables_than_there_is_time_for_is_not_built() -> None:
    # 60 operators that share nothing: more than are split by subsets. A thousandth of a second is
    # enough for 50 variables, and one machine alone takes 60 + 2 types of them, and two numbers.
    workers = ProvisioningProblem(
        operators=tuple(Operator(f"o{it}", cpu=3) for it in range(60)),
        streams=(),
        types=(SMALL, LARGE),
    )
    solution, provision = exact(workers, time_limit=1e-3, seed=0, clock=stopped)
    assert (solution.status, provision) == (Status.TIMED_OUT, None)
    assert re.fullmatch(
        r"the integer program was not built: it may have \d+ variables, and 50 are solved in the "
        "time that is left",
        solution.reasons[1],
    )


def test_a_program_whose_rows_are_too_long_is_not_built_either() -> None:
    # 1,100 operators of 3 cores: 333 fit on a machine of 1,000, so four machines are needed, and a
    # fifth is allowed for. Variables are few, 5 · 1,101 + 1; entries are 5 · 1,100² / 2.
    wide = MachineType("wide", cpu=1_000, card=10, price=10)
    workers = ProvisioningProblem(
        tuple(Operator(f"o{it}", cpu=3) for it in range(1_100)), (), (wide,)
    )
    joined = blobs(workers)
    found = solve_program(workers, joined, known=60.0, ends_at=60.0, clock=stopped, seed=0)
    assert "its rows may have 3025000 entries" in found.remark


@EXAMPLES
@given(provisioning_problems(operators=5))
def test_no_provision_of_a_tiny_problem_is_cheaper(problem: ProvisioningProblem) -> None:
    least = least_price(problem)
    solution, provision = exact(problem, time_limit=60, seed=0, clock=stopped)
    if provision is None:
        assert (solution.status, least) == (Status.INFEASIBLE, inf)
    else:
        assert violations(problem, provision) == ()
        assert solution.status is Status.OPTIMAL
        assert provision.price == pytest.approx(least)


@FEWER
@given(provisioning_problems(operators=9))
def test_the_integer_program_and_the_prices_of_subsets_agree(problem: ProvisioningProblem) -> None:
    joined = blobs(problem)
    split = solve_by_subsets(problem, joined, ends_at=inf, clock=stopped)
    solved = solve_program(problem, joined, ends_at=60.0, clock=stopped, seed=0)
    assert split.outcome is solved.outcome
    assert split.outcome in (Outcome.OPTIMAL, Outcome.INFEASIBLE)
    for found in (split, solved):
        assert found.provision is None or violations(problem, found.provision) == ()
    if split.provision and solved.provision:
        assert split.provision.price == pytest.approx(solved.provision.price)


@FEWER
@given(st.integers(0, 10_000))
def test_both_engines_agree_on_existing_platforms_with_links_by_type(seed: int) -> None:
    traits = Traits(Shape.DAG, counted=True, narrow=True, by_type=True)
    problem = random_provisioning(seed, traits, operators=7)
    joined = blobs(problem)
    split = solve_by_subsets(problem, joined, ends_at=inf, clock=stopped)
    solved = solve_program(problem, joined, ends_at=60.0, clock=stopped, seed=0)
    assert split.outcome is solved.outcome
    if split.provision and solved.provision:
        assert split.provision.price == pytest.approx(solved.provision.price)


@FEWER
@given(provisioning_problems(operators=7))
def test_more_machine_types_to_choose_from_never_cost_more(problem: ProvisioningProblem) -> None:
    _, few = answer(problem)
    extra = MachineType("extra", cpu=4, card=16, price=20)
    _, many = answer(replace(problem, types=(*problem.types, extra)))
    assert many <= few + 1e-9


@FEWER
@given(provisioning_problems(operators=7))
def test_a_lower_rate_never_costs_more(problem: ProvisioningProblem) -> None:
    assert answer(problem.at(problem.throughput / 2))[1] <= answer(problem)[1] + 1e-9


def test_the_given_start_bounds_the_search_in_both_engines() -> None:
    # Nothing is cheaper than 16: below 16 both engines say that there is nothing.
    problem = pair()
    joined = blobs(problem)
    for found in (
        solve_by_subsets(problem, joined, known=16.0, ends_at=inf, clock=stopped),
        solve_program(problem, joined, known=16.0, ends_at=60.0, clock=stopped, seed=0),
    ):
        assert (found.outcome, found.provision, found.bound) == (Outcome.INFEASIBLE, None, 16)
    assert answer(problem, apart()) == (Status.OPTIMAL, 16)
