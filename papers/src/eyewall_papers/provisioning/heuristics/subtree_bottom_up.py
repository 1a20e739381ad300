"""Subtree-Bottom-Up: al-operators apart, then merged with their parents (paper 003, 6.1.5)."""

from numpy.random import Generator

from eyewall_papers.provisioning.groups import Instance, places_in
from eyewall_papers.provisioning.heuristics.failure import Failure
from eyewall_papers.provisioning.heuristics.purchasing import (
    buy_dearest,
    merge,
    no_machine,
    partners_of,
)
from eyewall_papers.provisioning.purchases import Purchases


def subtree_bottom_up(instance: Instance, _: Generator) -> Purchases | Failure:
    """Give each al-operator a most expensive machine; merge each operator with its children.

    Operators are taken producers first, so every child has been merged before. All children's
    machines are merged with their parent if one machine holds that, else one after the other, most
    bytes/s first, as long as it holds them; a parent that fits with no child gets a machine of its
    own. In a graph that is no tree, whoever sends to an operator is its child; a cycle is entered
    where `path_order` enters it. Operators that no machine holds alone, or that found none left
    in stock, join one that they exchange data with in the end.
    """
    purchases = Purchases(instance)
    for user in instance.users:
        buy_dearest(purchases, user)
    for operator in instance.order:
        _merge_with_children(purchases, operator)
    for operator in purchases.unplaced:
        beside = [purchases.at[it] for it in partners_of(purchases, operator) if it in purchases.at]
        joined = any(_merged(purchases, operator, [it]) for it in beside)
        if not joined and not buy_dearest(purchases, operator):
            return no_machine(purchases, operator)
    return purchases


def _merge_with_children(purchases: Purchases, operator: int) -> None:
    carried = purchases.instance.partners[operator]
    producers = purchases.instance.producers[operator]
    children = sorted(places_in(producers), key=lambda it: -carried[it])
    machines = list(dict.fromkeys(purchases.at[it] for it in children if it in purchases.at))
    if not _merged(purchases, operator, machines):
        for number in machines:
            if number in purchases.owned:
                _merged(purchases, operator, [number])
    if operator not in purchases.at:
        buy_dearest(purchases, operator)


def _merged(purchases: Purchases, operator: int, machines: list[int]) -> bool:
    """Bring an operator, or its machine, together with these machines if one machine holds that."""
    own = [purchases.at[operator]] if operator in purchases.at else []
    sold = list(dict.fromkeys([*own, *machines]))
    return merge(purchases, [operator], sold, Purchases.dearest)
