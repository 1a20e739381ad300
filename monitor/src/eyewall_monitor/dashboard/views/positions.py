"""Where hosts are drawn: their latency space, projected to two dimensions.

A projection may be turned and mirrored at will, and principal axes turn from one reading to the
next. To keep hosts from jumping about on the map, each projection is turned and mirrored to match
the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from eyewall_monitor.dashboard.views.base import View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyewall_contracts.latency import Coordinate
    from numpy.typing import NDArray

    from eyewall_monitor.dashboard.snapshot import Snapshot

_DIGITS: Final = 6
"""After the point: microseconds."""

Source = Literal["coordinates", "delays"]


class Position(View):
    """Where a host is drawn, in seconds of round-trip time on both axes."""

    x: float
    y: float
    height: float = 0.0
    source: Source
    """Its network coordinate, or multidimensional scaling of the delays between hosts."""


def host_positions(snapshot: Snapshot, before: Mapping[str, Position]) -> dict[str, Position]:
    """Return positions by coordinates or, without any, by the delays of all pairs of hosts."""
    if snapshot.redis.hosts:
        coordinates = {name: it.coordinate for name, it in snapshot.redis.hosts.items()}
        return from_coordinates(coordinates, before)
    status = snapshot.sidecar.status
    if status is None or not status.delays.all_pairs:
        return {}
    links = status.delays.links
    delays = {(it.source, it.target): it.delay for it in links if it.HasField("delay")}
    return from_delays([it.host for it in status.supervisors], delays, before)


def from_coordinates(
    coordinates: Mapping[str, Coordinate], before: Mapping[str, Position]
) -> dict[str, Position]:
    """Project network coordinates to the plane in which they differ most (PCA).

    Hosts whose coordinates do not have the usual number of dimensions are left out.
    """
    sizes = [len(it.position) for it in coordinates.values()]
    if not sizes:
        return {}
    usual = max(sorted(set(sizes)), key=sizes.count)
    names = sorted(name for name, it in coordinates.items() if len(it.position) == usual)
    space = np.array([coordinates[name].position for name in names])
    centred = space - space.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    heights = [coordinates[name].height for name in names]
    return _positions(names, centred @ axes[:2].T, heights, before, "coordinates")


def from_delays(
    names: Sequence[str],
    delays: Mapping[tuple[str, str], float],
    before: Mapping[str, Position],
) -> dict[str, Position]:
    """Scale the delays between all pairs of hosts to a plane (classical multidimensional scaling).

    Parameters
    ----------
    delays
        One way, by source and target. Unless every pair is known there are no positions.
    """
    names = sorted(names)
    size = len(names)
    round_trips = np.zeros((size, size))
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            there, back = delays.get((a, b)), delays.get((b, a))
            if there is None or back is None:
                return {}
            round_trips[i, j] = round_trips[j, i] = there + back
    if size < 2:
        return _positions(names, np.zeros((size, 2)), [0.0] * size, {}, "delays")
    centring = np.eye(size) - 1.0 / size
    values, vectors = np.linalg.eigh(-0.5 * centring @ (round_trips**2) @ centring)
    largest = np.argsort(values)[::-1][:2]
    plane = vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0))
    return _positions(names, plane, [0.0] * size, before, "delays")


def _positions(
    names: Sequence[str],
    plane: NDArray[np.float64],
    heights: Sequence[float],
    before: Mapping[str, Position],
    source: Source,
) -> dict[str, Position]:
    # One dimension, or two hosts, do not span a plane: the second coordinate is 0.
    plane = np.pad(plane, ((0, 0), (0, 2 - plane.shape[1])))
    points = np.round(_match(names, plane, before, source), _DIGITS).tolist()
    return {
        name: Position(x=x, y=y, height=round(height, _DIGITS), source=source)
        for name, (x, y), height in zip(names, points, heights, strict=True)
    }


def _match(
    names: Sequence[str], plane: NDArray[np.float64], before: Mapping[str, Position], source: Source
) -> NDArray[np.float64]:
    """Turn and mirror to match the map before; without one, long tails point right and up."""
    known = [i for i, it in enumerate(names) if it in before and before[it].source == source]
    if len(known) < 2:
        signs = np.sign((plane**3).sum(axis=0))
        return plane * np.where(signs == 0, 1.0, signs)
    old = np.array([(before[names[i]].x, before[names[i]].y) for i in known])
    new = plane[known]
    left, _, right = np.linalg.svd(
        (new - new.mean(axis=0)).T @ (old - old.mean(axis=0)), full_matrices=True
    )
    matched: NDArray[np.float64] = plane @ (left @ right)
    return matched
