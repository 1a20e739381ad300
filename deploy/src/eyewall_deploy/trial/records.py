"""Results of a trial: values only, as they go into its files, tables and picture."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping  # noqa: TC003 - msgspec reads it
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from eyewall_deploy.measure.load_samples import bucket_of, latency_percentile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
        Share of the machine that other guests had.
    busy
        Cores of the machine in use by anything of it.
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
    stolen: float
    busy: float
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
        Seconds since the start of the measurement; below 0 while the sources warmed up.
    executors
        How many changed their host.
    workers
        How many workers start because of it.
    assigned
        How many workers the trial's topologies have in all after it; 0 where it was not recorded.
    """

    at: float
    executors: int
    workers: int
    assigned: int = 0


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
    workers
        Each worker's host with its executors, at the end: who shares one. None in older records.
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

    @property
    def missing(self) -> int:
        """Tuples that were due and not acked, by the end."""
        acked = sum(second.acked for second in self.seconds)
        return 0 if self.due is None else max(0, round(self.due) - acked)

    @property
    def stolen(self) -> float:
        """Mean share of the machine that other guests had."""
        return _mean([second.stolen for second in self.seconds])

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
    """

    rate: float
    p99: float | None
    acked: float
    moved: bool
    moves: int = 0
    forecast: ForecastValue | None = None


@dataclass(frozen=True, slots=True)
class SustainableRate:
    """The result of one search; rate in tuples/s of each topology, None if none was sustained."""

    scheduler: str
    repetition: int
    fingerprint: str
    rate: float | None
    resolution: float
    measurements: tuple[RateMeasurement, ...]
    version: int = 1

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


@dataclass(frozen=True, slots=True)
class Figure:
    """One column of the table.

    Parameters
    ----------
    key, heading
        In JSON, and for people.
    of
        Its value in one run; None is unknown.
    """

    key: str
    heading: str
    of: Callable[[TrialRun], float | None]


@dataclass(frozen=True, slots=True)
class FigureRange:
    """Median and extremes of one figure over repetitions; None if no run has it."""

    median: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class SchedulerLine:
    """One scheduler under one load: figures by key."""

    scheduler: str
    load: float
    runs: int
    figures: Mapping[str, FigureRange]


def _per_second(count: Callable[[RunSecond], int]) -> Callable[[TrialRun], float]:
    return lambda run: _mean([count(second) for second in run.seconds])


def _total(count: Callable[[RunSecond], int]) -> Callable[[TrialRun], float]:
    return lambda run: float(sum(count(second) for second in run.seconds))


def _moved(count: Callable[[TrialMove], int]) -> Callable[[TrialRun], float]:
    return lambda run: float(sum(count(move) for move in run.moves))


FIGURES = (
    Figure("due_per_second", "due/s", lambda run: run.due and run.due / len(run.seconds)),
    Figure("acked_per_second", "acked/s", _per_second(lambda second: second.acked)),
    Figure("out_per_second", "out/s", _per_second(lambda second: second.out)),
    Figure("p50", "p50", lambda run: run.percentile(50)),
    Figure("p99", "p99", lambda run: run.percentile(99)),
    Figure("silent_seconds", "silent s", _total(lambda second: second.out == 0)),
    Figure("replayed", "replayed", _total(lambda second: second.replayed)),
    Figure("failed", "failed", _total(lambda second: second.failed)),
    Figure("moves", "moves", lambda run: float(len(run.moves))),
    Figure("moved_executors", "executors", _moved(lambda move: move.executors)),
    Figure("restarted_workers", "restarts", _moved(lambda move: move.workers)),
    Figure("host_cores", "host cores", lambda run: sum(host_cpu([run]).values())),
    Figure("busy_cores", "busy cores", lambda run: _mean([it.busy for it in run.seconds])),
    Figure("stolen", "stolen", lambda run: run.stolen),
)
"""What is compared; a restart or a move before the measurement counts, too."""


def summarise_runs(runs: Sequence[TrialRun]) -> list[SchedulerLine]:
    """Return medians and ranges by load and scheduler, in the order of their first runs."""
    groups: dict[tuple[float, str], list[TrialRun]] = {}
    for run in runs:
        groups.setdefault((run.load, run.scheduler), []).append(run)
    return [
        SchedulerLine(
            scheduler,
            load,
            len(own),
            {figure.key: value_range([figure.of(run) for run in own]) for figure in FIGURES},
        )
        for (load, scheduler), own in sorted(groups.items(), key=lambda it: it[0][0])
    ]


def summarise_rates(results: Sequence[SustainableRate]) -> dict[str, FigureRange]:
    """Return the median and range of the sustained rates by scheduler."""
    rates: dict[str, list[float | None]] = {}
    for found in results:
        rates.setdefault(found.scheduler, []).append(found.rate)
    return {scheduler: value_range(own) for scheduler, own in rates.items()}


def host_cpu(runs: Sequence[TrialRun]) -> dict[str, float]:
    """Return the mean cores in use by host, over all seconds of the runs."""
    used: dict[str, list[float]] = {}
    for second in (second for run in runs for second in run.seconds):
        for host, cores in second.cpu.items():
            used.setdefault(host, []).append(cores)
    return {host: _mean(values) for host, values in used.items()}


def value_range(values: Sequence[float | None]) -> FigureRange:
    """Return median and extremes of the values that are known."""
    known = [value for value in values if value is not None]
    if not known:
        return FigureRange(None, None, None)
    return FigureRange(median(known), min(known), max(known))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
