"""Random: a cheapest machine for one operator after the other (paper 003, section 6.1.1)."""

from numpy.random import Generator

from eyewall_papers.provisioning.groups import Instance
from eyewall_papers.provisioning.heuristics.failure import Failure
from eyewall_papers.provisioning.heuristics.purchasing import (
    buy_for,
    no_machine,
    partners_of,
    turned_out,
)
from eyewall_papers.provisioning.purchases import Purchases


def random(instance: Instance, rng: Generator) -> Purchases | Failure:
    """Place operators in random order, each on the cheapest machine that holds it.

    One that no machine holds is grouped with the one operator that it exchanges most with. Child
    and parent are whoever it exchanges data with, so any graph is taken.
    """
    purchases = Purchases(instance)
    for _ in range(4 * len(instance.operators)):
        unplaced = purchases.unplaced
        if not unplaced:
            return purchases
        operator = unplaced[int(rng.integers(len(unplaced)))]
        partners = partners_of(purchases, operator)
        if buy_for(purchases, operator, Purchases.cheapest, partners[:1]) is None:
            return no_machine(purchases, operator)
    return turned_out(purchases) if purchases.unplaced else purchases
