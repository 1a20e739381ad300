"""Object-Greedy: operators with the fastest downloads first (paper 003, section 6.1.4)."""

from numpy.random import Generator

from eyewall_papers.provisioning.groups import Instance, places_in
from eyewall_papers.provisioning.heuristics.failure import Failure
from eyewall_papers.provisioning.heuristics.purchasing import (
    buy_and_fill,
    buy_for,
    fill,
    heaviest_first,
    no_machine,
    partners_of,
)
from eyewall_papers.provisioning.purchases import Purchases


def object_greedy(instance: Instance, _: Generator) -> Purchases | Failure:
    """Fill most expensive machines with the operators whose objects have the highest rates.

    Al-operators by their largest rate_k, then w_i; others follow by w_i on each machine. What is
    left when every al-operator has its machine is placed as in Comp-Greedy: the paper does not say.
    Child and parent are whoever an operator exchanges data with, so any graph is taken.
    """
    purchases = Purchases(instance)
    fastest = {
        it: max(instance.rates[key] for key in places_in(instance.needs[it]))
        for it in instance.users
    }
    users = sorted(instance.users, key=lambda it: (-fastest[it], -instance.cpu[it]))
    others = heaviest_first(purchases, (it for it in instance.operators if it not in fastest))
    for user in users:
        if user not in purchases.at:
            free = [it for it in partners_of(purchases, user) if it not in purchases.at]
            number = buy_for(purchases, user, Purchases.dearest, free)
            if number is None:
                return no_machine(purchases, user)
            fill(purchases, number, users)
            fill(purchases, number, others)
    return buy_and_fill(purchases, others) or purchases
