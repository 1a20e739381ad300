"""Our own heuristic: never dearer than the best of the seven, and feasible wherever one is."""

from itertools import count
from math import inf

import pytest
from every_provision import least_price
from eyewall_papers.provisioning import DataServer, ProvisioningProblem, violations
from eyewall_papers.provisioning.heuristics import HEURISTICS, FailedStep, HeuristicFailure
from eyewall_papers.provisioning.provision import ProvisionSolution
from eyewall_papers.provisioning.repair import repair
from eyewall_sidecar.model import Status
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from provisioning_trees import LARGE, tree_of
from random_provisioning import provisioning_problems, random_provisioning

FEW = settings(max_examples=settings().max_examples // 2)
TICKS = 150.0
"""How often the clock is asked before the time is up."""


def repaired(
    problem: ProvisioningProblem, seed: int = 0, ticks: float = TICKS
) -> ProvisionSolution:
    """Ask for an answer, with a clock that ticks whenever it is asked."""
    ticking = count()
    return repair(problem, time_limit=ticks, seed=seed, clock=lambda: float(next(ticking)))


def prices(problem: ProvisioningProblem, seed: int) -> list[float]:
    """Return what the paper's heuristics find."""
    answers = [it(problem, default_rng(seed)) for it in HEURISTICS.values()]
    return [it.price for it in answers if not isinstance(it, HeuristicFailure)]


@FEW
@given(problem=provisioning_problems(operators=9), seed=st.integers(0, 2**32))
def test_it_is_never_dearer_than_the_best_of_the_seven_and_breaks_nothing(
    problem: ProvisioningProblem, seed: int
) -> None:
    theirs = prices(problem, seed)
    solution, provision = repaired(problem, seed)
    if provision is None:
        assert theirs == []
        assert solution.status in (Status.TIMED_OUT, Status.INFEASIBLE)
        assert solution.reasons
        return
    assert violations(problem, provision) == ()
    assert provision.price <= min(theirs, default=float("inf"))
    assert solution.status is Status.HEURISTIC
    assert solution.evaluation is not None
    assert solution.evaluation.value == pytest.approx(provision.price)
    assert solution.bound is not None
    assert solution.bound <= provision.price
    assert solution.placement == provision.placement


@FEW
@given(problem=provisioning_problems(operators=4), seed=st.integers(0, 2**32))
def test_it_is_never_cheaper_than_the_cheapest_of_all_provisions(
    problem: ProvisioningProblem, seed: int
) -> None:
    solution, provision = repaired(problem, seed)
    least = least_price(problem)
    if solution.status is Status.INFEASIBLE:
        assert least == inf
    if provision is not None:
        assert provision.price >= least * (1 - 1e-9)


@settings(FEW, max_examples=FEW.max_examples // 2)
@given(problem=provisioning_problems(operators=7), seed=st.integers(0, 2**32))
def test_the_same_seed_and_clock_give_the_same_answer(
    problem: ProvisioningProblem, seed: int
) -> None:
    assert repaired(problem, seed, 40.0) == repaired(problem, seed, 40.0)


def test_a_placement_whose_downloads_no_server_can_send_to_one_machine_is_split() -> None:
    # All three operators fit on one large machine, but s's link to it carries k and l only
    # together (2 of 2 bytes/s), not m. Comm-Greedy, Subtree-Bottom-Up and Comp-Greedy put all on
    # it and fail; two small machines serve, 20.
    problem = tree_of(
        {"r": 0.5, "a": 0.5, "b": 0.5},
        {("a", "r"): 1, ("b", "r"): 1},
        {"a": ["k"], "b": ["l"], "r": ["m"]},
        servers=[DataServer("s", ("k", "l", "m"), card=10, link=2)],
    )
    for name in ("comp-greedy", "comm-greedy", "subtree-bottom-up"):
        failure = HEURISTICS[name](problem, default_rng(0))
        assert isinstance(failure, HeuristicFailure)
        assert failure.step is FailedStep.SERVERS
    _, provision = repaired(problem)
    assert provision is not None
    assert provision.price == 20


def test_downloads_that_fill_two_servers_to_the_last_byte_are_served() -> None:
    # 3 + 3 + 2 and 4 + 4 fill two cards of 8: largest first, greedily, 4 3 | 4 3 leaves no room
    # for 2, and all seven fail. All on one large machine, 25: a small one's card has 10 of 16.
    rates = {"k": 3.0, "l": 3.0, "m": 2.0, "n": 4.0, "o": 4.0}
    held = tuple(rates)
    problem = tree_of(
        {"a": 0.2, "b": 0.2, "c": 0.2},
        {("a", "b"): 30, ("b", "c"): 30},
        {"a": ["k", "l"], "b": ["m", "n"], "c": ["o"]},
        rates=rates,
        servers=[DataServer("s", held, card=8), DataServer("t", held, card=8)],
    )
    assert prices(problem, 0) == []
    _, provision = repaired(problem)
    assert provision is not None
    assert violations(problem, provision) == ()
    assert provision.price == 25


def test_it_improves_on_what_all_seven_find() -> None:
    # 16 cores fill two machines of 8: 4 + 2 + 2 and 3 + 3 + 2. Most demanding first, 4 + 3 leaves
    # one core unused, and joining streams or subtrees does not add up to 8 either.
    problem = tree_of(
        {"a": 4, "b": 3, "c": 3, "d": 2, "e": 2, "f": 2},
        {("a", "b"): 9, ("b", "c"): 1, ("c", "d"): 9, ("d", "e"): 1, ("e", "f"): 1},
        {"a": ["k"]},
        types=(LARGE,),
    )
    assert min(prices(problem, 0)) == 75
    _, provision = repaired(problem, ticks=400.0)
    assert provision is not None
    assert provision.price == 50


def test_an_operator_that_no_machine_runs_makes_the_problem_infeasible() -> None:
    # 9 cores of 8
    solution, provision = repaired(tree_of({"a": 9}, {}, {"a": ["k"]}))
    assert provision is None
    assert solution.status is Status.INFEASIBLE
    assert any("operator a" in it for it in solution.reasons)


def test_it_ends_when_nothing_can_be_cheaper() -> None:
    # One small machine is the least that can be bought, and all seven find it: nothing is rebuilt.
    problem = tree_of({"a": 1}, {}, {"a": ["k"]})
    solution, provision = repaired(problem, ticks=1e9)
    assert provision is not None
    assert provision.price == 10
    assert solution.bound == pytest.approx(10)
    assert solution.evaluated == 0


@example(
    problem=random_provisioning(2634, operators=5), seed=7
)  # solved by Random with seed 7 only
@given(problem=provisioning_problems(operators=5), seed=st.integers(0, 2**32))
def test_without_time_it_still_answers_with_the_best_of_the_seven(
    problem: ProvisioningProblem, seed: int
) -> None:
    _, provision = repair(problem, time_limit=0.0, seed=seed, clock=lambda: 0.0)
    assert (provision.price if provision else inf) == min(prices(problem, seed), default=inf)


@given(problem=provisioning_problems(operators=4), seed=st.integers(0, 2**32))
def test_its_bound_is_below_the_cheapest_of_all_even_where_it_finds_another(
    problem: ProvisioningProblem, seed: int
) -> None:
    solution, _ = repaired(problem, seed, ticks=4.0)
    if solution.bound is not None:
        assert solution.bound <= least_price(problem)
