"""A platform under construction: machines are bought, filled, merged and sold back.

Paper 003, section 6.1: all its heuristics build a platform in these steps. `HeuristicFailure` is
the reason why one of them found no provision.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce

from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.groups import OperatorGroup, ProvisioningArrays, places_in
from eyewall_papers.provisioning.problem import Machine, machine_name
from eyewall_papers.provisioning.provision import Downloads, Provision
from eyewall_papers.provisioning.server_choice import WantedDownloads


@dataclass(frozen=True, slots=True)
class OwnedMachine:
    """A machine that was bought: the place of its type in `types`, and its operators."""

    type: int
    group: OperatorGroup


class Purchases:
    """The machines that are owned now, by number, and where each operator is.

    An operator without a machine counts as if it were elsewhere: what it exchanges with a group is
    in the group's traffic. Links, (5), are those between machines that are owned.
    """

    def __init__(self, instance: ProvisioningArrays) -> None:
        self.instance = instance
        self.owned: dict[int, OwnedMachine] = {}
        self.at: dict[int, int] = {}
        self._stock = [it.count for it in instance.types]
        self._next = 0
        self._links_bind = instance.links_bind

    @property
    def unplaced(self) -> list[int]:
        """Operators that have no machine yet."""
        return [it for it in self.instance.operators if it not in self.at]

    @property
    def price(self) -> float:
        """The price of all machines."""
        return sum(self.instance.types[it.type].price for it in self.owned.values())

    def fits(self, machine_type: int, group: OperatorGroup, instead: Iterable[int] = ()) -> bool:
        """Whether a machine of this type would hold the group, with links to all other machines.

        Parameters
        ----------
        instead
            Numbers of machines that would be sold for it, or lose what is in the group.
        """
        if not self.instance.holds(machine_type, group):
            return False
        return not self._links_bind or self._links_hold(machine_type, group, set(instead))

    def _links_hold(self, machine_type: int, group: OperatorGroup, instead: set[int]) -> bool:
        carried: dict[int, float] = {}
        for member in places_in(group.members):
            for partner, rate in self.instance.partners[member].items():
                if not group.members >> partner & 1 and (to := self.at.get(partner)) is not None:
                    carried[to] = carried.get(to, 0.0) + rate
        return not any(
            exceeds(rate, self.instance.link(machine_type, self.owned[to].type))
            for to, rate in carried.items()
            if to not in instead
        )

    def in_stock(self, machine_type: int, instead: Iterable[int] = ()) -> bool:
        """Whether one more of this type is available once machines `instead` are sold back."""
        returned = sum(self.owned[it].type == machine_type for it in instead)
        return self._stock[machine_type] + returned >= 1

    def cheapest(self, group: OperatorGroup, instead: Iterable[int] = ()) -> int | None:
        """Return the cheapest available type that holds the group."""
        sold = tuple(instead)
        for machine_type in range(len(self.instance.types)):
            if self.in_stock(machine_type, sold) and self.fits(machine_type, group, sold):
                return machine_type
        return None

    def dearest(self, group: OperatorGroup, instead: Iterable[int] = ()) -> int | None:
        """Return the most expensive available type that holds the group."""
        sold = tuple(instead)
        for machine_type in reversed(range(len(self.instance.types))):
            if self.in_stock(machine_type, sold) and self.fits(machine_type, group, sold):
                return machine_type
        return None

    def buy(self, machine_type: int, group: OperatorGroup) -> int:
        """Buy a machine for operators that have none; return its number."""
        number = self._next
        self._next += 1
        self._stock[machine_type] -= 1
        self.owned[number] = OwnedMachine(machine_type, group)
        for operator in places_in(group.members):
            self.at[operator] = number
        return number

    def sell(self, number: int) -> None:
        """Sell a machine back; its operators then have none."""
        gone = self.owned.pop(number)
        self._stock[gone.type] += 1
        for operator in places_in(gone.group.members):
            del self.at[operator]

    def retype(self, number: int, machine_type: int) -> None:
        """Exchange a machine for one of this type."""
        has = self.owned[number]
        self._stock[has.type] += 1
        self._stock[machine_type] -= 1
        self.owned[number] = OwnedMachine(machine_type, has.group)

    def add(self, number: int, operator: int) -> bool:
        """Put an operator that has no machine on this one if it fits; return whether it did."""
        has = self.owned[number]
        alone = self.instance.alone[operator]
        if not self.instance.could_share((has.group, alone)):
            return False
        larger = self.instance.joined(has.group, alone)
        if not self.fits(has.type, larger, (number,)):
            return False
        self.owned[number] = OwnedMachine(has.type, larger)
        self.at[operator] = number
        return True

    def names(self) -> dict[int, str]:
        """Return machine number → its id in answers, as `small-2`."""
        bought: Counter[int] = Counter()
        named = {}
        for number, it in self.owned.items():
            bought[it.type] += 1
            types = self.instance.types
            named[number] = machine_name(types, types[it.type], bought[it.type])
        return named

    def wanted(self) -> WantedDownloads:
        """Return the downloads of each machine."""
        objects = self.instance.problem.objects
        names = self.names()
        return {
            names[number]: (
                self.instance.types[it.type].name,
                frozenset(objects[key].id for key in places_in(it.group.objects)),
            )
            for number, it in self.owned.items()
        }

    def provision(self, downloads: Downloads) -> Provision:
        """Return the answer; every operator must have its machine."""
        names = self.names()
        return Provision(
            tuple(
                Machine(names[number], self.instance.types[it.type])
                for number, it in self.owned.items()
            ),
            {
                operator.id: names[self.at[place]]
                for place, operator in enumerate(self.instance.problem.operators)
            },
            downloads,
        )


class FailedStep(StrEnum):
    """The two steps of every heuristic (paper 003, section 6)."""

    PLACEMENT = "operator placement"
    SERVERS = "server selection"


@dataclass(frozen=True, slots=True)
class HeuristicFailure:
    """A heuristic found no provision, which does not mean that there is none.

    Parameters
    ----------
    step
        Which step failed.
    subject
        The id of the operator or object that it failed for.
    reason
        Why, in a sentence.
    """

    step: FailedStep
    subject: str
    reason: str

    def __str__(self) -> str:
        return f"{self.step}: {self.reason}"


Choice = Callable[[Purchases, OperatorGroup, Iterable[int]], int | None]
"""`Purchases.cheapest` or `Purchases.dearest`."""


def heaviest_first(purchases: Purchases, operators: Iterable[int]) -> list[int]:
    """Sort operators by w_i, most demanding first; equal ones keep their order."""
    return sorted(operators, key=lambda it: -purchases.instance.cpu[it])


def partners_of(purchases: Purchases, operator: int) -> list[int]:
    """Return the operator's children and parents, most bytes/s first."""
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
    """Buy a most expensive machine for the operator alone; return whether there is one."""
    alone = purchases.instance.alone[operator]
    machine_type = purchases.dearest(alone)
    if machine_type is None:
        return False
    purchases.buy(machine_type, alone)
    return True


