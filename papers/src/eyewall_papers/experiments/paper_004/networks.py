"""Networks and tasks like those of paper 004, section 4.2, as far as the paper describes them.

The topology generator and the capacities of a volunteer computing project that the authors drew
from are not at hand. Each substitute is documented where it is drawn.
"""

import numpy as np
from eyewall_sidecar.model import Node
from numpy.random import Generator
from numpy.typing import NDArray

from eyewall_papers.bimodal.network import DedicatedLink, TwoKindNetwork
from eyewall_papers.bimodal.task import Task

COMPONENTS = 10
SERVICE = "any"
"""Every node may hold every component: the stages of the paper's bound have all n servers."""
LINKS_EACH = 2
"""Links of a joining node; BRITE's default for Barabási and Albert's model."""
SLOWEST, FASTEST = 10e6 / 8, 1e9 / 8
"""bytes/s of a link: 10 Mbps and 1 Gbps."""
SHAPE = 1.2
"""Of the truncated power law; the paper names none, BRITE's heavy-tailed bandwidths have this."""
SPREAD = 0.6
"""σ of log cores. Hosts of volunteer projects are skewed to the right, most of them within a factor
of two of the median; the project's own table is not at hand."""
DEVIATION = 0.25
"""Standard deviation of a need as a part of its mean; the paper names none."""
SECONDS_ACROSS = 0.05
"""Delay along the side of the square in which nodes lie."""


def preferential_links(count: int, rng: Generator) -> list[tuple[int, int]]:
    """Join nodes one after the other, each to LINKS_EACH older ones in proportion to their degree.

    Barabási and Albert's model, grown from a first pair of nodes.
    """
    links = [(0, 1)]
    ends = [0, 1]
    for node in range(2, count):
        chosen: set[int] = set()
        while len(chosen) < min(LINKS_EACH, node):
            chosen.add(ends[int(rng.integers(len(ends)))])
        for other in sorted(chosen):
            links.append((other, node))
            ends += [other, node]
    return links


def truncated_power_law(count: int, rng: Generator) -> NDArray[np.float64]:
    """Draw bandwidths between SLOWEST and FASTEST, with density ∝ b^−(SHAPE + 1)."""
    most = 1 - (SLOWEST / FASTEST) ** SHAPE
    drawn: NDArray[np.float64] = SLOWEST * (1 - most * rng.random(count)) ** (-1 / SHAPE)
    return drawn


def barabasi_network(count: int, rng: Generator) -> TwoKindNetwork:
    """Draw a network of dedicated links alone, as section 4.2 has it; link costs are delays."""
    names = [f"n{place}" for place in range(count)]
    places = rng.random((count, 2))
    links = preferential_links(count, rng)
    bandwidths = truncated_power_law(len(links), rng)
    return TwoKindNetwork(
        nodes=tuple(
            Node(name, cpu=float(cores))
            for name, cores in zip(names, rng.lognormal(0.0, SPREAD, count), strict=True)
        ),
        dedicated=tuple(
            DedicatedLink(
                names[one],
                names[other],
                bandwidth=float(bandwidth),
                delay=SECONDS_ACROSS * float(np.linalg.norm(places[one] - places[other])),
            )
            for (one, other), bandwidth in zip(links, bandwidths, strict=True)
        ),
        services={name: frozenset({SERVICE}) for name in names},
    )


def demanding_task(
    network: TwoKindNetwork, components: int, rng: Generator, *, max_null: int
) -> Task:
    """Draw a task whose mean needs are 50 % of the mean capacity and bandwidth."""
    cores = float(np.mean([node.cpu for node in network.nodes]))
    bandwidth = float(np.mean([link.bandwidth for link in network.dedicated]))
    source, sink = rng.choice([node.id for node in network.nodes], size=2, replace=False)
    return Task.of_services(
        "task",
        (str(source), str(sink)),
        [SERVICE] * components,
        _needs(cores, components, rng),
        _needs(bandwidth, components + 1, rng),
        max_null=max_null,
    )


def _needs(mean: float, count: int, rng: Generator) -> list[float]:
    """Draw from a normal distribution around half the mean; never below a tenth of that."""
    drawn = rng.normal(0.5 * mean, 0.5 * mean * DEVIATION, count)
    return [float(it) for it in np.maximum(drawn, 0.05 * mean)]
