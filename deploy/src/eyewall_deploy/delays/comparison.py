"""Estimated delays held against true ones, pair by pair of hosts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from statistics import median, quantiles
from typing import TYPE_CHECKING

from eyewall_contracts.latency import Delay, delay_between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.delays.registry import LatencyRecords
    from eyewall_deploy.wan.delay_file import DelayTable


@dataclass(frozen=True, slots=True)
class Pair:
    """Two hosts; delays in seconds, one way, which is half of the way there and back.

    Parameters
    ----------
    true
        What the emulated network does; the mean of both directions.
    found
        What a reader of the registry is told: None where it is unknown.
    kind
        `measured`, `estimated` (by coordinates) or `unknown`.
    age
        Seconds; None where it is unknown.
    confidence
        0 to 1.
    error
        |found - true| / true; None where it is unknown, or there is no delay.
    coordinates
        What the coordinates alone would say, whether or not the pair is measured.
    coordinates_error
        As `error`, of `coordinates`.
    """

    a: str
    b: str
    true: float
    found: float | None
    kind: str
    age: float | None
    confidence: float
    error: float | None
    coordinates: float | None
    coordinates_error: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """All pairs in a few figures; errors are relative, None where none is known."""

    pairs: int
    measured: int
    estimated: int
    unknown: int
    median_error: float | None
    p90_error: float | None
    largest_error: float | None
    median_error_ms: float | None
    coordinates_median_error: float | None
    coordinates_p90_error: float | None
    oldest: float | None
    least_confidence: float


def compare(table: DelayTable, registry: LatencyRecords) -> tuple[Pair, ...]:
    """Hold the registry against the delay file, each pair of hosts once."""
    places = enumerate(table.hosts)
    return tuple(
        _pair(a, b, (table.delay[i][j] + table.delay[j][i]) / 2, registry)
        for (i, a), (j, b) in combinations(places, 2)
    )


def summarise(pairs: Sequence[Pair]) -> Summary:
    """Sum up, unknown pairs counted and otherwise left out."""
    kinds = [pair.kind for pair in pairs]
    errors = [pair.error for pair in pairs if pair.error is not None]
    by_coordinates = [p.coordinates_error for p in pairs if p.coordinates_error is not None]
    return Summary(
        pairs=len(pairs),
        measured=kinds.count("measured"),
        estimated=kinds.count("estimated"),
        unknown=kinds.count("unknown"),
        median_error=median(errors) if errors else None,
        p90_error=_p90(errors),
        largest_error=max(errors, default=None),
        median_error_ms=(
            median(1000 * abs(p.found - p.true) for p in pairs if p.found is not None)
            if any(p.found is not None for p in pairs)
            else None
        ),
        coordinates_median_error=median(by_coordinates) if by_coordinates else None,
        coordinates_p90_error=_p90(by_coordinates),
        oldest=max((pair.age for pair in pairs if pair.age is not None), default=None),
        least_confidence=min((pair.confidence for pair in pairs), default=0.0),
    )


def _pair(a: str, b: str, true: float, registry: LatencyRecords) -> Pair:
    here, there = registry.hosts.get(a), registry.hosts.get(b)
    found = delay_between(here, there, registry.probed(a, b), now=registry.now)
    coordinates = delay_between(here, there, {}, now=registry.now)
    return Pair(
        a=a,
        b=b,
        true=true,
        found=found.seconds,
        kind=found.kind,
        age=found.age if math.isfinite(found.age) else None,
        confidence=found.confidence,
        error=_error(found, true),
        coordinates=coordinates.seconds,
        coordinates_error=_error(coordinates, true),
    )


def _error(delay: Delay, true: float) -> float | None:
    if delay.seconds is None or not true:
        return None
    return abs(delay.seconds - true) / true


def _p90(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return max(values, default=None)
    return quantiles(values, n=10, method="inclusive")[-1]
