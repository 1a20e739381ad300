"""Comm-Greedy: operators that exchange most come together first (paper 003, section 6.1.3)."""

from collections.abc import Iterable

from numpy.random import Generator

from eyewall_papers.provisioning.groups import Instance
from eyewall_papers.provisioning.heuristics.failure import Failure
from eyewall_papers.provisioning.heuristics.purchasing import buy_dearest, merge, no_machine
from eyewall_papers.provisioning.purchases import Purchases


def comm_greedy(instance: Instance, _: Generator) -> Purchases | Failure:
    """Join the two ends of each stream, streams with most bytes/s first, as far as they fit.

    A pair of operators that exchanges data counts once, with both directions together, so any
    graph is taken. To accommodate more, a machine may be exchanged for another: the cheapest that
    holds all. Two machines that none could replace, whatever is in stock, are not looked at again
    for another pair: in a dense graph most pairs are such. Operators that exchange nothing get a
    machine each.
    """
    purchases = Purchases(instance)
    apart: set[frozenset[int]] = set()
    pairs = [
        (carried, one, other)
        for one in instance.operators
        for other, carried in instance.partners[one].items()
        if one < other
    ]
    for _carried, one, other in sorted(pairs, key=lambda it: -it[0]):
        if not _join(purchases, one, other, apart):
            for operator in (one, other):
                if operator not in purchases.at and not buy_dearest(purchases, operator):
                    return no_machine(purchases, operator)
    for operator in purchases.unplaced:
        if not buy_dearest(purchases, operator):
            return no_machine(purchases, operator)
    return purchases


def _join(purchases: Purchases, one: int, other: int, apart: set[frozenset[int]]) -> bool:
    """Bring both, and what is with them, onto one machine if there is one that holds them.

    `apart` are pairs of machines that no machine holds together; one more is added if these are.
    """
    placed = [it for it in (one, other) if it in purchases.at]
    machines = frozenset(purchases.at[it] for it in placed)
    if len(placed) == 2:
        if len(machines) == 1:
            return True
        if machines in apart:
            return False
    joined = merge(purchases, (one, other), sorted(machines), Purchases.cheapest)
    if not joined and len(placed) == 2 and not _held(purchases, machines):
        apart.add(machines)
    return joined


def _held(purchases: Purchases, machines: Iterable[int]) -> bool:
    """Whether some type holds what runs on two machines, though it may not be in stock now."""
    instance = purchases.instance
    one, other = (purchases.owned[it].group for it in machines)
    if not instance.could_share((one, other)):
        return False
    together = instance.joined(one, other)
    return any(instance.holds(it, together) for it in range(len(instance.types)))
