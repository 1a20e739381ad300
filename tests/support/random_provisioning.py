"""Small random provisioning problems with every trait that a method may meet, from a seed."""

from dataclasses import dataclass, fields
from enum import StrEnum
from math import inf
from typing import Self

from eyewall_papers.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem
from eyewall_sidecar.model import Operator, Stream
from hypothesis import strategies as st
from numpy.random import Generator, default_rng

CHANCE = 0.3
"""How likely a drawn problem has a given trait."""


class Shape(StrEnum):
    """How the operators hang together."""

    TREE = "tree"
    """Binary: at most two of children and objects, as in paper 003."""
    LEFT_DEEP = "left-deep"
    """A chain in which every operator has one object in addition to its child."""
    DAG = "dag"
    """Operators may send to several others, and the graph may fall apart."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a problem has.

    Parameters
    ----------
    shape
        How the operators hang together.
    counted
        Every machine type can be had once or twice: a platform that is there already.
    one_type
        There is one machine type only.
    narrow
        Cards, servers and links are about as wide as what goes over them.
    by_type
        Links differ by the machine types at their ends.
    candidates
        Some operators run on some machine types only.
    memory
        Operators need memory, and machines run out of it.
    scarce
        Each object is held by one server.
    heavy
        Some operators are more than the small machine types hold.
    """

    shape: Shape = Shape.TREE
    counted: bool = False
    one_type: bool = False
    narrow: bool = False
    by_type: bool = False
    candidates: bool = False
    memory: bool = False
    scarce: bool = False
    heavy: bool = False

    @classmethod
    def drawn(cls, rng: Generator, shape: Shape | None = None) -> Self:
        """Draw every trait that is not fixed."""
        chosen = list(Shape)[rng.integers(len(Shape))]
        flags = {it.name: bool(rng.random() < CHANCE) for it in fields(cls) if it.name != "shape"}
        return cls(shape or chosen, **flags)


def random_provisioning(
    seed: int, traits: Traits | None = None, *, operators: int = 6
) -> ProvisioningProblem:
    """Return a problem of at most so many operators; the seed decides all else.

    Without traits, these are drawn too. Work is in cores, everything else in bytes; many problems
    can be met, some cannot.
    """
    rng = default_rng(seed)
    traits = traits or Traits.drawn(rng)
    count = int(rng.integers(1, operators + 1))
    names = [f"o{place}" for place in range(count)]
    objects = [
        BasicObject(f"k{place}", size=_pick(rng, 1, 2, 3, 5), frequency=_pick(rng, 0.5, 1, 2))
        for place in range(int(rng.integers(1, 5)))
    ]
    types = _types(rng, traits)
    edges = _edges(rng, traits.shape, count)
    return ProvisioningProblem(
        operators=tuple(_operator(rng, traits, name, types) for name in names),
        streams=tuple(
            Stream(names[i], names[j], _pick(rng, 0.5, 1, 2), tuple_bytes=_pick(rng, 0, 1, 2, 4))
            for i, j in edges
        ),
        types=tuple(types),
        needs=_needs(rng, traits.shape, names, edges, [it.id for it in objects]),
        objects=tuple(objects),
        servers=_servers(rng, traits, [it.id for it in objects], types),
        link=_pick(rng, 2, 4, 8) if traits.narrow else _pick(rng, inf, 10),
        links=_links(rng, types) if traits.by_type else {},
        throughput=_pick(rng, 1, 1, 0.5, 2),
    )


def provisioning_problems(
    shape: Shape | None = None, *, operators: int = 6
) -> st.SearchStrategy[ProvisioningProblem]:
    """Problems of at most so many operators; each is drawn by its seed, so it does not shrink."""

    def problem(seed: int) -> ProvisioningProblem:
        traits = Traits.drawn(default_rng([seed, 1]), shape)
        return random_provisioning(seed, traits, operators=operators)

    return st.integers(0, 2**40).map(problem)


