"""A platform while it is bought: machines are purchased, filled, joined and sold back.

Paper 003, section 6.1: all its heuristics build a platform in these steps.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.groups import Group, Instance, places_in
from eyewall_papers.provisioning.machines import Machine, machine_name
from eyewall_papers.provisioning.provision import Downloads, Provision
from eyewall_papers.provisioning.serving import Wanted


@dataclass(frozen=True, slots=True)
class Owned:
    """A machine that was bought: its type's place in `Instance.types`, and what it runs."""

    type: int
    group: Group


class Purchases:
    """The machines that are owned now, by number, and where each operator is.

    An operator without a machine counts as if it were elsewhere: what it exchanges with a group is
    in the group's traffic. Links, (5), are those between machines that are owned.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.owned: dict[int, Owned] = {}
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
        """What the machines cost together."""
        return sum(self.instance.types[it.type].price for it in self.owned.values())

    def fits(self, machine_type: int, group: Group, instead: Iterable[int] = ()) -> bool:
        """Whether a machine of this type would hold the group, with links to all other machines.

        Parameters
        ----------
        instead
            Numbers of machines that would be sold for it, or lose what is in the group.
        """
        if not self.instance.holds(machine_type, group):
            return False
        return not self._links_bind or self._links_hold(machine_type, group, set(instead))

    def _links_hold(self, machine_type: int, group: Group, instead: set[int]) -> bool:
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
        """Whether one more of this type can be had, once machines `instead` are sold back."""
        returned = sum(self.owned[it].type == machine_type for it in instead)
        return self._stock[machine_type] + returned >= 1

    def cheapest(self, group: Group, instead: Iterable[int] = ()) -> int | None:
        """Return the cheapest type that can be had and holds the group."""
        sold = tuple(instead)
        for machine_type in range(len(self.instance.types)):
            if self.in_stock(machine_type, sold) and self.fits(machine_type, group, sold):
                return machine_type
        return None

    def dearest(self, group: Group, instead: Iterable[int] = ()) -> int | None:
        """Return the most expensive type that can be had and holds the group."""
        sold = tuple(instead)
        for machine_type in reversed(range(len(self.instance.types))):
            if self.in_stock(machine_type, sold) and self.fits(machine_type, group, sold):
                return machine_type
        return None

    def buy(self, machine_type: int, group: Group) -> int:
        """Buy a machine for operators that have none; return its number."""
        number = self._next
        self._next += 1
        self._stock[machine_type] -= 1
        self.owned[number] = Owned(machine_type, group)
        for operator in places_in(group.members):
            self.at[operator] = number
        return number

    def sell(self, number: int) -> None:
        """Give a machine back; its operators have none then."""
        gone = self.owned.pop(number)
        self._stock[gone.type] += 1
        for operator in places_in(gone.group.members):
            del self.at[operator]

    def retype(self, number: int, machine_type: int) -> None:
        """Exchange a machine for one of this type."""
        has = self.owned[number]
        self._stock[has.type] += 1
        self._stock[machine_type] -= 1
        self.owned[number] = Owned(machine_type, has.group)

    def add(self, number: int, operator: int) -> bool:
        """Put an operator that has no machine on this one, if it fits; say whether it did."""
        has = self.owned[number]
        alone = self.instance.alone[operator]
        if not self.instance.could_share((has.group, alone)):
            return False
        larger = self.instance.joined(has.group, alone)
        if not self.fits(has.type, larger, (number,)):
            return False
        self.owned[number] = Owned(has.type, larger)
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

    def wanted(self) -> Wanted:
        """Return what each machine has to download."""
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
