"""The problems of section 7.2, from the paper's settings and readings of what it leaves open.

"Randomly generated binary operator trees with at most N operators", leaves drawn from 15 objects.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

from eyewall_sidecar.model import Operator, Stream
from numpy.random import Generator, default_rng

from eyewall_papers.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem
from eyewall_papers.provisioning.catalogue import read_shipped


class Trees(StrEnum):
    """What N counts, and whether operators have two inputs each."""

    OPERATORS = "operators"
    """N operators with two inputs each, so N + 1 leaves."""
    NODES = "nodes"
    """At most N operators and leaves together; operators have two inputs each."""
    SPARSE = "sparse"
    """N operators, of which each has one or two inputs (|Leaf| + |Child| ≤ 2)."""
    AT_MOST = "at most"
    """From 1 to N operators, with two inputs each."""


@dataclass(frozen=True, slots=True)
class BinaryTree:
    """A tree; operator 0 is the root, and children come after their parents.

    Parameters
    ----------
    children
        [operator]: its children, up to two.
    leaves
        [operator]: the objects that it uses, by number; both leaves may be the same one.
    """

    children: tuple[tuple[int, ...], ...]
    leaves: tuple[tuple[int, ...], ...]

    def sizes(self, objects: list[float]) -> list[float]:
        """Return [operator]: its input δ_l + δ_r, which with β = 1 is its output, too."""
        inputs = [0.0] * len(self.children)
        for operator in reversed(range(len(self.children))):
            inputs[operator] = sum(objects[it] for it in self.leaves[operator]) + sum(
                inputs[it] for it in self.children[operator]
            )
        return inputs


def random_binary_tree(rng: Generator, most: int, trees: Trees, objects: int) -> BinaryTree:
    """Draw a tree: a free input, picked at random, gets an operator, until there are enough.

    Parameters
    ----------
    most
        N.
    objects
        How many kinds of leaves there are.
    """
    count = _operators(rng, most, trees)
    free = [0, 0]
    children: list[list[int]] = [[]]
    for operator in range(1, count):
        children[free.pop(int(rng.integers(len(free))))].append(operator)
        children.append([])
        free += [operator, operator]
    leaves: list[list[int]] = [[] for _ in children]
    for operator in free:
        needed = not children[operator] and not leaves[operator]
        if trees is not Trees.SPARSE or needed or rng.random() < 0.5:
            leaves[operator].append(int(rng.integers(objects)))
    return BinaryTree(tuple(map(tuple, children)), tuple(map(tuple, leaves)))


def _operators(rng: Generator, most: int, trees: Trees) -> int:
    match trees:
        case Trees.NODES:
            return max(1, (most - 1) // 2)
        case Trees.AT_MOST:
            return int(rng.integers(1, most + 1))
        case Trees.OPERATORS | Trees.SPARSE:
            return most


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
    """The unit of table 1's network cards, whose header is "Gbps"."""

    GIGABIT = "gigabit"
    GIGABYTE = "gigabyte"


class Links(StrEnum):
    """What "servers and processors are all interconnected by a 1GB link" limits."""

    ALL = "all"
    """Links between processors, too."""
    SERVERS = "servers"
    """Links from servers to processors."""


@dataclass(frozen=True, slots=True)
class WorkloadReading:
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
class WorkloadSetting:
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


def problem(setting: WorkloadSetting, seed: int, reading: WorkloadReading) -> ProvisioningProblem:
    """Draw a problem; one seed gives the same tree and objects whatever α, f and replicas are."""
    tree = random_binary_tree(default_rng([seed, 0]), setting.operators, reading.trees, OBJECTS)
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
