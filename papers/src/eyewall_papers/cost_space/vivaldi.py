"""Network coordinates from delays by spring relaxation: Vivaldi, simulated in one place.

Dabek, Cox, Kaashoek, Morris, "Vivaldi: a decentralized network coordinate system", SIGCOMM 2004,
figure 3, with its constants c_c = c_e = 0.25; the papers 001 (reference [6]) and 002 build their
latency space with it.
"""

import numpy as np
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import kernel
from eyewall_sidecar.model.links import Matrix
from numpy.random import Generator

from eyewall_papers.cost_space.distance import distance

ADJUSTMENT = 0.25
"""c_c and c_e of the paper."""
LARGEST_ERROR, LEAST_ERROR = 1.0, 1e-6
"""Of one sample, and of a node's estimate, as fractions of the delay."""


def embed(delays: Matrix, *, dimensions: int, rounds: int, rng: Generator) -> Floats:
    """Return [node, dimension]: coordinates whose distances come near the delays.

    Both directions of a link are averaged: a distance has none.

    Parameters
    ----------
    delays
        [node, node]: in the unit that the coordinates shall have.
    dimensions
        Of the space.
    rounds
        How often each node measures itself against another one, drawn anew each time.
    rng
        Draws the first positions and the partners.
    """
    count = len(delays)
    distances = (delays + delays.T) / 2
    scale = float(np.median(distances[distances > 0])) if (distances > 0).any() else 0.0
    coordinates = rng.normal(scale=scale / 10 if scale else 1.0, size=(count, dimensions))
    if count < 2 or not scale:
        return np.zeros((count, dimensions))
    partners = rng.integers(1, count, size=(rounds, count))
    _relax(distances, partners, scale * 1e-3, coordinates)
    return coordinates


@kernel
def _relax(distances: Matrix, partners: Places, shortest: float, coordinates: Floats) -> None:
    """Let each node be pulled or pushed by its partner of each round; changes `coordinates`."""
    count = len(coordinates)
    errors = np.full(count, LARGEST_ERROR)
    for turn in range(len(partners)):
        for node in range(count):
            partner = (node + partners[turn, node]) % count
            wanted = distances[node, partner]
            length = distance(coordinates[node], coordinates[partner])
            if length == 0.0:
                continue
            weight = errors[node] / (errors[node] + errors[partner])
            sample = min(abs(length - wanted) / max(wanted, shortest), LARGEST_ERROR)
            share = ADJUSTMENT * weight
            errors[node] = max(LEAST_ERROR, sample * share + errors[node] * (1.0 - share))
            stretch = share * (wanted - length) / length
            for axis in range(coordinates.shape[1]):
                apart = coordinates[node, axis] - coordinates[partner, axis]
                coordinates[node, axis] += stretch * apart
