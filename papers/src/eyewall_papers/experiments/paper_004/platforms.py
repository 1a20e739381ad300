"""Platforms and workloads like those of paper 004, section 6.1.

What the paper leaves open, and how it is read:

- A server attempts to link with another in proportion to the links that this one has. Servers join
  one after the other with one attempt each, so that N − 1 links are a spanning tree; with fewer,
  the last servers have none; with more, servers drawn at random attempt again.
- Rates are uniform within half and one and a half of their mean, and so are volumes. An instance of
  a service takes a core at the mean rate, and in proportion at others.
- Source and sink are any two different servers. A hop costs 1 for a byte, and a task's budget for
  each of its streams is uniform from 1 to h + 1: it pays for one to h hops, each as likely. h is 3
  where nothing else is said: 50 % of the tasks are then accepted with 120 dedicated links alone,
  as the paper has it.
- Bandwidth shrinkage factors are 1.
"""

from dataclasses import replace

import numpy as np
from eyewall_sidecar.model import LinkMatrix, Node
from numpy.random import Generator

from eyewall_papers.bimodal.network import DedicatedLink, TwoKindNetwork
from eyewall_papers.bimodal.simulation import TaskArrival
from eyewall_papers.bimodal.task import Task

SERVERS = 100
SERVICES = 25
INSTANCES = 2
"""k: instances of each service that a server runs at a time."""
COMPONENTS = 10
MEAN_RATE = 1e6 / 8
"""bytes/s."""
MEAN_VOLUME = 100e6
"""bytes."""
SPREAD = 0.5
PRICE = 1.0
HOUR = 3600.0
MBPS = 1e6 / 8


def random_platform(links: int, rng: Generator) -> TwoKindNetwork:
    """Draw servers with so many dedicated links between them, and the public network."""
    names = tuple(f"s{place}" for place in range(SERVERS))
    pairs = preferential_pairs(SERVERS, links, rng)
    degrees = np.bincount([end for pair in pairs for end in pair], minlength=SERVERS)
    kinds = [str(service) for service in range(SERVICES)]
    hosted = [min(SERVICES, 1 + int(degree)) for degree in degrees]
    lasts = {name: float(rng.uniform(1 * MBPS, 2 * MBPS)) for name in names}
    return TwoKindNetwork(
        nodes=tuple(
            Node(name, cpu=float(INSTANCES * services))
            for name, services in zip(names, hosted, strict=True)
        ),
        dedicated=tuple(
            DedicatedLink(
                names[one],
                names[other],
                bandwidth=float(rng.uniform(1 * MBPS, 10 * MBPS)),
                delay=float(rng.uniform(0.001, 0.010)),
                price=PRICE,
            )
            for one, other in pairs
        ),
        public=LinkMatrix.from_delays(names, rng.uniform(0.010, 0.100, (SERVERS, SERVERS))),
        uplinks=lasts,
        downlinks=lasts,
        services={
            name: frozenset(rng.choice(kinds, size=services, replace=False).tolist())
            for name, services in zip(names, hosted, strict=True)
        },
    )


def preferential_pairs(servers: int, links: int, rng: Generator) -> list[tuple[int, int]]:
    """Draw pairs of servers that link, each attempt in proportion to degrees; 1 where all are 0."""
    degrees = np.zeros(servers)
    pairs: list[tuple[int, int]] = []
    linked = np.eye(servers, dtype=bool)
    for number in range(links):
        joining = number + 1
        one = joining if joining < servers else int(rng.integers(servers))
        known = min(joining, servers)
        weights = np.where(linked[one, :known], 0.0, np.maximum(degrees[:known], number == 0))
        while not weights.any():
            one = int(rng.integers(servers))
            weights = np.where(linked[one], 0.0, degrees)
        other = int(rng.choice(len(weights), p=weights / weights.sum()))
        linked[one, other] = linked[other, one] = True
        degrees[[one, other]] += 1
        pairs.append((one, other))
    return pairs


def workload(
    network: TwoKindNetwork, tasks: int, per_hour: float, hops: int, rng: Generator
) -> tuple[TaskArrival, ...]:
    """Draw tasks that arrive as a Poisson process.

    With the same generator, tasks and gaps in mean gaps are the same at each rate of arrivals.
    `hops` is the longest dedicated path that the richest of them pays for.
    """
    gaps = rng.exponential(1.0, tasks) * HOUR / per_hour
    return tuple(
        _arrival(network, f"t{place}", float(at), hops, rng)
        for place, at in enumerate(np.cumsum(gaps))
    )


def dedicated_only(network: TwoKindNetwork) -> TwoKindNetwork:
    """Take the public network away."""
    return replace(network, public=None)


def public_only(network: TwoKindNetwork) -> TwoKindNetwork:
    """Take the dedicated links away; servers stay as large as they are."""
    return replace(network, dedicated=())


def _arrival(
    network: TwoKindNetwork, name: str, at: float, hops: int, rng: Generator
) -> TaskArrival:
    source, sink = rng.choice(len(network.nodes), size=2, replace=False)
    rate = MEAN_RATE * float(rng.uniform(1 - SPREAD, 1 + SPREAD))
    budget = float(PRICE * rng.uniform(1, hops + 1))
    services = rng.integers(SERVICES, size=COMPONENTS).tolist()
    task = Task.of_services(
        name,
        (network.nodes[source].id, network.nodes[sink].id),
        [str(service) for service in services],
        [rate / MEAN_RATE] * COMPONENTS,
        [rate] * (COMPONENTS + 1),
        budgets=[budget] * (COMPONENTS + 1),
        max_null=hops - 1,
    )
    return TaskArrival(at, task, MEAN_VOLUME * float(rng.uniform(1 - SPREAD, 1 + SPREAD)))
