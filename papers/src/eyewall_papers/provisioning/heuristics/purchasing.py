"""The steps that several heuristics of paper 003, section 6.1, have in common."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce

from eyewall_papers.provisioning.groups import Group
from eyewall_papers.provisioning.heuristics.failure import Failure, Step
from eyewall_papers.provisioning.purchases import Purchases

Choice = Callable[[Purchases, Group, Iterable[int]], int | None]
"""`Purchases.cheapest` or `Purchases.dearest`."""


def heaviest_first(purchases: Purchases, operators: Iterable[int]) -> list[int]:
    """Sort operators by w_i, most demanding first; equal ones keep their order."""
    return sorted(operators, key=lambda it: -purchases.instance.cpu[it])


def partners_of(purchases: Purchases, operator: int) -> list[int]:
    """Whom it exchanges data with, its children and parents: most bytes/s first."""
    carried = purchases.instance.partners[operator]
    return sorted(carried, key=lambda it: -carried[it])


def buy_for(
    purchases: Purchases, operator: int, choose: Choice, seconds: Sequence[int]
) -> int | None:
    """Buy a machine for the operator, or else for it and one other; return its number.

    The grouping technique of section 6.1.1. A machine that the other operator was on is sold
    back: what else it ran has none then.

    Parameters
    ----------
    choose
        Which of the types that hold the operators is bought.
    seconds
        Operators that it may be grouped with, tried in this order.
    """
    alone = purchases.instance.alone[operator]
    machine_type = choose(purchases, alone, ())
    if machine_type is not None:
        return purchases.buy(machine_type, alone)
    for second in seconds:
        pair = purchases.instance.joined(alone, purchases.instance.alone[second])
        sold = [purchases.at[second]] if second in purchases.at else []
        machine_type = choose(purchases, pair, sold)
        if machine_type is not None:
            for number in sold:
                purchases.sell(number)
            return purchases.buy(machine_type, pair)
    return None


def buy_dearest(purchases: Purchases, operator: int) -> bool:
    """Buy a most expensive machine for the operator alone, and say whether there is one."""
    alone = purchases.instance.alone[operator]
    machine_type = purchases.dearest(alone)
    if machine_type is None:
        return False
    purchases.buy(machine_type, alone)
    return True


def merge(
    purchases: Purchases, operators: Iterable[int], machines: Collection[int], choose: Choice
) -> bool:
    """Bring operators, and what these machines run, onto one machine; say whether it can be done.

    The machines are sold back for it.

    Parameters
    ----------
    operators
        Operators; those that are on one of the machines are with it already.
    """
    instance = purchases.instance
    runs = [purchases.owned[it].group for it in machines]
    loose = [instance.alone[it] for it in operators if purchases.at.get(it) not in machines]
    if not instance.could_share([*loose, *runs]):
        return False
    together = reduce(instance.joined, [*loose, *runs])
    machine_type = choose(purchases, together, machines)
    if machine_type is None:
        return False
    for number in machines:
        purchases.sell(number)
    purchases.buy(machine_type, together)
    return True


def fill(purchases: Purchases, number: int, operators: Iterable[int]) -> None:
    """Put operators that have no machine on this one, in this order, where they fit."""
    for operator in operators:
        if operator not in purchases.at:
            purchases.add(number, operator)


def buy_and_fill(purchases: Purchases, operators: Sequence[int]) -> Failure | None:
    """Place what is left as Comp-Greedy does (section 6.1.2).

    As long as operators are left, the first gets a most expensive machine, alone or with the
    operator that it exchanges most with; others follow in order as they fit; then the machine is
    exchanged for the cheapest that holds them. Where two operators turn each other out again and
    again, it gives up after four purchases for each operator.

    Parameters
    ----------
    operators
        Those to place, most demanding first; others stay as they are.
    """
    for _ in range(4 * len(purchases.instance.operators)):
        left = [it for it in operators if it not in purchases.at]
        if not left:
            left = heaviest_first(purchases, purchases.unplaced)
        if not left:
            return None
        number = buy_for(purchases, left[0], Purchases.dearest, partners_of(purchases, left[0])[:1])
        if number is None:
            return no_machine(purchases, left[0])
        fill(purchases, number, left)
        exchange_for_cheapest(purchases, number)
    return turned_out(purchases)


def exchange_for_cheapest(purchases: Purchases, number: int) -> None:
    """Exchange a machine for the cheapest that holds what it runs."""
    has = purchases.owned[number]
    machine_type = purchases.cheapest(has.group, (number,))
    if machine_type is not None and machine_type < has.type:
        purchases.retype(number, machine_type)


def no_machine(purchases: Purchases, operator: int) -> Failure:
    """Say that no machine that can be had runs the operator."""
    instance = purchases.instance
    name = instance.problem.operators[operator].id
    alone = instance.alone[operator]
    return Failure(
        Step.PLACEMENT,
        name,
        f"no machine to be had runs operator {name}, alone or with one that it exchanges data "
        f"with: it takes {alone.cpu:g} of CPU and {alone.card:g} bytes/s of a card",
    )


def turned_out(purchases: Purchases) -> Failure:
    """Say that operators took each other's machine without end."""
    name = purchases.instance.problem.operators[purchases.unplaced[0]].id
    return Failure(
        Step.PLACEMENT, name, f"operator {name} lost its machine to another again and again"
    )
