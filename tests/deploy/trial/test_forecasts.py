import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from deployments import make_deployment
from eyewall_deploy.measure.load_samples import bucket_of
from eyewall_deploy.measure.measured_cluster import MeasuredCluster
from eyewall_deploy.trial import forecasts
from eyewall_deploy.trial.forecast_picture import draw_forecasts
from eyewall_deploy.trial.forecasts import (
    ForecastPoint,
    ask_carried_rate,
    compare_forecasts,
    describe_forecasts,
    read_forecast,
)
from eyewall_deploy.trial.plan import PlannedRun
from eyewall_deploy.trial.records import ForecastValue, LoadForecast, TrialMove, TrialRun
from eyewall_deploy.trial.trial_file import Trial
from recorded_progress import RecordedProgress
from trial_runs import run, second

CORES = {"h1": 0.5}
AT_FULL = LoadForecast(
    load=1.0,
    response_time=ForecastValue(0.05, 0.03, 0.09),
    sustainable=ForecastValue(1.5, 1.2, 2.0),
    hosts={"h1": ForecastValue(0.6, 0.5, 0.7)},
)


def half(**given: Any) -> TrialRun:
    """Return a run at half of the load, at whose end Eyewall forecast what full load brings."""
    return replace(run("eyewall", load=0.5, **given), forecasts=(AT_FULL,))


def full(milliseconds: float = 45.0, used: float = 0.25, **given: Any) -> TrialRun:
    acks = {bucket_of(int(1000 * milliseconds)): 20}
    return run("eyewall", load=1.0, latency=acks, seconds=[second(0, cpu={"h1": used})], **given)


def points(*runs: TrialRun) -> list[ForecastPoint]:
    return list(compare_forecasts(runs, CORES))


def test_a_forecast_is_held_against_what_its_load_brought() -> None:
    # 0.25 of 0.5 cores are a share of 0.5; buckets are 1.6 % wide.
    cpu, latency = points(half(), full())
    assert (cpu.what, cpu.made_at, cpu.load) == ("h1", 0.5, 1.0)
    assert (cpu.forecast, cpu.least, cpu.greatest, cpu.measured) == (0.6, 0.5, 0.7, 0.5)
    assert (latency.what, latency.forecast) == ("latency", 0.05)
    assert latency.measured == pytest.approx(0.045, rel=0.016)


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


def test_no_forecast_is_held_against_another_placement_or_one_that_changed_meanwhile() -> None:
    assert points(half(), replace(full(), placement=("h2: sink",))) == []
    assert points(half(), full(moves=[TrialMove(1.0, 1, 1)])) == []
    assert points(half(), full(moves=[TrialMove(-25.0, 1, 1)])) != []
    assert points(half(), full(moves=[TrialMove(-3.0, 1, 1)])) == []
    late = TrialMove(900.0, 1, 1, unseen_since=0.0)
    assert points(half(), full(moves=[late])) == []
    # The load before it, from the same start: two seconds, of which the first had a move.
    before = replace(half(), began=full().began - 10, moves=(TrialMove(1.0, 1, 1),))
    assert points(before, full()) == []
    assert points(replace(before, repetition=2), full()) != []


def test_a_latency_is_compared_up_to_70_percent_utilisation() -> None:
    hosts = {"h1": ForecastValue(0.71, 0.6, 0.8)}
    busy = replace(half(), forecasts=(replace(AT_FULL, hosts=hosts),))
    assert [it.what for it in points(busy, full())] == ["h1"]


@pytest.mark.parametrize(
    ("used", "milliseconds", "met"),
    [
        # Forecast: 0.6 of 0.5 cores, 50 ms; allowed: 0.1 of the cores, 25 % of the measured ms.
        (0.255, 41.0, [True, True]),
        (0.245, 39.0, [False, False]),
        (0.345, 66.0, [True, True]),
        (0.355, 68.0, [False, False]),
    ],
)
def test_forecasts_are_met_within_a_tenth_of_the_cores_and_a_quarter_of_the_latency(
    used: float, milliseconds: float, met: list[bool]
) -> None:
    found = points(half(), full(milliseconds, used))
    assert [it.is_met for it in found] == met
    counts = f"{sum(met[:1])} of 1 of hosts' CPU"
    assert counts in describe_forecasts(found)


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


def test_the_scatter_plot_is_the_same_each_time_and_absent_without_points(tmp_path: Path) -> None:
    files = [tmp_path / "1.svg", tmp_path / "2.svg"]
    for file in files:
        assert draw_forecasts(points(half(), full()), file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "share of a host's cores" in files[0].read_text()
    assert not draw_forecasts([], tmp_path / "none.svg")
    assert describe_forecasts([]) == ""
