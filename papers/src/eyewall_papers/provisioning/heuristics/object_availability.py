"""Object-Availability: operators of the rarest objects first (paper 003, section 6.1.7)."""

from numpy.random import Generator

from eyewall_papers.provisioning.groups import Instance
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


def object_availability(instance: Instance, _: Generator) -> Purchases | Failure:
    """Give the users of each object machines of their own, objects on few servers first.

    Users of one object are taken by w_i, which the paper leaves open; those that do not fit on the
    object's machine get one more. What is left is placed as in Comp-Greedy, and an al-operator that
    no machine holds is grouped as there. Any graph is taken.
    """
    purchases = Purchases(instance)
    rarest = sorted(range(len(instance.rates)), key=lambda it: instance.holders[it].bit_count())
    for key in rarest:
        users = heaviest_first(
            purchases, (it for it in instance.users if instance.needs[it] >> key & 1)
        )
        for user in users:
            if user not in purchases.at:
                free = [it for it in partners_of(purchases, user) if it not in purchases.at]
                number = buy_for(purchases, user, Purchases.dearest, free)
                if number is None:
                    return no_machine(purchases, user)
                fill(purchases, number, users)
    return buy_and_fill(purchases, heaviest_first(purchases, purchases.unplaced)) or purchases
