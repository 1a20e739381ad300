"""What Eyewall forecast for each load of a trial, beside what was measured there.

At the end of the last run of each start Eyewall is asked what to expect at each load of the trial.
A forecast is held against every run at that load that had the same placement all the time.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.programs import sidecar_command
from eyewall_deploy.measure.load_samples import bucket_middle
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.trial.figures import host_cpu
from eyewall_deploy.trial.records import ForecastValue, LoadForecast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial.records import TrialRun
    from eyewall_deploy.trial.trial_file import Trial

LATENCY = "latency"
CPU_WITHIN = 0.1
"""Of a host's cores: how far a forecast of what is in use may be off."""
LATENCY_WITHIN = 0.25
"""Relative, up to `BUSY`."""
BUSY = 0.7
"""Forecast utilisation of the busiest host beyond which a latency need not be met."""
_TIMEOUT = 60.0
_GAP = 20.0
"""Seconds before a measurement, within which a move still shows in it."""


@dataclass(frozen=True, slots=True)
class ForecastPoint:
    """One value that was forecast and measured.

    Parameters
    ----------
    what
        A host's name for the share of its cores, or "latency" for the mean in seconds.
    made_at, load
        The load at which it was forecast, and the one for which.
    busiest
        Forecast utilisation of the busiest host.
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
    busiest: float

    @property
    def is_met(self) -> bool:
        """Whether the forecast is as near to the measurement as it should be."""
        if self.what == LATENCY:
            return abs(self.forecast - self.measured) <= LATENCY_WITHIN * self.measured
        return abs(self.forecast - self.measured) <= CPU_WITHIN


def ask_forecasts(
    cluster: MeasuredCluster, trial: Trial, planned: PlannedRun
) -> tuple[LoadForecast, ...]:
    """Return what Eyewall expects of what runs, at each of the trial's loads.

    Nothing for Storm's schedulers, several topologies, or a rate that changes: a multiple of the
    present rate would be one of its last value.
    """
    if not (trial.rate.is_constant and planned.load):
        return ()
    found = []
    for load in trial.loads:
        asked = _ask(cluster, trial, planned, load / planned.load)
        if asked is None:
            break
        found.append(read_forecast(planned.load, load, asked))
    return tuple(found)


def ask_carried_rate(
    cluster: MeasuredCluster, trial: Trial, planned: PlannedRun, rate: float
) -> ForecastValue | None:
    """Return the largest rate that Eyewall expects what runs to carry, in tuples/s.

    Parameters
    ----------
    rate
        The present one.
    """
    asked = _ask(cluster, trial, planned, 1.0)
    return None if asked is None else read_forecast(rate, rate, asked).sustainable


def _ask(
    cluster: MeasuredCluster, trial: Trial, planned: PlannedRun, multiple: float
) -> Mapping[str, Any] | None:
    """Ask what to expect at a multiple of the present rate.

    None if that is not to be had, or the present rate is not known since workers started.
    """
    command, sidecar = sidecar_command(), cluster.deployment.state.sidecar
    is_ours = planned.scheduler.scheduler == SchedulerChoice.EYEWALL
    if not is_ours or len(trial.topologies) != 1 or command is None or sidecar is None:
        return None
    answer = _run(
        [
            str(command),
            "what-if",
            trial.topologies[0].name,
            f"--rate={multiple:g}x",
            f"--sidecar={sidecar}",
            "--json",
        ]
    )
    if isinstance(answer, Failure):
        cluster.progress.log(f"{planned.description}: {answer.reason}")
        return None
    if answer.get("unsettled", False):
        cluster.progress.log(f"{planned.description}: no forecast: rates have not come to rest")
        return None
    return answer


def _run(command: list[str]) -> Mapping[str, Any] | Failure:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return Failure(f"no forecast within {_TIMEOUT:g} s")
    if done.returncode != 0:
        return Failure(f"no forecast: {(done.stderr or done.stdout).strip()}")
    answer: Mapping[str, Any] = json.loads(done.stdout)
    return answer


def read_forecast(made_at: float, load: float, answer: Mapping[str, Any]) -> LoadForecast:
    """Return what `eyewall what-if --json`, asked at one load, says of another."""
    then = answer["then"]
    sustainable = _value(then["sustainable"])  # multiples of the present rate
    return LoadForecast(
        load=load,
        response_time=_value(then["response_time"]),
        sustainable=ForecastValue(
            made_at * sustainable.value, made_at * sustainable.least, made_at * sustainable.greatest
        ),
        hosts={it["name"]: _value(it["share"]) for it in then["hosts"]},
    )


def _value(interval: Mapping[str, float]) -> ForecastValue:
    return ForecastValue(*(float(interval[it]) for it in ("value", "least", "greatest")))


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


def describe_forecasts(points: Sequence[ForecastPoint]) -> str:
    """Return how many forecasts were met, in one line; empty without any."""
    cpu = [it for it in points if it.what != LATENCY]
    latency = [it for it in points if it.what == LATENCY]
    if not points:
        return ""
    return (
        f"Forecasts met: {sum(it.is_met for it in cpu)} of {len(cpu)} of hosts' CPU (within "
        f"{CPU_WITHIN:g} of their cores), {sum(it.is_met for it in latency)} of {len(latency)} of "
        f"mean latency (within {LATENCY_WITHIN:.0%}, busiest host up to {BUSY:.0%})"
    )
