"""Trees of paper 003's workload on which its heuristics fail, or are far from the optimum."""

from itertools import count
from time import perf_counter

from eyewall_papers.experiments.paper_003.workload import (
    BIG,
    WorkloadReading,
    WorkloadSetting,
    problem,
)
from eyewall_papers.provisioning import Provision, ProvisioningProblem
from eyewall_papers.provisioning.exact import exact
from eyewall_papers.provisioning.heuristics import HEURISTICS, FailedStep, HeuristicFailure
from eyewall_papers.provisioning.repair import repair
from eyewall_sidecar.model import Status
from numpy.random import default_rng


def least_of_seven(drawn: ProvisioningProblem) -> float:
    """Return the price of the best of the paper's heuristics."""
    answers = [it(drawn, default_rng(0)) for it in HEURISTICS.values()]
    return min(it.price for it in answers if isinstance(it, Provision))


def repaired_price(drawn: ProvisioningProblem) -> float | None:
    """Return what our method pays, with a clock that ticks whenever it is asked."""
    ticking = count()
    _, provision = repair(drawn, time_limit=600.0, seed=0, clock=lambda: float(next(ticking)))
    return provision.price if provision else None


def test_the_optimum_is_found_where_all_seven_miss_it() -> None:
    # A tree found by trying seeds: the cheapest of the seven is a platform dearer than the optimum.
    drawn = problem(WorkloadSetting(25, 1.1, BIG), 3, WorkloadReading())
    assert least_of_seven(drawn) == 25942
    solution, best = exact(drawn, time_limit=60.0, seed=0, clock=perf_counter)
    assert best is not None
    assert (solution.status, best.price) == (Status.OPTIMAL, 24392)
    assert repaired_price(drawn) == 24392


def test_a_cheap_placement_that_cannot_be_served_is_repaired_and_not_given_up() -> None:
    # What the paper saw at N = 34-36, 41 and 42: all on one machine, and the links of 1 GB/s from
    # servers do not carry its downloads. What the others buy costs 4.2 times as much.
    drawn = problem(WorkloadSetting(40, 0.9, BIG, replicas=1), 3, WorkloadReading())
    failure = HEURISTICS["subtree-bottom-up"](drawn, default_rng(0))
    assert isinstance(failure, HeuristicFailure)
    assert failure.step is FailedStep.SERVERS
    assert least_of_seven(drawn) == 86660
    assert repaired_price(drawn) == 20643
