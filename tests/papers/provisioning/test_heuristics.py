"""What all seven heuristics of paper 003 keep to, on random problems."""

import pytest
from eyewall_papers.provisioning import ProvisioningProblem, violations
from eyewall_papers.provisioning.heuristics import HEURISTICS, HeuristicFailure
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from random_provisioning import provisioning_problems

PROBLEMS = provisioning_problems(operators=9)


@pytest.mark.parametrize("name", HEURISTICS)
@given(problem=PROBLEMS, seed=st.integers(0, 2**32))
def test_a_heuristic_finds_a_valid_provision_or_names_what_failed(
    name: str, problem: ProvisioningProblem, seed: int
) -> None:
    found = HEURISTICS[name](problem, default_rng(seed))
    if isinstance(found, HeuristicFailure):
        known = [it.id for it in problem.operators] + [it.id for it in problem.objects]
        assert found.subject in known
        assert found.subject in found.reason
        return
    assert violations(problem, found) == ()
    assert set(found.placement) == {it.id for it in problem.operators}


@pytest.mark.parametrize("name", HEURISTICS)
@given(problem=PROBLEMS, seed=st.integers(0, 2**32))
def test_the_same_problem_and_seed_give_the_same_answer(
    name: str, problem: ProvisioningProblem, seed: int
) -> None:
    one, other = (HEURISTICS[name](problem, default_rng(seed)) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("name", HEURISTICS)
@given(problem=PROBLEMS, seed=st.integers(0, 2**32))
def test_no_machine_can_be_exchanged_for_a_cheaper_one_by_itself(
    name: str, problem: ProvisioningProblem, seed: int
) -> None:
    found = HEURISTICS[name](problem, default_rng(seed))
    if isinstance(found, HeuristicFailure):
        return
    # Machines are downgraded one after the other: a later one may give back what an earlier one
    # could have used, and links may depend on both ends' types. Elsewhere each is the cheapest.
    if problem.links or any(it.count < float("inf") for it in problem.types):
        return
    for machine in found.machines:
        for cheaper in problem.types:
            if cheaper.price < machine.type.price:
                machines = tuple(
                    type(it)(it.id, cheaper) if it.id == machine.id else it for it in found.machines
                )
                exchanged = type(found)(machines, found.placement, found.downloads)
                assert violations(problem, exchanged)
