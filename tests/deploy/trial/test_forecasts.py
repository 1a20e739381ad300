import json
from pathlib import Path

import pytest
from deployments import make_deployment
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.trial import forecasts
from eyewall_deploy.trial.forecasts import ask_carried_rate, read_forecast
from eyewall_deploy.trial.plan import PlannedRun
from eyewall_deploy.trial.records import ForecastValue
from eyewall_deploy.trial.trial_file import Trial
from recorded_progress import RecordedProgress


def planned(trial: Trial, scheduler: str) -> PlannedRun:
    (chosen,) = (it for it in trial.schedulers if it.scheduler == scheduler)
    return PlannedRun(None, 1, chosen)


@pytest.fixture
def what_if(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command that prints the file `answer` beside it, or fails without it."""
    command = tmp_path / "eyewall"
    command.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat {tmp_path}/answer\n')
    command.chmod(0o755)
    monkeypatch.setattr(forecasts, "sidecar_command", lambda: command)
    return command


def test_the_largest_rate_that_is_carried_is_a_multiple_of_the_present_one(
    trial: Trial, what_if: Path, tmp_path: Path
) -> None:
    cluster = MeasuredCluster(make_deployment(tmp_path / "run"), RecordedProgress())
    multiple = {"value": 1.5, "least": 1.2, "greatest": 2.0}
    then = {"sustainable": multiple, "response_time": multiple, "hosts": []}
    (tmp_path / "answer").write_text(json.dumps({"then": then}))
    found = ask_carried_rate(cluster, trial, planned(trial, "eyewall"), 40.0)
    assert found == ForecastValue(60.0, 48.0, 80.0)
    asked = (tmp_path / "asked").read_text().split()
    assert asked[:3] == ["what-if", "chain", "--rate=1x"]
    assert ask_carried_rate(cluster, trial, planned(trial, "ras"), 40.0) is None


def test_a_forecast_by_the_rates_of_a_start_is_none(
    trial: Trial, what_if: Path, tmp_path: Path
) -> None:
    progress = RecordedProgress()
    cluster = MeasuredCluster(make_deployment(tmp_path / "run"), progress)
    multiple = {"value": 30.0, "least": 20.0, "greatest": 40.0}
    then = {"sustainable": multiple, "response_time": multiple, "hosts": []}
    (tmp_path / "answer").write_text(json.dumps({"then": then, "unsettled": True}))
    assert ask_carried_rate(cluster, trial, planned(trial, "eyewall"), 40.0) is None
    assert ["not come to rest" in it for it in progress.logged] == [True]


def test_without_a_forecast_a_search_goes_on_and_says_why(
    trial: Trial, what_if: Path, tmp_path: Path
) -> None:
    progress = RecordedProgress()
    cluster = MeasuredCluster(make_deployment(tmp_path / "run"), progress)
    assert ask_carried_rate(cluster, trial, planned(trial, "eyewall"), 40.0) is None
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
