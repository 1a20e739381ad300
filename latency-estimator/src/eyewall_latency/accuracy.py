"""The error of coordinates against a matrix of true round-trip times."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from eyewall_contracts.latency import Coordinate

from eyewall_latency.matrix import RttMatrix


@dataclass(frozen=True, slots=True)
class Errors:
    """Of the estimates of some pairs; None if there is no such pair."""

    median_relative_error: float | None
    p90_relative_error: float | None
    median_absolute_error_ms: float | None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The accuracy of the coordinates alone, without measured RTTs.

    Parameters
    ----------
    probes_per_host
        Probes that each host was allowed.
    share_of_pairs_probed
        By at least one end.
    unprobed
        Of pairs that neither end ever probed.
    all
        Of all pairs in the matrix.
    """

    probes_per_host: int
    share_of_pairs_probed: float
    unprobed: Errors
    all: Errors


def accuracy(
    matrix: RttMatrix,
    coordinates: Sequence[Coordinate],
    probed: AbstractSet[tuple[int, int]],
    probes_per_host: int,
) -> Accuracy:
    """Compare the distance of every pair with its RTT, in each direction in the matrix."""
    unprobed: list[tuple[float, float]] = []
    every: list[tuple[float, float]] = []
    pairs_probed = 0
    count = len(coordinates)
    for i in range(count):
        for j in range(i + 1, count):
            known = (i, j) in probed or (j, i) in probed
            pairs_probed += known
            distance = coordinates[i].distance(coordinates[j])
            for rtt in (matrix.seconds[i][j], matrix.seconds[j][i]):
                if rtt is None:
                    continue
                off = abs(distance - rtt)
                every.append((off / rtt, off))
                if not known:
                    unprobed.append((off / rtt, off))
    pairs = count * (count - 1) // 2
    return Accuracy(probes_per_host, pairs_probed / pairs, _errors(unprobed), _errors(every))


def _errors(pairs: Sequence[tuple[float, float]]) -> Errors:
    if not pairs:
        return Errors(None, None, None)
    relative = sorted(pair[0] for pair in pairs)
    absolute = sorted(pair[1] for pair in pairs)
    return Errors(
        quantile(relative, 0.5), quantile(relative, 0.9), quantile(absolute, 0.5) * 1000.0
    )


def quantile(ascending: Sequence[float], share: float) -> float:
    """Return the value below which `share` lie, between neighbours in proportion."""
    place = share * (len(ascending) - 1)
    below = int(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])
