"""The problems of section 7.2, from what the paper fixes and what its words leave open."""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

from eyewall_sidecar.model import Operator, Stream
from numpy.random import Generator, default_rng

from eyewall_papers.experiments.paper_003.trees import Trees, random_tree
from eyewall_papers.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem
from eyewall_papers.provisioning.catalogue import read_shipped

OBJECTS = 15
SERVERS = 6
MEGABYTE = 1e6
GIGABYTE = 1e9
SMALL = (5.0, 30.0)
BIG = (450.0, 530.0)
"""Object sizes in MB."""
HIGH = 1 / 2
LOW = 1 / 50
"""Download frequencies, 1/s."""


class Cards(StrEnum):
    """What table 1's bandwidths of network cards are in: its header says Gbps."""

    GIGABIT = "gigabit"
    GIGABYTE = "gigabyte"


class Links(StrEnum):
    """What "servers and processors are all interconnected by a 1GB link" limits."""

    ALL = "all"
    """Links between processors, too."""
    SERVERS = "servers"
    """Links from servers to processors."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read section 7."""

    trees: Trees = Trees.NODES
    cards: Cards = Cards.GIGABYTE
    links: Links = Links.SERVERS

    @property
    def types(self) -> tuple[MachineType, ...]:
        """Table 1's 25 combinations."""
        wider = 8 if self.cards is Cards.GIGABYTE else 1
        return tuple(replace(it, card=it.card * wider) for it in read_shipped("dell-2008").types)


@dataclass(frozen=True, slots=True)
class Setting:
    """What an experiment fixes.

    Parameters
    ----------
    operators
        N.
    alpha
        α: w = (δ_l + δ_r)^α, in MHz · s with sizes in MB.
    sizes
        Of objects, in MB: from, to.
    frequency
        f, 1/s, the same for all objects.
    replicas
        On how many servers each object is; none: on a number drawn for each, from 1 to all.
    """

    operators: int
    alpha: float = 0.9
    sizes: tuple[float, float] = SMALL
    frequency: float = HIGH
    replicas: int | None = None


def problem(setting: Setting, seed: int, reading: Reading) -> ProvisioningProblem:
    """Draw a problem; one seed gives the same tree and objects whatever α, f and replicas are."""
    tree = random_tree(default_rng([seed, 0]), setting.operators, reading.trees, OBJECTS)
    sizes = default_rng([seed, 1]).uniform(*setting.sizes, OBJECTS).tolist()
    data = tree.sizes(sizes)
    parents = [(child, at) for at, children in enumerate(tree.children) for child in children]
    return ProvisioningProblem(
        operators=tuple(
            Operator(f"o{place}", cpu=size**setting.alpha / 1000) for place, size in enumerate(data)
        ),
        streams=tuple(
            Stream(f"o{child}", f"o{at}", tuple_bytes=data[child] * MEGABYTE)
            for child, at in parents
        ),
        types=reading.types,
        needs={
            f"o{place}": tuple(f"k{it}" for it in dict.fromkeys(leaves))
            for place, leaves in enumerate(tree.leaves)
            if leaves
        },
        objects=tuple(
            BasicObject(f"k{place}", size * MEGABYTE, setting.frequency)
            for place, size in enumerate(sizes)
        ),
        servers=_servers(default_rng([seed, 2]), setting.replicas),
        link=GIGABYTE if reading.links is Links.ALL else inf,
    )


def _servers(rng: Generator, replicas: int | None) -> tuple[DataServer, ...]:
    held: list[list[str]] = [[] for _ in range(SERVERS)]
    for key in range(OBJECTS):
        copies = int(rng.integers(1, SERVERS + 1)) if replicas is None else replicas
        for server in rng.choice(SERVERS, copies, replace=False):
            held[server].append(f"k{key}")
    return tuple(
        DataServer(f"s{place}", tuple(names), card=10 * GIGABYTE, link=GIGABYTE)
        for place, names in enumerate(held)
    )
