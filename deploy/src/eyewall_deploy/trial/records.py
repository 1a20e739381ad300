"""Results of a trial: values only, as they go into its files, tables and picture."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping  # noqa: TC003 - msgspec reads it
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from eyewall_deploy.measure.load_samples import bucket_of, latency_percentile
from eyewall_deploy.measure.seen_numbers import SeenNumbers  # noqa: TC001 - msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MICROS = 1e6
ACKED = 0.97
"""Share of the due tuples that has to be acked for a rate to be sustained."""
LATENCY_LIMIT = 0.2
"""Seconds of p99 up to which rates are compared as well: the same for all schedulers."""
SAME_RATE = 0.02
"""Rates that differ by less count as one."""


@dataclass(frozen=True, slots=True)
class RunSecond:
    """One second of a run.

    Parameters
    ----------
    at
        Seconds since the start of the measurement.
    out
        Tuples at the sinks.
    behind
        Seconds by which the source's next tuple is late.
    p50, p99
        Of the tuples acked in this second, in seconds from when they were due; None without any.
    cpu
        Cores in use by host, as far as they were read.
    stolen
        Share of the machine that other guests had; None where it is not known.
    busy
        Cores of the machine in use by anything of it; None where it is not known.
    latency
        Acks by bucket of their latency.
    memory
        Resident bytes by host, at the end of the second.
    workers
        How many of Storm's workers run by host, also those about to end.
    out_slots
        Bit n is set if a tuple arrived at a sink in the n-th of the second's `SLOTS`; None where
        that is not known.
    """

    at: int
    out: int
    emitted: int
    acked: int
    failed: int
    replayed: int
    pending: int
    behind: float
    p50: float | None
    p99: float | None
    cpu: Mapping[str, float]
    stolen: float | None
    busy: float | None
    latency: Mapping[int, int] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)
    workers: Mapping[str, int] = field(default_factory=dict)
    out_slots: int | None = None


@dataclass(frozen=True, slots=True)
class TrialMove:
    """A change of the assignment after the first placement.

    Parameters
    ----------
    at
        When it was seen, in seconds since the start of the measurement; below 0 while the sources
        warmed up.
    executors
        How many changed their host.
    workers
        How many workers start because of it.
    assigned
        How many workers the trial's topologies have in all after it; 0 where it was not recorded.
    unseen_since
        When Nimbus was asked for the answer before, in which nothing had moved yet; as `at`. None
        where it was not recorded: then a second before.
    placement
        Hosts with their executors after it; empty in older records.
    """

    at: float
    executors: int
    workers: int
    assigned: int = 0
    unseen_since: float | None = None
    placement: tuple[str, ...] = ()

    @property
    def earliest(self) -> float:
        """When it can have happened at the earliest; as `at`."""
        return self.at - 1 if self.unseen_since is None else self.unseen_since


@dataclass(frozen=True, slots=True)
class ForecastValue:
    """A value that was forecast, and between what it lies."""

    value: float
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class LoadForecast:
    """What Eyewall expected of a placement at a load of the trial.

    Parameters
    ----------
    response_time
        Mean from source to sink, in seconds.
    sustainable
        The largest load that is carried.
    hosts
        Host → share of its cores in use.
    """

    load: float
    response_time: ForecastValue
    sustainable: ForecastValue
    hosts: Mapping[str, ForecastValue]


@dataclass(frozen=True, slots=True)
class TrialRun:
    """One scheduler under one load, measured.

    Parameters
    ----------
    fingerprint
        Of all that the run depends on.
    began
        Start of the measurement, seconds since the epoch.
    due
        Tuples that were due during it; None if the sources emitted as much as went.
    latency
        Acks by bucket of their latency.
    missing
        Tuples that were due during it and not acked by its end, beyond those that were late before.
    status
        The scheduler's status texts at the end.
    placement
        Hosts with their executors at the end.
    first_placement
        The same before the first of the moves; empty in older records.
    workers
        Each worker's host with its executors, at the end: who shares one. None in older records.
    seen
        What became of the tuples of its chains, and of topologies in Python; None of others.
    forecasts
        What Eyewall expected of the trial's loads, at the end; of the last run of a start alone.
    without_events
        Whether the trial's events could not happen.
    failed_events
        Why single events did not happen.
    """

    scheduler: str
    load: float
    repetition: int
    fingerprint: str
    began: float
    due: float | None
    latency: Mapping[int, int]
    seconds: tuple[RunSecond, ...]
    moves: tuple[TrialMove, ...]
    status: str
    placement: tuple[str, ...]
    forecasts: tuple[LoadForecast, ...] = ()
    without_events: bool = False
    failed_events: tuple[str, ...] = ()
    version: int = 1
    workers: tuple[str, ...] | None = None
    seen: SeenNumbers | None = None
    first_placement: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        """Tuples that were due and not acked, by the end."""
        acked = sum(second.acked for second in self.seconds)
        return 0 if self.due is None else max(0, round(self.due) - acked)

    @property
    def stolen(self) -> float | None:
        """Mean share of the machine that other guests had; None where it is not known."""
        return mean_known(second.stolen for second in self.seconds)

    def percentile(self, percent: float) -> float | None:
        """Return a latency in seconds; None if nothing was acked.

        Tuples that are missing at the end count with the time they have waited at least: they are
        taken for the last ones, due one after another.
        """
        counts = Counter(self.latency)
        if not counts:
            return None
        counts.update(bucket_of(int(wait * _MICROS)) for wait in self._waits())
        return latency_percentile(counts, percent)

    def latency_by_second(self) -> list[Counter[int]]:
        """Return what was acked in each second by bucket of its latency.

        What is missing at the end counts in the second in which it was due.
        """
        counts = [Counter(second.latency) for second in self.seconds]
        for wait in self._waits():
            counts[max(0, int(len(counts) - wait))][bucket_of(int(wait * _MICROS))] += 1
        return counts

    def _waits(self) -> Iterator[float]:
        """Yield for how many seconds each tuple that is missing at the end has waited."""
        if self.missing and self.due:
            spacing = len(self.seconds) / self.due
            yield from ((place + 0.5) * spacing for place in range(self.missing))


@dataclass(frozen=True, slots=True)
class RateMeasurement:
    """What was measured at one rate, in tuples/s.

    Parameters
    ----------
    p99
        Seconds; None without any ack.
    acked
        Share of the due tuples that were acked.
    moved
        Whether executors moved meanwhile.
    moves
        How many times executors had moved by its end.
    forecast
        The largest rate that Eyewall then expected what runs to carry; None if it was not asked.
    stolen
        Share of the machine that other guests had meanwhile; None in older files.
    emitted
        Tuples/s that the sources emitted, replays too: less than the rate where they hold back.
        None in older files, whose forecasts are too high there.
    """

    rate: float
    p99: float | None
    acked: float
    moved: bool
    moves: int = 0
    forecast: ForecastValue | None = None
    stolen: float | None = None
    emitted: float | None = None


@dataclass(frozen=True, slots=True)
class SustainableRate:
    """The result of one search; rate in tuples/s of each topology, None if none was sustained.

    With a `p99_limit` in seconds that is what was sustained; without one, twice the p99 at half.
    """

    scheduler: str
    repetition: int
    fingerprint: str
    rate: float | None
    resolution: float
    measurements: tuple[RateMeasurement, ...]
    version: int = 1
    p99_limit: float | None = None

    @property
    def p99(self) -> float | None:
        """Latency at the rate."""
        found = None if self.rate is None else self.latest_at(self.rate)
        return None if found is None else found.p99

    @property
    def forecast(self) -> ForecastValue | None:
        """What was forecast for it at half of it, for the same placement."""
        if self.rate is None:
            return None
        half, full = self.latest_at(self.rate / 2), self.latest_at(self.rate)
        if half is None or full is None or half.moves != full.moves:
            return None
        return half.forecast

    def within(self, limit: float) -> float | None:
        """Return the largest rate whose last p99 was within a limit, with nearly all acked.

        The limit is the same for all schedulers: twice its own p99 at half of a rate is kind to one
        that is slow there. It is one measurement: a p99 at lower rates may have been above it.
        """
        latest = (self.latest_at(it.rate) for it in self.measurements)
        held = (
            it.rate
            for it in latest
            if it is not None and it.p99 is not None and it.p99 <= limit and it.acked >= ACKED
        )
        return max(held, default=None)

    def latest_at(self, rate: float) -> RateMeasurement | None:
        """Return what was measured last at a rate."""
        tries = reversed(self.measurements)
        return next((it for it in tries if math.isclose(it.rate, rate, rel_tol=SAME_RATE)), None)


def mean_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are known; None if none is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
