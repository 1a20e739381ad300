"""Small random networks with both kinds of links, and tasks to map onto them, from a seed."""

from dataclasses import dataclass
from itertools import combinations
from math import inf

from eyewall_papers.bimodal.network import DedicatedLink, TwoKindNetwork
from eyewall_papers.bimodal.task import Task
from eyewall_sidecar.model import LinkMatrix, Node
from numpy.random import Generator, default_rng

SERVICES = ("encode", "filter", "join")


@dataclass(frozen=True, slots=True)
class Case:
    """A network and a task for it."""

    network: TwoKindNetwork
    task: Task


def random_case(seed: int, *, nodes: int = 5, components: int = 3) -> Case:
    """Draw a case in which capacities, bandwidths and budgets often bind, and often do not."""
    rng = default_rng(seed)
    names = tuple("abcdefgh"[:nodes])
    links = tuple(
        DedicatedLink(
            *pair,
            bandwidth=float(rng.choice([1.0, 2.0, 3.0, inf])),
            delay=float(rng.integers(1, 6)) / 1000,
            price=float(rng.integers(0, 3)),
        )
        for pair in combinations(names, 2)
        if rng.random() < 0.5
    )
    public = None
    if rng.random() < 0.5:
        delays = rng.integers(3, 30, size=(nodes, nodes)) / 1000
        public = LinkMatrix.from_delays(names, delays)
    network = TwoKindNetwork(
        nodes=tuple(Node(name, cpu=float(rng.integers(0, 4))) for name in names),
        dedicated=links,
        public=public,
        uplinks={name: float(rng.integers(0, 4)) for name in names},
        downlinks={name: float(rng.integers(0, 4)) for name in names},
        services=_services(names, rng),
    )
    return Case(network, _task(names, components, rng))


def _services(names: tuple[str, ...], rng: Generator) -> dict[str, frozenset[str]]:
    served = {name: frozenset(it for it in SERVICES if rng.random() < 0.6) for name in names}
    return served | {names[0]: frozenset(SERVICES)}


def _task(names: tuple[str, ...], components: int, rng: Generator) -> Task:
    source, sink = rng.choice(names, size=2)
    return Task.of_services(
        "t",
        (str(source), str(sink)),
        [str(it) for it in rng.choice(SERVICES, size=components)],
        [float(it) for it in rng.integers(0, 3, size=components)],
        [float(it) for it in rng.choice([0.5, 1.0, 1.5], size=components + 1)],
        budgets=[float(it) for it in rng.choice([0.0, 1.0, 3.0, inf], size=components + 1)],
        max_null=int(rng.integers(0, 3)),
    )
