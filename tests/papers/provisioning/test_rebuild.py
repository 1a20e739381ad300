"""Ruin and recreate: who loses a machine, and where they get one again."""

from functools import reduce
from operator import or_

from eyewall_papers.provisioning import ProvisioningProblem
from eyewall_papers.provisioning.groups import ProvisioningArrays, bits
from eyewall_papers.provisioning.heuristics import HEURISTICS, HeuristicFailure
from eyewall_papers.provisioning.purchases import OwnedMachine
from eyewall_papers.provisioning.rebuild import rebuild, ruin
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from provisioning_trees import tree_of
from random_provisioning import provisioning_problems


@given(problem=provisioning_problems(operators=8), seed=st.integers(0, 2**32))
def test_kept_and_replaced_operators_are_all_of_them_and_each_fits(
    problem: ProvisioningProblem, seed: int
) -> None:
    instance = ProvisioningArrays.of(problem)
    rng = default_rng(seed)
    placed = HEURISTICS["comp-greedy"].place(instance, rng)
    if isinstance(placed, HeuristicFailure):
        return
    kept, loose = ruin(placed, rng)
    everything = bits(instance.operators)
    assert loose
    assert reduce(or_, (it.group.members for it in kept), loose) == everything
    assert all(not it.group.members & loose for it in kept)
    rebuilt = rebuild(instance, kept, loose, rng)
    if rebuilt is None:
        return
    assert rebuilt.unplaced == []
    for number, it in rebuilt.owned.items():
        assert rebuilt.fits(it.type, instance.group(it.group.members), [number])


def test_a_machine_that_does_not_hold_what_is_left_on_it_is_emptied() -> None:
    # a → b → c with 6 bytes/s each. b is on a machine of its own, so a and c exchange 12 with it,
    # and download 1: more than the 10 of a small machine's card.
    problem = tree_of({"a": 0.5, "b": 0.5, "c": 0.5}, {("a", "b"): 6, ("b", "c"): 6}, {"a": ["k"]})
    instance = ProvisioningArrays.of(problem)
    kept = [OwnedMachine(0, instance.group(bits([0, 2]))), OwnedMachine(1, instance.alone[1])]
    rebuilt = rebuild(instance, kept, 0, default_rng(0))
    assert rebuilt is not None
    assert rebuilt.unplaced == []
    assert all(instance.holds(it.type, it.group) for it in rebuilt.owned.values())
