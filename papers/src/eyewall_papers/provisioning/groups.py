"""Groups: sets of operators that share one machine, and the resources that one takes of it.

Operators, objects, machine types and servers are known by their places; sets of them are bits of
an integer, so that one step joins, splits or tests a set. Everything is at the problem's
throughput: bytes/s, and the unit of `MachineType.cpu`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import isinf
from operator import and_
from typing import Self

from eyewall_sidecar.model import Operator
from eyewall_sidecar.model.path_order import path_order
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.problem import MachineType, ProvisioningProblem

Bits = int
"""A set of places: bit p is set if place p is in it."""


def bits(places: Iterable[int]) -> Bits:
    """Return the set of these places."""
    joined = 0
    for place in places:
        joined |= 1 << place
    return joined


def places_in(chosen: Bits) -> Iterator[int]:
    """Yield the places in a set, smallest first."""
    while chosen:
        lowest = chosen & -chosen
        yield lowest.bit_length() - 1
        chosen ^= lowest


@dataclass(frozen=True, slots=True)
class OperatorGroup:
    """Operators on one machine, and the left sides of (1) and (2) for it.

    Parameters
    ----------
    members
        The operators.
    cpu, memory
        What they take together.
    objects
        What they download; the operators of a machine share a download.
    downloads
        Bytes/s of these downloads.
    traffic
        Bytes/s to and from operators that are not members, wherever these are.
    allowed
        The machine types that may run all of them.
    """

    members: Bits
    cpu: float
    memory: float
    objects: Bits
    downloads: float
    traffic: float
    allowed: Bits

    @property
    def card(self) -> float:
        """What its machine's network card carries, (2), bytes/s."""
        return self.downloads + self.traffic


@dataclass(frozen=True, slots=True, eq=False)
class ProvisioningArrays:
    """A provisioning problem in numbers.

    Parameters
    ----------
    types
        Cheapest first; types of one price keep the problem's order.
    cpu
        [operator]: ρ · w_i.
    needs
        [operator]: objects that it uses.
    partners
        [operator]: with whom it exchanges data, and bytes/s of both directions together.
    tied_to
        [operator]: the same as a set.
    producers
        [operator]: the operators that send to it, its children in a tree.
    order
        Operators, producers first; a cycle is cut where `path_order` cuts it.
    rates
        [object]: rate_k, bytes/s.
    holders
        [object]: servers that hold it.
    alone
        [operator]: the group that it is by itself.
    """

    problem: ProvisioningProblem
    types: tuple[MachineType, ...]
    cpu: tuple[float, ...]
    needs: tuple[Bits, ...]
    partners: tuple[dict[int, float], ...]
    tied_to: tuple[Bits, ...]
    producers: tuple[Bits, ...]
    order: tuple[int, ...]
    rates: tuple[float, ...]
    holders: tuple[Bits, ...]
    alone: tuple[OperatorGroup, ...]

    @classmethod
    def of(cls, problem: ProvisioningProblem) -> Self:
        """Number everything."""
        ids = [it.id for it in problem.operators]
        place = {name: number for number, name in enumerate(ids)}
        types = tuple(sorted(problem.types, key=lambda it: it.price))
        objects = {it.id: number for number, it in enumerate(problem.objects)}
        servers = {it.id: number for number, it in enumerate(problem.servers)}
        partners: list[dict[int, float]] = [{} for _ in ids]
        producers = [0] * len(ids)
        for stream in problem.streams:
            one, other = place[stream.source], place[stream.target]
            if one != other:
                carried = problem.carried(stream)
                partners[one][other] = partners[one].get(other, 0.0) + carried
                partners[other][one] = partners[other].get(one, 0.0) + carried
                producers[other] |= 1 << one
        order = path_order(ids, [(it.source, it.target) for it in problem.streams])
        rates = tuple(it.rate for it in problem.objects)
        alone = tuple(
            OperatorGroup(
                1 << number,
                it.cpu,
                it.memory,
                needs := bits(objects[name] for name in problem.needed(it.id)),
                sum(rates[key] for key in places_in(needs)),
                sum(partners[number].values()),
                _allowed(it, types),
            )
            for number, it in enumerate(problem.demands)
        )
        return cls(
            problem=problem,
            types=types,
            cpu=tuple(it.cpu for it in alone),
            needs=tuple(it.objects for it in alone),
            partners=tuple(partners),
            tied_to=tuple(bits(it) for it in partners),
            producers=tuple(producers),
            order=tuple(place[name] for name in order),
            rates=rates,
            holders=tuple(
                bits(servers[server.id] for server in problem.holders(it.id))
                for it in problem.objects
            ),
            alone=alone,
        )

    @property
    def operators(self) -> range:
        """All operators."""
        return range(len(self.cpu))

    @property
    def users(self) -> list[int]:
        """The operators that use an object: the paper's al-operators."""
        return [it for it in self.operators if self.needs[it]]

    @property
    def links_bind(self) -> bool:
        """Whether (5) can bind at all: some link between machines has a limit."""
        return not isinf(self.problem.link) or bool(self.problem.links)

    def group(self, members: Bits) -> OperatorGroup:
        """Return the group of these operators, at least one."""
        first, *others = places_in(members)
        joined = self.alone[first]
        for operator in others:
            joined = self.joined(joined, self.alone[operator])
        return joined

    def joined(self, one: OperatorGroup, other: OperatorGroup) -> OperatorGroup:
        """Return both together; they have no member in common."""
        fresh = other.objects & ~one.objects
        return OperatorGroup(
            one.members | other.members,
            one.cpu + other.cpu,
            one.memory + other.memory,
            one.objects | other.objects,
            one.downloads + sum(self.rates[it] for it in places_in(fresh)),
            max(0.0, one.traffic + other.traffic - 2 * self.between(one.members, other.members)),
            one.allowed & other.allowed,
        )

    def between(self, one: Bits, other: Bits) -> float:
        """Bytes/s that two sets of operators exchange, both directions together."""
        if one.bit_count() > other.bit_count():
            one, other = other, one
        return sum(
            self.partners[member][partner]
            for member in places_in(one)
            for partner in places_in(self.tied_to[member] & other)
        )

    def holds(self, machine_type: int, group: OperatorGroup) -> bool:
        """Whether a machine of this type holds the group: (1), (2), memory and candidates."""
        it = self.types[machine_type]
        return (
            bool(group.allowed >> machine_type & 1)
            and not exceeds(group.cpu, it.cpu)
            and not exceeds(group.card, it.card)
            and not exceeds(group.memory, it.memory)
        )

    def could_share(self, groups: Sequence[OperatorGroup]) -> bool:
        """Whether some machine holds these groups together, as far as their streams do not matter.

        Most of what does not fit is seen here, without a look at each member's partners.
        """
        cpu = sum(it.cpu for it in groups)
        memory = sum(it.memory for it in groups)
        allowed = reduce(and_, (it.allowed for it in groups))
        return any(
            not exceeds(cpu, it.cpu) and not exceeds(memory, it.memory)
            for number, it in enumerate(self.types)
            if allowed >> number & 1
        )

    def link(self, one: int, other: int) -> float:
        """Return bp between machines of these types, bytes/s."""
        return self.problem.link_between(self.types[one].name, self.types[other].name)


def _allowed(operator: Operator, types: Sequence[MachineType]) -> Bits:
    return bits(
        number
        for number, it in enumerate(types)
        if operator.candidates is None or it.name in operator.candidates
    )
