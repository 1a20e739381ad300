"""The instances of paper 003, section 7: random binary trees, 15 objects, 6 servers, table 1."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from eyewall_sidecar.model import Operator, Stream
from eyewall_sidecar.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem
from numpy.random import Generator

MB = 1e6
GB = 1e9
BASE_PRICE = 7548
PROCESSORS = {11.72: 0, 19.20: 1550, 25.60: 2399, 38.40: 3949, 46.88: 5299}
"""GHz → surcharge in $ (table 1)."""
CARDS = {1: 0, 2: 399, 4: 1197, 10: 2800, 20: 5999}
"""Gbit/s, or GB/s → surcharge in $ (table 1)."""

OBJECTS = 15
SERVERS = 6


class CardUnit(StrEnum):
    """How the cards' bandwidth is read: table 1 says Gbps, the text 10 GB and 1 GB."""

    GIGABITS = "Gbit/s"
    GIGABYTES = "GB/s"

    @property
    def rate(self) -> float:
        """Bytes/s."""
        return GB / 8 if self is CardUnit.GIGABITS else GB


@dataclass(frozen=True, slots=True)
class ObjectClass:
    """Sizes and frequency of the objects of one experiment.

    Parameters
    ----------
    name
        For tables.
    smallest, largest
        MB.
    period
        Seconds between downloads.
    """

    name: str
    smallest: float
    largest: float
    period: float


OBJECT_CLASSES = (
    ObjectClass("small, 1/2 s", 5, 30, 2),
    ObjectClass("small, 1/50 s", 5, 30, 50),
    ObjectClass("big, 1/2 s", 450, 530, 2),
    ObjectClass("big, 1/50 s", 450, 530, 50),
)


def machine_types(unit: CardUnit) -> tuple[MachineType, ...]:
    """All 25 combinations of table 1; `cpu` in MHz."""
    return tuple(
        MachineType(
            f"{speed:g} GHz, {card} {unit}",
            cpu=speed * 1000,
            card=card * unit.rate,
            price=BASE_PRICE + speed_price + card_price,
        )
        for speed, speed_price in PROCESSORS.items()
        for card, card_price in CARDS.items()
    )


def tree_problem(
    rng: Generator,
    operators: int,
    objects: ObjectClass,
    alpha: float,
    types: tuple[MachineType, ...],
    *,
    server_card: float = 10 * GB,
    link: float = GB,
) -> ProvisioningProblem:
    """Draw a tree of so many operators, w = (δl + δr)^α in MHz with sizes in MB, β = 1, ρ = 1."""
    sizes = rng.uniform(objects.smallest, objects.largest, OBJECTS)
    holders = rng.integers(SERVERS, size=OBJECTS)
    children: list[list[int]] = [[] for _ in range(operators)]
    places = [0, 0]
    for new in range(1, operators):
        parent = places.pop(int(rng.integers(len(places))))
        children[parent].append(new)
        places += [new, new]
    leaves: list[list[int]] = [[] for _ in range(operators)]
    for place in places:
        leaves[place].append(int(rng.integers(OBJECTS)))
    output = np.zeros(operators)
    for it in range(operators - 1, -1, -1):
        output[it] = sum(output[child] for child in children[it]) + sizes[leaves[it]].sum()
    return ProvisioningProblem(
        operators=tuple(Operator(f"n{it}", cpu=float(output[it] ** alpha)) for it in range(operators)),
        streams=tuple(
            Stream(f"n{child}", f"n{it}", rate=1.0, tuple_bytes=float(output[child] * MB))
            for it in range(operators)
            for child in children[it]
        ),
        types=types,
        needs={
            f"n{it}": tuple(f"o{k}" for k in sorted(set(leaves[it])))
            for it in range(operators)
            if leaves[it]
        },
        objects=tuple(
            BasicObject(f"o{k}", size=float(sizes[k] * MB), frequency=1 / objects.period)
            for k in range(OBJECTS)
        ),
        servers=tuple(
            DataServer(
                f"s{place}",
                tuple(f"o{k}" for k in range(OBJECTS) if holders[k] == place),
                card=server_card,
                link=link,
            )
            for place in range(SERVERS)
        ),
        link=link,
    )
