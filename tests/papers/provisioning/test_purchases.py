"""Machines are bought while there are some, if they and their links hold what runs there."""

from dataclasses import replace

from eyewall_papers.provisioning.groups import ProvisioningArrays, bits
from eyewall_papers.provisioning.purchases import Purchases
from provisioning_trees import LARGE, SMALL, tree_of

PAIR = tree_of({"a": 1, "r": 1}, {("a", "r"): 5}, {"a": ["k"]})


def test_the_cheapest_and_the_dearest_machine_that_hold_a_group() -> None:
    purchases = Purchases(ProvisioningArrays.of(PAIR))
    alone = purchases.instance.alone[0]
    assert purchases.cheapest(alone) == 0
    assert purchases.dearest(alone) == 1


def test_a_machine_that_there_is_once_can_be_bought_again_only_after_it_was_sold() -> None:
    problem = replace(PAIR, types=(replace(SMALL, count=1), replace(LARGE, count=1)))
    purchases = Purchases(ProvisioningArrays.of(problem))
    number = purchases.buy(0, purchases.instance.alone[0])
    assert purchases.cheapest(purchases.instance.alone[1]) == 1
    assert purchases.cheapest(purchases.instance.alone[1], [number]) == 0
    purchases.sell(number)
    assert purchases.cheapest(purchases.instance.alone[1]) == 0
    assert purchases.unplaced == [0, 1]


def test_a_link_that_is_too_narrow_keeps_two_machines_from_exchanging_data() -> None:
    # a sends 5 bytes/s to r; a link carries 4.
    purchases = Purchases(ProvisioningArrays.of(replace(PAIR, link=4.0)))
    number = purchases.buy(1, purchases.instance.alone[0])
    assert purchases.cheapest(purchases.instance.alone[1]) is None
    assert purchases.add(number, 1)
    assert purchases.owned[number].group.members == bits([0, 1])


def test_the_price_is_that_of_all_machines_and_names_count_them_by_type() -> None:
    purchases = Purchases(ProvisioningArrays.of(PAIR))
    for operator in (0, 1):
        purchases.buy(0, purchases.instance.alone[operator])
    assert purchases.price == 20
    assert list(purchases.names().values()) == ["small-1", "small-2"]
