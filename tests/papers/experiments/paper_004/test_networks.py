from collections import Counter

import numpy as np
from eyewall_papers.experiments.paper_004.networks import (
    FASTEST,
    SLOWEST,
    barabasi_network,
    demanding_task,
    preferential_links,
    truncated_power_law,
)
from numpy.random import default_rng


def test_every_node_joins_two_older_ones() -> None:
    links = preferential_links(50, default_rng(0))
    assert len(set(links)) == len(links) == 1 + 48 * 2
    assert Counter(newer for _, newer in links)[30] == 2
    assert all(older < newer for older, newer in links)


def test_few_nodes_have_many_links() -> None:
    degrees = Counter(end for link in preferential_links(400, default_rng(1)) for end in link)
    assert max(degrees.values()) > 8 * np.mean(list(degrees.values()))


def test_bandwidths_follow_a_power_law_between_its_ends() -> None:
    # P(b > 2 · SLOWEST) = (2^−1.2 − 100^−1.2) / (1 − 100^−1.2) = (0.4353 − 0.0040) / 0.9960.
    drawn = truncated_power_law(100_000, default_rng(0))
    assert drawn.min() >= SLOWEST
    assert drawn.max() <= FASTEST
    assert abs((drawn > 2 * SLOWEST).mean() - 0.433) < 0.01


def test_a_task_needs_half_of_the_mean_on_the_average() -> None:
    network = barabasi_network(30, default_rng(0))
    task = demanding_task(network, 5000, default_rng(1), max_null=2)
    cores = np.mean([node.cpu for node in network.nodes])
    assert abs(np.mean([it.cpu for it in task.operators[1:-1]]) / cores - 0.5) < 0.01
    bandwidth = np.mean([link.bandwidth for link in network.dedicated])
    needed = np.mean([task.bandwidth(it) for it in range(5001)])
    assert abs(needed / bandwidth - 0.5) < 0.01


def test_the_same_seed_draws_the_same_network() -> None:
    assert barabasi_network(20, default_rng(3)) == barabasi_network(20, default_rng(3))
