"""The cost space: where nodes have positions whose distances stand for delays (paper 001, III)."""

from dataclasses import dataclass

import numpy as np
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.model.arrays import Floats
from eyewall_sidecar.model.links import Matrix
from numpy.random import default_rng

from eyewall_papers.cost_space.vivaldi import embed

DIMENSIONS = 3
"""As in paper 001, section IV."""
ROUNDS = 400
"""After which the error of PlanetLab's delays no longer falls."""


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
