"""The seven placements of paper 003, section 6.1: which operators share which machines."""

from collections.abc import Iterable

from numpy.random import Generator

from eyewall_papers.provisioning.groups import ProvisioningArrays, places_in
from eyewall_papers.provisioning.purchases import (
    HeuristicFailure,
    Purchases,
    buy_and_fill,
    buy_dearest,
    buy_for,
    endless_exchange,
    fill,
    heaviest_first,
    merge,
    no_machine,
    partners_of,
)


def random(instance: ProvisioningArrays, rng: Generator) -> Purchases | HeuristicFailure:
    """Place operators in random order, each on the cheapest machine that holds it.

    One that no machine holds is grouped with the one operator that it exchanges most with. Child
    and parent are all operators it exchanges data with, so any graph is accepted.
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
    return endless_exchange(purchases) if purchases.unplaced else purchases


def comp_greedy(instance: ProvisioningArrays, _: Generator) -> Purchases | HeuristicFailure:
    """Fill most expensive machines with operators, those of the largest w_i first.

    Child and parent are all operators that exchange data, so any graph is accepted.
    """
    purchases = Purchases(instance)
    failure = buy_and_fill(purchases, heaviest_first(purchases, instance.operators))
    return failure or purchases


def object_greedy(instance: ProvisioningArrays, _: Generator) -> Purchases | HeuristicFailure:
    """Fill most expensive machines with the operators whose objects have the highest rates.

    Al-operators by their largest rate_k, then w_i; others follow by w_i on each machine. What is
    left when every al-operator has its machine is placed as in Comp-Greedy: the paper does not say.
    Child and parent are all operators that exchange data, so any graph is accepted.
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


def object_grouping(instance: ProvisioningArrays, _: Generator) -> Purchases | HeuristicFailure:
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


def object_availability(instance: ProvisioningArrays, _: Generator) -> Purchases | HeuristicFailure:
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


def comm_greedy(instance: ProvisioningArrays, _: Generator) -> Purchases | HeuristicFailure:
    """Join the two ends of each stream, streams with most bytes/s first, as far as they fit.

    A pair of operators that exchanges data counts once, with both directions together, so any
    graph is taken. To accommodate more, a machine may be exchanged for another: the cheapest that
    holds all. Two machines that none could replace, whatever is in stock, are not considered again
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
    """Put both, with all on their machines, on one machine if one holds them.

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


def subtree_bottom_up(instance: ProvisioningArrays, _: Generator) -> Purchases | HeuristicFailure:
    """Give each al-operator a most expensive machine; merge each operator with its children.

    Operators are taken producers first, so every child has been merged before. All children's
    machines are merged with their parent if one machine holds that, else one after the other, most
    bytes/s first, as long as it holds them; a parent that fits with no child gets a machine of its
    own. In a graph that is no tree, senders to an operator are its children; a cycle is entered
    where `path_order` enters it. Operators that no machine holds alone, or that found none left
    in stock, join one that they exchange data with in the end.
    """
    purchases = Purchases(instance)
    for user in instance.users:
        buy_dearest(purchases, user)
    for operator in instance.order:
        _merge_with_children(purchases, operator)
    for operator in purchases.unplaced:
        placed = [purchases.at[it] for it in partners_of(purchases, operator) if it in purchases.at]
        joined = any(_merged(purchases, operator, [it]) for it in placed)
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
