"""What Eyewall forecasts of what runs in a trial.

It is asked at the end of the last run of each start, for each load of the trial, and at each rate
of a search. It answers with multiples of the present rate, which is what the sources emit: in an
overload less than is due.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.programs import sidecar_command
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.trial.records import ForecastValue, LoadForecast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial.records import RateMeasurement, TrialRun
    from eyewall_deploy.trial.trial_file import Trial

_TIMEOUT = 60.0


def ask_forecasts(
    cluster: MeasuredCluster, trial: Trial, planned: PlannedRun, measured: TrialRun
) -> tuple[LoadForecast, ...]:
    """Return what Eyewall expects of what runs, at each of the trial's loads.

    Nothing for Storm's schedulers, several topologies, a rate that changes (a multiple of the
    present rate would be one of its last value), or where nothing was emitted.

    Parameters
    ----------
    measured
        The planned run, which has just ended.
    """
    emitted = sum(it.emitted + it.replayed for it in measured.seconds)
    if not (trial.rate.is_constant and planned.load and measured.due and emitted):
        return ()
    present = planned.load * emitted / measured.due
    found = []
    for load in trial.loads:
        asked = _ask(cluster, trial, planned, load / present)
        if asked is None:
            break
        found.append(read_forecast(present, load, asked))
    return tuple(found)


def ask_carried_rate(
    cluster: MeasuredCluster, trial: Trial, planned: PlannedRun, measured: RateMeasurement
) -> ForecastValue | None:
    """Return the largest rate that Eyewall expects what runs to carry, in tuples/s.

    None where it is not known what the sources emit, or where they emit nothing.

    Parameters
    ----------
    measured
        What has just been measured.
    """
    present = measured.emitted
    asked = _ask(cluster, trial, planned, 1.0) if present else None
    if asked is None or present is None:
        return None
    return read_forecast(present, present, asked).sustainable


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
