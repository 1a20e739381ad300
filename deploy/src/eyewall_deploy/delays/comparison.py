"""Estimated delays compared with true ones, for each pair of hosts."""

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
    from eyewall_deploy.wan.delay_file import EmulatedDelays


@dataclass(frozen=True, slots=True)
class DelayComparison:
    """Two hosts; delays in seconds, one way, which is half of the way there and back.

    Parameters
    ----------
    true
        The delay of the emulated network; the mean of both directions.
    found
        What a reader of the registry gets; None if it is unknown.
    kind
        `measured`, `estimated` (by coordinates) or `unknown`.
    age
        Seconds; None if it is unknown.
    confidence
        0 to 1.
    error
        |found - true| / true; None if it is unknown or the delay is zero.
    coordinates
        The estimate of the coordinates alone, also for measured pairs.
    coordinates_error
        Like `error`, for `coordinates`.
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
class DelaySummary:
    """Figures over all pairs; errors are relative, None if none is known."""

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


def compare(table: EmulatedDelays, registry: LatencyRecords) -> tuple[DelayComparison, ...]:
    """Compare the registry with the delay file, each pair of hosts once."""
    places = enumerate(table.hosts)
    return tuple(
        _pair(a, b, (table.delay[i][j] + table.delay[j][i]) / 2, registry)
        for (i, a), (j, b) in combinations(places, 2)
    )


def summarise(pairs: Sequence[DelayComparison]) -> DelaySummary:
    """Summarise; unknown pairs are counted and otherwise left out."""
    kinds = [pair.kind for pair in pairs]
    errors = [pair.error for pair in pairs if pair.error is not None]
    by_coordinates = [p.coordinates_error for p in pairs if p.coordinates_error is not None]
    absolute = [abs(pair.found - pair.true) for pair in pairs if pair.found is not None]
    return DelaySummary(
        pairs=len(pairs),
        measured=kinds.count("measured"),
        estimated=kinds.count("estimated"),
        unknown=kinds.count("unknown"),
        median_error=median(errors) if errors else None,
        p90_error=_p90(errors),
        largest_error=max(errors, default=None),
        median_error_ms=1000 * median(absolute) if absolute else None,
        coordinates_median_error=median(by_coordinates) if by_coordinates else None,
        coordinates_p90_error=_p90(by_coordinates),
        oldest=max((pair.age for pair in pairs if pair.age is not None), default=None),
        least_confidence=min((pair.confidence for pair in pairs), default=0.0),
    )


def _pair(a: str, b: str, true: float, registry: LatencyRecords) -> DelayComparison:
    here, there = registry.hosts.get(a), registry.hosts.get(b)
    delay = delay_between(here, there, registry.probed(a, b), now=registry.now)
    coordinates = delay_between(here, there, {}, now=registry.now)
    return DelayComparison(
        a=a,
        b=b,
        true=true,
        found=delay.seconds,
        kind=delay.kind,
        age=delay.age if math.isfinite(delay.age) else None,
        confidence=delay.confidence,
        error=_error(delay, true),
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
