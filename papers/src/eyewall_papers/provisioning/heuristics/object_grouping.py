"""Object-Grouping: operators of the most popular objects together (paper 003, section 6.1.6)."""

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


def object_grouping(instance: Instance, _: Generator) -> Purchases | Failure:
    """Give the al-operators that share objects with the most popular one its machine.

    The popularity of an al-operator is how many operators need each of its objects, summed. "The
    same basic objects" is taken as: at least one of those of the first. Non al-operators follow by
    w_i, which the paper leaves open, and what is left in the end is placed as in Comp-Greedy. An
    al-operator that no machine holds is grouped as there. Any graph is taken.
    """
    purchases = Purchases(instance)
    needed = [
        sum(needs >> key & 1 for needs in instance.needs) for key in range(len(instance.rates))
    ]
    popularity = {
        it: sum(needed[key] for key in places_in(instance.needs[it])) for it in instance.users
    }
    users = sorted(instance.users, key=lambda it: -popularity[it])
    others = heaviest_first(purchases, (it for it in instance.operators if it not in popularity))
    for user in users:
        if user not in purchases.at:
            free = [it for it in partners_of(purchases, user) if it not in purchases.at]
            number = buy_for(purchases, user, Purchases.dearest, free)
            if number is None:
                return no_machine(purchases, user)
            fill(
                purchases,
                number,
                [it for it in users if instance.needs[it] & instance.needs[user]],
            )
            fill(purchases, number, others)
    return buy_and_fill(purchases, others) or purchases
