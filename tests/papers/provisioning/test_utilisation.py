"""How full things are and what rate that allows, by hand and against the constraints themselves."""

from dataclasses import replace
from math import inf, isinf

import pytest
from eyewall_papers.provisioning import DataServer, ProvisioningProblem, violations
from eyewall_papers.provisioning.exact import exact
from eyewall_papers.provisioning.utilisation import (
    CARD,
    CPU,
    LINK,
    overloads_at,
    sustained_throughput,
    utilisation,
)
from eyewall_sidecar.model import Operator
from hypothesis import given, settings
from random_provisioning import provisioning_problems
from small_provisioning import apart, pair, together


def stopped() -> float:
    return 0.0


def test_work_that_fills_a_machine_ends_the_rate() -> None:
    # a and b take 6 of 8 cores at 1/s: 8 / 6 results/s.
    assert sustained_throughput(pair(), together()) == pytest.approx(8 / 6)


def test_downloads_do_not_grow_with_the_rate_and_flows_do() -> None:
    # u's card: 5 + 2 ρ ≤ 10 → ρ = 2.5. v's: 2 ρ ≤ 10 → 5. Nothing works.
    assert sustained_throughput(pair(works=(0, 0)), apart()) == pytest.approx(2.5)


def test_a_link_ends_the_rate() -> None:
    # 2 ρ ≤ 3.
    assert sustained_throughput(pair(works=(0, 0), link=3), apart()) == pytest.approx(1.5)


def test_the_rate_is_in_results_a_second_at_any_requested_throughput() -> None:
    # 0.5 results/s take 3 of 8 cores: still 8 / 6.
    assert sustained_throughput(pair(throughput=0.5), together()) == pytest.approx(8 / 6)


def test_nothing_ends_the_rate_of_what_takes_nothing() -> None:
    assert sustained_throughput(pair(works=(0, 0), flow=0), together()) == inf


def test_downloads_that_are_too_much_already_leave_no_rate() -> None:
    problem = pair(servers=(DataServer("s", ("k",), card=4),))
    assert sustained_throughput(problem, together()) == 0


def test_what_would_break_at_more_than_the_rate_is_named_with_load_and_limit() -> None:
    # At 1.4 times the rate: 8.4 of 8 cores.
    (broken,) = overloads_at(pair(), together(), 1.4)
    assert (broken.constraint, broken.name, broken.limit) == (CPU, "u", 8)
    assert broken.load == pytest.approx(8.4)
    assert overloads_at(pair(), together(), 1.3) == ()


def test_several_limits_break_in_the_order_of_the_constraints() -> None:
    # At 3 times the rate: a and b take 9 of 4 cores each, u's card carries 5 + 6 of 10, the link 6
    # of 5.
    broken = [(it.constraint, it.name) for it in overloads_at(pair(link=5), apart(), 3)]
    assert broken == [(CPU, "u"), (CPU, "v"), (CARD, "u"), (LINK, "u – v")]


def test_memory_and_servers_do_not_depend_on_the_rate() -> None:
    server = DataServer("s", ("k",), card=5, link=5)
    operators = (Operator("a", cpu=0, memory=3), Operator("b", cpu=0))
    problem = replace(pair(servers=(server,), flow=0), operators=operators)
    assert overloads_at(problem, together(), 1000) == ()


def test_a_share_is_what_is_taken_of_what_is_there_and_unknown_where_nothing_limits() -> None:
    # a and b take 6 of 8 cores; k is downloaded at 5 bytes/s; the server's card has no limit.
    uses = {(it.constraint, it.name): it for it in utilisation(pair(), together())}
    assert uses[CPU, "u"].share == 6 / 8
    assert uses[CARD, "u"].load == uses[CARD, "u"].fixed == 5
    assert [it.share for it in uses.values() if isinf(it.limit)] == [
        None for it in uses.values() if isinf(it.limit)
    ]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(provisioning_problems(operators=6))
def test_a_provision_is_valid_at_the_rate_that_it_sustains_and_at_none_above(
    problem: ProvisioningProblem,
) -> None:
    _, provision = exact(problem, time_limit=60, seed=0, clock=stopped)
    if provision is None:
        return
    rate = sustained_throughput(problem, provision)
    assert rate >= problem.throughput * (1 - 1e-9)
    if isinf(rate):
        assert violations(problem.at(1e6), provision) == ()
    else:
        assert violations(problem.at(rate), provision) == ()
        assert violations(problem.at(rate * 1.0001), provision) != ()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(provisioning_problems(operators=6))
def test_what_breaks_at_a_rate_is_as_many_constraints_as_are_broken_there(
    problem: ProvisioningProblem,
) -> None:
    _, provision = exact(problem, time_limit=60, seed=0, clock=stopped)
    if provision is not None:
        sentences = violations(problem.at(2 * problem.throughput), provision)
        assert len(overloads_at(problem, provision, 2)) == len(sentences)
