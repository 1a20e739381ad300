"""Network coordinates that go on measuring: Vivaldi on delays that fluctuate.

Figure 3 of Dabek et al. (SIGCOMM 2004) as in `cost_space.vivaldi`, but each sample is
drawn anew, as netem delays each packet anew (paper 000, section 7.1), so it never comes to rest.
"""

from dataclasses import dataclass

import numpy as np
from eyewall_sidecar.model.arrays import Floats, Places
from eyewall_sidecar.model.compilation import compiled
from eyewall_sidecar.model.links import Matrix
from numpy.random import Generator

from eyewall_papers.cost_space.cost_space import DIMENSIONS
from eyewall_papers.cost_space.distance import distance
from eyewall_papers.cost_space.vivaldi import ADJUSTMENT, LARGEST_ERROR, LEAST_ERROR

JITTER = 0.001, 0.003
"""Seconds: the paper's standard deviations of a one-way delay are in [1, 3] ms."""


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """Estimates of all nodes; changed by `measure`.

    Parameters
    ----------
    delays, deviations
        [node, node]: mean and standard deviation of half a round trip, in seconds.
    positions
        [node, dimension].
    errors
        [node]: what each believes its own relative error to be.
    rng
        Draws partners and samples.
    """

    delays: Matrix
    deviations: Matrix
    positions: Floats
    errors: Floats
    rng: Generator

    @classmethod
    def unknown(cls, delays: Matrix, rng: Generator) -> "Coordinates":
        count = len(delays)
        one_way = rng.uniform(*JITTER, (count, count))
        # A round trip is the sum of both ways: variances add, and half of it has a quarter.
        deviations = np.sqrt(one_way**2 + one_way.T**2) / 2
        positions = rng.normal(scale=1e-3, size=(count, DIMENSIONS))
        errors = np.full(count, LARGEST_ERROR)
        return cls((delays + delays.T) / 2, deviations, positions, errors, rng)

    def measure(self, rounds: int) -> None:
        """Let each node measure another one, `rounds` times."""
        count = len(self.delays)
        nodes = np.broadcast_to(np.arange(count), (rounds, count))
        partners = (nodes + self.rng.integers(1, count, (rounds, count))) % count
        samples = self.rng.normal(self.delays[nodes, partners], self.deviations[nodes, partners])
        _relax(np.maximum(samples, 1e-4), partners, self.positions, self.errors)


@compiled
def _relax(samples: Floats, partners: Places, positions: Floats, errors: Floats) -> None:
    for turn in range(len(samples)):
        for node in range(len(positions)):
            partner, wanted = partners[turn, node], samples[turn, node]
            length = distance(positions[node], positions[partner])
            if length == 0.0:
                continue
            weight = errors[node] / (errors[node] + errors[partner])
            sample = min(abs(length - wanted) / wanted, LARGEST_ERROR)
            share = ADJUSTMENT * weight
            errors[node] = max(LEAST_ERROR, sample * share + errors[node] * (1.0 - share))
            stretch = share * (wanted - length) / length
            for axis in range(positions.shape[1]):
                apart = positions[node, axis] - positions[partner, axis]
                positions[node, axis] += stretch * apart
