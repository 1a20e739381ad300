"""The cost space: nodes have positions whose distances estimate delays (paper 001, section III).

Vivaldi embeds delays: Dabek et al., SIGCOMM 2004, figure 3.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.compilation import compiled, kernel
from eyewall_sidecar.model.links import Matrix
from numpy.random import Generator, default_rng


@compiled
def distance(one: Floats, other: Floats) -> float:
    """Return the Cartesian distance of two positions, [dimension] each."""
    square = 0.0
    for axis in range(len(one)):
        apart = one[axis] - other[axis]
        square += apart * apart
    return sqrt(square)


ADJUSTMENT = 0.25
"""c_c and c_e of the paper."""
LARGEST_ERROR, LEAST_ERROR = 1.0, 1e-6
"""Of one sample, and of a node's estimate, as fractions of the delay."""


def embed(delays: Matrix, *, dimensions: int, rounds: int, rng: Generator) -> Floats:
    """Return [node, dimension]: coordinates whose distances approximate the delays.

    Both directions of a link are averaged: a distance has none.

    Parameters
    ----------
    delays
        [node, node]: in the unit that the coordinates shall have.
    dimensions
        Of the space.
    rounds
        How often each node measures itself against another one, drawn again each time.
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


DIMENSIONS = 3
"""As in paper 001, section IV."""
ROUNDS = 400
"""Rounds after which the error of PlanetLab's delays no longer falls."""


@dataclass(frozen=True, slots=True, eq=False)
class CostSpace:
    """Positions of all nodes.

    Parameters
    ----------
    coordinates
        [node, dimension]: in seconds where they were embedded, else as they were given.
    remark
        Where they come from, as a sentence for a person.
    """

    coordinates: Floats
    remark: str


def cost_space(problem: PlacementProblem, seed: int) -> CostSpace:
    """Return the nodes' own coordinates, or embed the delays if a node lacks them."""
    given = [node.coordinates for node in problem.nodes if node.coordinates is not None]
    sizes = sorted({len(it) for it in given})
    if len(given) == len(problem.nodes) and len(sizes) == 1 and sizes[0]:
        count = f"{sizes[0]} dimension{'s' if sizes[0] > 1 else ''}"
        return CostSpace(np.array(given, dtype=np.float64), f"the nodes' own coordinates, {count}")
    delays = problem.link_matrix.delays
    coordinates = embed(delays, dimensions=DIMENSIONS, rounds=ROUNDS, rng=default_rng(seed))
    if not given:
        why = "no node has coordinates"
    elif len(given) < len(problem.nodes):
        why = f"{len(problem.nodes) - len(given)} of {len(problem.nodes)} nodes lack coordinates"
    else:
        why = f"the nodes' coordinates have {' and '.join(map(str, sizes))} dimensions"
    error = mean_error(coordinates, delays)
    return CostSpace(
        coordinates,
        f"{why}: embedded in {DIMENSIONS} dimensions from the delays by spring relaxation, seed "
        f"{seed}, off by {error * 1e3:.3g} ms on average",
    )


def mean_error(coordinates: Floats, delays: Matrix) -> float:
    """Return the mean of |distance − delay| over pairs of different nodes, in the delays' unit."""
    count = len(delays)
    if count < 2:
        return 0.0
    total = 0.0
    for place, row in enumerate(delays):
        total += float(np.abs(np.linalg.norm(coordinates - coordinates[place], axis=1) - row).sum())
    return total / (count * (count - 1))
