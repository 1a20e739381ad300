"""Where hosts are drawn: their latency space flattened to two dimensions.

A projection may be turned and mirrored at will, and from one reading to the next principal axes do
turn. So that hosts do not jump about on the map, each projection is turned and mirrored to fit the
one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eyewall_monitor.dashboard.views.cluster import Position

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyewall_contracts.latency import Coordinate
    from numpy.typing import NDArray

Points = Any  # NDArray[np.float64], two columns
_PLACES: Final = 6
"""Digits after the point: microseconds."""


def from_coordinates(
    coordinates: Mapping[str, Coordinate], before: Mapping[str, Position]
) -> dict[str, Position]:
    """Flatten network coordinates to the plane in which they differ most (PCA).

    Hosts whose coordinates are of another number of dimensions than most are left out.
    """
    sizes = [len(it.position) for it in coordinates.values()]
    if not sizes:
        return {}
    usual = max(sorted(set(sizes)), key=sizes.count)
    names = sorted(name for name, it in coordinates.items() if len(it.position) == usual)
    space = np.array([coordinates[name].position for name in names])
    centred = space - space.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    flat = _two_columns(centred @ axes[:2].T)
    placed = _turned(names, flat, before, "coordinates")
    return {
        name: Position(
            x=round(float(x), _PLACES),
            y=round(float(y), _PLACES),
            height=round(coordinates[name].height, _PLACES),
            source="coordinates",
        )
        for name, (x, y) in zip(names, placed, strict=True)
    }


def from_delays(
    names: Sequence[str],
    delays: Mapping[tuple[str, str], float],
    before: Mapping[str, Position],
) -> dict[str, Position]:
    """Scale delays between all pairs to a plane (classical MDS).

    Parameters
    ----------
    delays
        One way, by source and target. Nothing is placed unless every pair is known.
    """
    names = sorted(names)
    if len(names) < 2:
        return {name: Position(x=0.0, y=0.0, source="delays") for name in names}
    size = len(names)
    round_trips = np.zeros((size, size))
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            there, back = delays.get((a, b)), delays.get((b, a))
            if there is None or back is None:
                return {}
            round_trips[i, j] = round_trips[j, i] = there + back
    centring = np.eye(size) - 1.0 / size
    values, vectors = np.linalg.eigh(-0.5 * centring @ (round_trips**2) @ centring)
    largest = np.argsort(values)[::-1][:2]
    flat = vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0))
    placed = _turned(names, _two_columns(flat), before, "delays")
    return {
        name: Position(x=round(float(x), _PLACES), y=round(float(y), _PLACES), source="delays")
        for name, (x, y) in zip(names, placed, strict=True)
    }


def _two_columns(flat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fewer than two dimensions, or two hosts, span no plane: the rest is 0."""
    missing = 2 - flat.shape[1]
    return np.pad(flat, ((0, 0), (0, missing))) if missing > 0 else flat


def _turned(
    names: Sequence[str],
    flat: NDArray[np.float64],
    before: Mapping[str, Position],
    source: str,
) -> NDArray[np.float64]:
    """Turn and mirror to fit the map before; without one, long tails point right and up."""
    known = [i for i, it in enumerate(names) if it in before and before[it].source == source]
    if len(known) < 2:
        signs = np.sign((flat**3).sum(axis=0))
        return flat * np.where(signs == 0, 1.0, signs)
    old = np.array([(before[names[i]].x, before[names[i]].y) for i in known])
    new = flat[known]
    left, _, right = np.linalg.svd(
        (new - new.mean(axis=0)).T @ (old - old.mean(axis=0)), full_matrices=True
    )
    turned: NDArray[np.float64] = flat @ (left @ right)
    return turned
