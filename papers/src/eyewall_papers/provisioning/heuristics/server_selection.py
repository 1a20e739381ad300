"""From which server each machine downloads (paper 003, section 6.2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from eyewall_sidecar.model.violations import exceeds
from numpy.random import Generator

from eyewall_papers.provisioning.groups import ProvisioningArrays, places_in
from eyewall_papers.provisioning.purchases import FailedStep, HeuristicFailure, Purchases

Download = tuple[int, int]
"""Machine number, object."""
Sources = dict[Download, int]
"""Download → the server that it comes from."""


def downloads_of(purchases: Purchases) -> list[Download]:
    """Return what has to be downloaded: each object once by each machine that uses it."""
    return [
        (number, key)
        for number, it in purchases.owned.items()
        for key in places_in(it.group.objects)
    ]


def select_randomly(purchases: Purchases, rng: Generator) -> Sources | HeuristicFailure:
    """Server-Selection-Random: any server that holds the object (section 6.2.1)."""
    room = _Room.of(purchases)
    for download in downloads_of(purchases):
        holders = list(places_in(purchases.instance.holders[download[1]]))
        server = holders[int(rng.integers(len(holders)))]
        if not room.has(download, server):
            return room.failure(download, [server])
        room.take(download, server)
    return room.sources


def select_intelligently(purchases: Purchases, _: Generator) -> Sources | HeuristicFailure:
    """Server-Selection-Intelligent: three loops (section 6.2.2).

    1. Objects that one server holds. 2. As many downloads as possible from servers that hold one
    object. 3. The others, by interested machines per server that still has room for the object;
    each from the server with the most room, on its card or on what is left of the link to the
    machine, whichever is less.
    """
    instance = purchases.instance
    room = _Room.of(purchases)
    left = downloads_of(purchases)
    for download in left:
        holders = list(places_in(instance.holders[download[1]]))
        if len(holders) == 1:
            if not room.has(download, holders[0]):
                return room.failure(download, holders)
            room.take(download, holders[0])
    for download in _open(left, room):
        for server in places_in(instance.holders[download[1]]):
            alone = len(instance.problem.servers[server].objects) == 1
            if alone and download not in room.sources and room.has(download, server):
                room.take(download, server)
    while left := _open(left, room):
        key = max(dict.fromkeys(key for _, key in left), key=lambda it: _interest(left, room, it))
        for download in left:
            if download[1] == key:
                holders = list(places_in(instance.holders[key]))
                best = max(holders, key=lambda it: room.least(download, it))
                if not room.has(download, best):
                    return room.failure(download, holders)
                room.take(download, best)
    return room.sources


def _open(downloads: Iterable[Download], room: "_Room") -> list[Download]:
    return [it for it in downloads if it not in room.sources]


def _interest(left: Iterable[Download], room: "_Room", key: int) -> float:
    """Return interestedProcs / numPossibleServers."""
    interested = [it for it in left if it[1] == key]
    possible = [
        server
        for server in places_in(room.instance.holders[key])
        if not exceeds(room.instance.rates[key], room.cards[server])
    ]
    return len(interested) / len(possible) if possible else float("inf")


@dataclass(slots=True)
class _Room:
    """Free bytes/s of servers' cards and links, and the downloads taken."""

    instance: ProvisioningArrays
    types: dict[int, int]
    cards: list[float]
    links: dict[tuple[int, int], float] = field(default_factory=dict)
    sources: Sources = field(default_factory=dict)

    @classmethod
    def of(cls, purchases: Purchases) -> Self:
        types = {number: it.type for number, it in purchases.owned.items()}
        return cls(
            purchases.instance, types, [it.card for it in purchases.instance.problem.servers]
        )

    def link(self, machine: int, server: int) -> float:
        found = self.links.get((machine, server))
        if found is None:
            name = self.instance.types[self.types[machine]].name
            return self.instance.problem.servers[server].link_to(name)
        return found

    def least(self, download: Download, server: int) -> float:
        return min(self.cards[server], self.link(download[0], server))

    def has(self, download: Download, server: int) -> bool:
        return not exceeds(self.instance.rates[download[1]], self.least(download, server))

    def take(self, download: Download, server: int) -> None:
        machine, key = download
        self.links[machine, server] = self.link(machine, server) - self.instance.rates[key]
        self.cards[server] -= self.instance.rates[key]
        self.sources[download] = server

    def failure(self, download: Download, servers: Sequence[int]) -> HeuristicFailure:
        problem = self.instance.problem
        name = problem.objects[download[1]].id
        tried = ", ".join(problem.servers[it].id for it in servers)
        return HeuristicFailure(
            FailedStep.SERVERS,
            name,
            f"object {name} takes {self.instance.rates[download[1]]:g} bytes/s, more than is left "
            f"of the card or the link of {tried} for one of the machines that use it",
        )
