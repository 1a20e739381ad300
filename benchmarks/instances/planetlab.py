"""Delays between PlanetLab nodes: round trips that were measured, halved.

The matrix is the all-pairs one of Zhu et al. (IEEE/ACM ToN 25(2), 2017): tab-separated
milliseconds, a row for each sender.
"""

from pathlib import Path

import numpy as np
from eyewall_sidecar.model.links import Matrix
from numpy.random import Generator

MATRIX = Path("latency", "planetlab_490_t1.tsv.gz")


def one_way_delays(data: Path) -> Matrix:
    """Return the matrix in seconds one way: round-trip time / 2, 0 on the diagonal."""
    delays = np.loadtxt(data / MATRIX, delimiter="\t") / 2 / 1000
    if delays.shape != (len(delays), len(delays)) or not np.all(np.isfinite(delays)):
        raise ValueError(f"{data / MATRIX}: {delays.shape} numbers; a full square was expected")
    np.fill_diagonal(delays, 0.0)
    return delays


def delays_between_distinct_nodes(data: Path, count: int, rng: Generator) -> Matrix:
    """Return the submatrix of `count` different nodes: delays that belong together.

    Pairs drawn one by one would know nothing of each other; a submatrix keeps who is near whom.
    """
    delays = one_way_delays(data)
    chosen = rng.choice(len(delays), count, replace=False)
    return delays[np.ix_(chosen, chosen)]