def merge(
    purchases: Purchases, operators: Iterable[int], machines: Collection[int], choose: Choice
) -> bool:
    """Put operators, and all that run on these machines, on one machine; return whether it fits.

    The machines are sold back.

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


def buy_and_fill(purchases: Purchases, operators: Sequence[int]) -> HeuristicFailure | None:
    """Place the remaining operators as Comp-Greedy does (section 6.1.2).

    The first remaining operator gets a most expensive machine, alone or with the operator with
    which it exchanges most; others follow in order as they fit; then the machine is exchanged for
    the cheapest that holds them. Operators may displace each other without end: it gives up after
    four purchases for each operator.

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
    return endless_exchange(purchases)


def exchange_for_cheapest(purchases: Purchases, number: int) -> None:
    """Exchange a machine for the cheapest that holds its operators."""
    has = purchases.owned[number]
    machine_type = purchases.cheapest(has.group, (number,))
    if machine_type is not None and machine_type < has.type:
        purchases.retype(number, machine_type)


def no_machine(purchases: Purchases, operator: int) -> HeuristicFailure:
    """Return the failure that no available machine runs the operator."""
    instance = purchases.instance
    name = instance.problem.operators[operator].id
    alone = instance.alone[operator]
    return HeuristicFailure(
        FailedStep.PLACEMENT,
        name,
        f"no available machine runs operator {name}, alone or with one that it exchanges data "
        f"with: it takes {alone.cpu:g} of CPU and {alone.card:g} bytes/s of a card",
    )


def endless_exchange(purchases: Purchases) -> HeuristicFailure:
    """Return the failure that operators displaced each other without end."""
    name = purchases.instance.problem.operators[purchases.unplaced[0]].id
    return HeuristicFailure(
        FailedStep.PLACEMENT, name, f"operator {name} lost its machine to another again and again"
    )
