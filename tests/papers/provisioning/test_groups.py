"""What a group takes of its machine, (1) and (2), agrees with the sums over a whole provision."""

import pytest
from eyewall_papers.provisioning import Machine, Provision, ProvisioningProblem
from eyewall_papers.provisioning.groups import ProvisioningArrays, bits, places_in
from eyewall_papers.provisioning.utilisation import loads
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from provisioning_trees import LARGE, SMALL, tree_of
from random_provisioning import provisioning_problems


def test_operators_of_a_group_share_downloads_and_exchange_nothing_over_the_card() -> None:
    # a and b use k (3 bytes/s) and send 2 and 4 bytes/s to r. Together a and b download k once and
    # send 2 + 4: card 3 + 6 = 9. With r, nothing leaves: card 3.
    problem = tree_of(
        {"a": 1, "b": 2, "r": 0.5},
        {("a", "r"): 2, ("b", "r"): 4},
        {"a": ["k"], "b": ["k"]},
        rates={"k": 3},
    )
    instance = ProvisioningArrays.of(problem)
    assert instance.group(bits([0, 1])).card == 9
    assert instance.group(bits([0, 1])).cpu == 3
    assert instance.group(bits([0, 1, 2])).card == 3


def test_types_are_sorted_by_price_and_a_group_is_held_by_those_that_are_large_enough() -> None:
    problem = tree_of({"a": 3}, {}, {"a": ["k"]}, types=(LARGE, SMALL))
    instance = ProvisioningArrays.of(problem)
    assert [it.name for it in instance.types] == ["small", "large"]
    # 3 > 2 cores of the small one
    assert not instance.holds(0, instance.alone[0])
    assert instance.holds(1, instance.alone[0])


@given(problem=provisioning_problems(operators=8), seed=st.integers(0, 2**32))
def test_what_some_machine_holds_together_could_share_one_before_streams_are_looked_at(
    problem: ProvisioningProblem, seed: int
) -> None:
    instance = ProvisioningArrays.of(problem)
    among = default_rng(seed).integers(3, size=len(problem.operators)).tolist()
    parts = [
        instance.group(bits(it for it in instance.operators if among[it] == part))
        for part in set(among)
    ]
    whole = instance.group(bits(instance.operators))
    held = any(instance.holds(it, whole) for it in range(len(instance.types)))
    assert instance.could_share(parts) or not held


def test_groups_that_work_more_than_any_machine_could_share_none() -> None:
    # 5 + 4 cores: the large machine has 8.
    instance = ProvisioningArrays.of(tree_of({"a": 5, "b": 4}, {("a", "b"): 1}, {"a": ["k"]}))
    assert not instance.could_share([instance.alone[0], instance.alone[1]])
    assert instance.could_share([instance.alone[0]])


@given(problem=provisioning_problems(operators=8), seed=st.integers(0, 2**32))
def test_what_a_group_takes_is_what_its_machine_carries_in_a_whole_provision(
    problem: ProvisioningProblem, seed: int
) -> None:
    instance = ProvisioningArrays.of(problem)
    machines = tuple(Machine(f"m{it}", problem.types[0]) for it in range(3))
    at = default_rng(seed).integers(3, size=len(problem.operators)).tolist()
    placement = {it.id: f"m{u}" for it, u in zip(problem.operators, at, strict=True)}
    downloads = {
        (f"m{at[place]}", name): problem.holders(name)[0].id
        for place, it in enumerate(problem.operators)
        for name in problem.needed(it.id)
    }
    taken = loads(problem, Provision(machines, placement, downloads))
    for machine in set(at):
        members = bits(place for place in instance.operators if at[place] == machine)
        group = instance.group(members)
        assert group.cpu == pytest.approx(taken.cpu[f"m{machine}"])
        assert group.card == pytest.approx(taken.card.get(f"m{machine}", 0.0))
        assert list(places_in(group.members)) == [it for it in range(len(at)) if at[it] == machine]
        for other in set(at) - {machine}:
            ends = tuple(sorted((f"m{machine}", f"m{other}")))
            theirs = bits(place for place in instance.operators if at[place] == other)
            assert instance.between(members, theirs) == pytest.approx(
                taken.link.get((ends[0], ends[1]), 0.0)
            )
