import json
from dataclasses import replace
from pathlib import Path

import pytest
from deployments import make_deployment
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.trial import forecasts
from eyewall_deploy.trial.forecasts import ask_carried_rate, ask_forecasts, read_forecast
from eyewall_deploy.trial.plan import PlannedRun
from eyewall_deploy.trial.records import ForecastValue, RateMeasurement
from eyewall_deploy.trial.trial_file import Trial
from recorded_progress import RecordedProgress
from trial_runs import run, second


def planned(trial: Trial, scheduler: str) -> PlannedRun:
    (chosen,) = (it for it in trial.schedulers if it.scheduler == scheduler)
    return PlannedRun(None, 1, chosen)


def measured(emitted: float | None) -> RateMeasurement:
    """At a due rate of 40 tuples/s."""
    return RateMeasurement(40.0, 0.1, 0.5, moved=False, emitted=emitted)


@pytest.fixture
def what_if(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command that prints the file `answer` beside it, or fails without it."""
    command = tmp_path / "eyewall"
    command.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat {tmp_path}/answer\n')
    command.chmod(0o755)
    monkeypatch.setattr(forecasts, "sidecar_command", lambda: command)
    return command


def answer(folder: Path, *interval: float, unsettled: bool = False) -> None:
    """Have the command say which multiple of the present rate is carried."""
    multiple = dict(zip(("value", "least", "greatest"), interval, strict=True))
    then = {"sustainable": multiple, "response_time": multiple, "hosts": []}
    (folder / "answer").write_text(json.dumps({"then": then, "unsettled": unsettled}))


def test_the_largest_rate_that_is_carried_is_a_multiple_of_the_present_one(
    trial: Trial, what_if: Path, tmp_path: Path
) -> None:
    cluster = MeasuredCluster(make_deployment(tmp_path / "run"), RecordedProgress())
    answer(tmp_path, 1.5, 1.2, 2.0)
    # Of 20 tuples/s that are emitted, though 40 are due.
    found = ask_carried_rate(cluster, trial, planned(trial, "eyewall"), measured(20.0))
    assert found == ForecastValue(30.0, 24.0, 40.0)
    asked = (tmp_path / "asked").read_text().split()
    assert asked[:3] == ["what-if", "chain", "--rate=1x"]
    assert ask_carried_rate(cluster, trial, planned(trial, "ras"), measured(20.0)) is None
    for unknown in (None, 0.0):
        ours = planned(trial, "eyewall")
        assert ask_carried_rate(cluster, trial, ours, measured(unknown)) is None


def test_the_loads_of_a_trial_are_multiples_of_what_is_emitted_at_its_last_one(
    trial: Trial, what_if: Path, tmp_path: Path
) -> None:
    cluster = MeasuredCluster(make_deployment(tmp_path / "run"), RecordedProgress())
    answer(tmp_path, 1.5, 1.2, 2.0)
    ours = replace(planned(trial, "eyewall"), load=1.0)
    # Of 40 tuples that were due 16 were emitted, 4 of them again: half of the load. 1.5 times that
    # is carried, three quarters of the load.
    ended = run("eyewall", due=40.0, seconds=[second(0, emitted=16, replayed=4)])
    (found,) = ask_forecasts(cluster, replace(trial, loads=(1.0,)), ours, ended)
    assert (found.load, found.sustainable) == (1.0, ForecastValue(0.75, 0.6, 1.0))
    assert "--rate=2x" in (tmp_path / "asked").read_text()
    silent = replace(ended, seconds=(second(0, emitted=0),))
    assert ask_forecasts(cluster, trial, ours, silent) == ()


def test_a_forecast_by_the_rates_of_a_start_is_none(
    trial: Trial, what_if: Path, tmp_path: Path
) -> None:
    progress = RecordedProgress()
    cluster = MeasuredCluster(make_deployment(tmp_path / "run"), progress)
    answer(tmp_path, 30.0, 20.0, 40.0, unsettled=True)
    assert ask_carried_rate(cluster, trial, planned(trial, "eyewall"), measured(40.0)) is None
    assert ["not come to rest" in it for it in progress.logged] == [True]


def test_without_a_forecast_a_search_goes_on_and_says_why(
    trial: Trial, what_if: Path, tmp_path: Path
) -> None:
    progress = RecordedProgress()
    cluster = MeasuredCluster(make_deployment(tmp_path / "run"), progress)
    assert ask_carried_rate(cluster, trial, planned(trial, "eyewall"), measured(40.0)) is None
    assert ["no forecast" in it for it in progress.logged] == [True]


def test_the_sustainable_rate_is_a_multiple_of_the_load_at_which_eyewall_was_asked() -> None:
    # At half of the load 3 times as much is just carried: one and a half loads.
    def interval(value: float) -> dict[str, float]:
        return {"value": value, "least": value, "greatest": value}

    answer = {
        "then": {
            "response_time": interval(0.02),
            "sustainable": interval(3.0),
            "hosts": [{"name": "h1", "share": interval(0.4)}],
        }
    }
    found = read_forecast(0.5, 1.0, answer)
    assert found.sustainable == ForecastValue(1.5, 1.5, 1.5)
    assert found.hosts == {"h1": ForecastValue(0.4, 0.4, 0.4)}
