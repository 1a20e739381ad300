"""The distance of two positions in a cost space, which stands for a delay (paper 001, III)."""

from math import sqrt

from eyewall_sidecar.model.arrays import Floats
from eyewall_sidecar.model.compilation import compiled


@compiled
def distance(one: Floats, other: Floats) -> float:
    """Return the Cartesian distance of two positions, [dimension] each."""
    square = 0.0
    for axis in range(len(one)):
        apart = one[axis] - other[axis]
        square += apart * apart
    return sqrt(square)