def _edges(rng: Generator, shape: Shape, count: int) -> list[tuple[int, int]]:
    """Return (from, to); operator 0 is the root of trees."""
    if shape is Shape.LEFT_DEEP:
        return [(place, place - 1) for place in range(1, count)]
    if shape is Shape.DAG:
        pairs = [(i, j) for j in range(count) for i in range(j + 1, count)]
        return [pair for pair in pairs if rng.random() < 0.4]
    children = [0] * count
    edges = []
    for place in range(1, count):
        free = [it for it in range(place) if children[it] < 2]
        parent = free[int(rng.integers(len(free)))]
        children[parent] += 1
        edges.append((place, parent))
    return edges


def _needs(
    rng: Generator, shape: Shape, names: list[str], edges: list[tuple[int, int]], objects: list[str]
) -> dict[str, tuple[str, ...]]:
    needs: dict[str, tuple[str, ...]] = {}
    for place, name in enumerate(names):
        children = sum(to == place for _, to in edges)
        room = max(0, 2 - children)
        if shape is Shape.LEFT_DEEP:
            room = 1
        if shape is Shape.DAG:
            room = int(rng.integers(3))
        at_least = 1 if room and not children else 0
        many = min(len(objects), int(rng.integers(at_least, room + 1)))
        if many:
            needs[name] = tuple(rng.choice(objects, many, replace=False).tolist())
    return needs


def _types(rng: Generator, traits: Traits) -> list[MachineType]:
    made = []
    speeds, cards = (2.0, 4.0, 8.0), (8.0, 16.0, 32.0)
    for place in range(1 if traits.one_type else int(rng.integers(2, 7))):
        cpu, card = _pick(rng, *speeds), _pick(rng, *cards) / (2 if traits.narrow else 1)
        made.append(
            MachineType(
                f"t{place}",
                cpu=cpu,
                card=card,
                price=10 + 3 * cpu + 0.5 * card + float(rng.integers(3)),
                memory=_pick(rng, 2, 4, inf) if traits.memory else inf,
                count=_pick(rng, 1, 2) if traits.counted else inf,
            )
        )
    return made


def _operator(rng: Generator, traits: Traits, name: str, types: list[MachineType]) -> Operator:
    choice = None
    if traits.candidates and rng.random() < 0.5:
        size = int(rng.integers(1, len(types) + 1))
        names = [it.name for it in types]
        choice = tuple(rng.choice(names, size, replace=False).tolist())
    return Operator(
        name,
        cpu=_pick(rng, 2, 3, 5) if traits.heavy else _pick(rng, 0, 0.5, 1, 1.5),
        memory=_pick(rng, 0, 1, 2) if traits.memory else 0.0,
        candidates=choice,
    )


def _servers(
    rng: Generator, traits: Traits, objects: list[str], types: list[MachineType]
) -> tuple[DataServer, ...]:
    count = int(rng.integers(1, 4))
    held: list[list[str]] = [[] for _ in range(count)]
    for name in objects:
        copies = 1 if traits.scarce else int(rng.integers(1, count + 1))
        for place in rng.choice(count, copies, replace=False):
            held[place].append(name)
    return tuple(
        DataServer(
            f"s{place}",
            tuple(names),
            card=_pick(rng, 6, 12, 20) if traits.narrow else _pick(rng, inf, 40),
            link=_pick(rng, 4, 8, 12) if traits.narrow else _pick(rng, inf, 20),
            links={it.name: _pick(rng, 5, 10, inf) for it in types} if traits.by_type else {},
        )
        for place, names in enumerate(held)
    )


def _links(rng: Generator, types: list[MachineType]) -> dict[tuple[str, str], float]:
    names = [it.name for it in types]
    return {
        (one, other): _pick(rng, 2, 6, inf)
        for place, one in enumerate(names)
        for other in names[place:]
        if rng.random() < 0.7
    }


def _pick(rng: Generator, *values: float) -> float:
    return float(values[int(rng.integers(len(values)))])
