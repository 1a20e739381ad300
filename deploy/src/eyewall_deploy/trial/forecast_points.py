"""What Eyewall forecast in a trial, beside what was measured.

A forecast is held against every run at its load that had the same placement all the time, and one
of the largest rate against what came through when that placement was overloaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.measure.load_samples import bucket_middle
from eyewall_deploy.trial.figures import host_cpu
from eyewall_deploy.trial.records import ACKED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eyewall_deploy.trial.records import (
        ForecastValue,
        LoadForecast,
        RateMeasurement,
        SustainableRate,
        TrialRun,
    )

LATENCY, RATE = "latency", "rate"
CPU_WITHIN = 0.1
"""Of a host's cores: how far a forecast of what is in use may be off."""
LATENCY_WITHIN = 0.25
"""Relative, up to `BUSY`."""
RATE_WITHIN = 0.15
"""Relative."""
BUSY = 0.7
"""Forecast utilisation of the busiest host beyond which a latency need not be met."""
_GAP = 20.0
"""Seconds before a measurement, within which a move still shows in it."""


@dataclass(frozen=True, slots=True)
class ForecastPoint:
    """One value that was forecast and measured.

    Parameters
    ----------
    what
        A host's name for the share of its cores, "latency" for the mean in seconds, or "rate" for
        the largest that is carried, in tuples/s.
    made_at, load
        The load at which it was forecast, and the one for which; rates in tuples/s of a "rate".
    busiest
        Forecast utilisation of the busiest host; None of a "rate".
    least, greatest
        Between what the value lies by the forecast.
    """

    what: str
    made_at: float
    load: float
    forecast: float
    least: float
    greatest: float
    measured: float
    busiest: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the forecast is as near to the measurement as it should be."""
        within = {LATENCY: LATENCY_WITHIN, RATE: RATE_WITHIN}
        most = within[self.what] * self.measured if self.what in within else CPU_WITHIN
        return abs(self.forecast - self.measured) <= most


def compare_forecasts(
    runs: Sequence[TrialRun], cores: Mapping[str, float]
) -> Iterator[ForecastPoint]:
    """Yield each forecast with what was measured at its load by a run of the same placement.

    Parameters
    ----------
    cores
        Host → cores that it may use.
    """
    for run in runs:
        for forecast in run.forecasts:
            for other in runs:
                is_same = sorted(other.placement) == sorted(run.placement)
                if other.load == forecast.load and is_same and _stood(other, runs):
                    yield from _points(run.load, forecast, other, cores)


def _stood(run: TrialRun, runs: Sequence[TrialRun]) -> bool:
    """Whether nothing moved during a run, or so shortly before it that it still shows.

    What moved during the run before it, from the same start, may have.
    """
    of_start = [
        it for it in runs if (it.scheduler, it.repetition) == (run.scheduler, run.repetition)
    ]
    moved = [(it.began + move.earliest, it.began + move.at) for it in of_start for move in it.moves]
    since, until = run.began - _GAP, run.began + len(run.seconds)
    return not any(earliest <= until and seen >= since for earliest, seen in moved)


def _points(
    made_at: float, forecast: LoadForecast, run: TrialRun, cores: Mapping[str, float]
) -> Iterator[ForecastPoint]:
    busiest = max((it.value for it in forecast.hosts.values()), default=0.0)

    def point(what: str, value: ForecastValue, measured: float) -> ForecastPoint:
        return ForecastPoint(
            what,
            made_at,
            forecast.load,
            value.value,
            value.least,
            value.greatest,
            measured,
            busiest,
        )

    for host, used in host_cpu([run]).items():
        if host in forecast.hosts:
            yield point(host, forecast.hosts[host], used / cores[host])
    latency = mean_latency(run)
    if latency is not None and busiest <= BUSY:
        yield point(LATENCY, forecast.response_time, latency)


def mean_latency(run: TrialRun) -> float | None:
    """Return the mean over the acks of a run, in seconds; None without any."""
    acks = sum(run.latency.values())
    waited = sum(count * bucket_middle(bucket) for bucket, count in run.latency.items())
    return waited / acks if acks else None


def compare_rates(found: Iterable[SustainableRate]) -> Iterator[ForecastPoint]:
    """Yield each forecast of the largest rate with what came through when it was overloaded.

    That is the most that was acked at any rate that was too much for the same placement: above all
    that it carried, as a lower rate may fail for another reason. Where none was, it is not known,
    and its forecasts are left out; so are those that older files have of overloads.
    """
    for search in found:
        placements: dict[int, list[RateMeasurement]] = {}
        for it in search.measurements:
            if not it.moved:
                placements.setdefault(it.moves, []).append(it)
        for measured in placements.values():
            carried = max((it.rate for it in measured if it.acked >= ACKED), default=0.0)
            overloads = [it for it in measured if it.acked < ACKED and it.rate > carried]
            if not overloads:
                continue
            most = max(overloads, key=_came_through)
            for it in measured:
                is_wrong = it.emitted is None and it.acked < ACKED
                if it.forecast is not None and not is_wrong:
                    yield ForecastPoint(
                        RATE,
                        it.rate,
                        most.rate,
                        it.forecast.value,
                        it.forecast.least,
                        it.forecast.greatest,
                        _came_through(most),
                    )


def _came_through(measured: RateMeasurement) -> float:
    return measured.rate * measured.acked


def describe_forecasts(points: Sequence[ForecastPoint]) -> str:
    """Return how many forecasts were met, in one line; empty without any."""
    rates = [it for it in points if it.what == RATE]
    latency = [it for it in points if it.what == LATENCY]
    cpu = [it for it in points if it.what not in {RATE, LATENCY}]
    kinds = (
        (cpu, f"hosts' CPU (within {CPU_WITHIN:g} of their cores)"),
        (latency, f"mean latency (within {LATENCY_WITHIN:.0%}, busiest host up to {BUSY:.0%})"),
        (rates, f"the largest rate (within {RATE_WITHIN:.0%} of what came through of an overload)"),
    )
    met = [f"{sum(it.is_met for it in own)} of {len(own)} of {what}" for own, what in kinds if own]
    return f"Forecasts met: {', '.join(met)}" if met else ""
