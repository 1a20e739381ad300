from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy.measure.load_samples import bucket_of
from eyewall_deploy.trial.forecast_picture import draw_forecasts
from eyewall_deploy.trial.forecast_points import (
    ForecastPoint,
    compare_forecasts,
    compare_rates,
    describe_forecasts,
)
from eyewall_deploy.trial.records import (
    ForecastValue,
    LoadForecast,
    RateMeasurement,
    SustainableRate,
    TrialMove,
    TrialRun,
)
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


def test_the_scatter_plot_is_the_same_each_time_and_absent_without_points(tmp_path: Path) -> None:
    files = [tmp_path / "1.svg", tmp_path / "2.svg"]
    for file in files:
        assert draw_forecasts(points(half(), full()), file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "share of a host's cores" in files[0].read_text()
    assert not draw_forecasts([], tmp_path / "none.svg")
    assert describe_forecasts([]) == ""


def search(*measurements: RateMeasurement) -> SustainableRate:
    return SustainableRate("eyewall", 1, "f", 40.0, 0.2, measurements)


def measured(
    rate: float, acked: float = 1.0, forecast: float | None = None, **given: Any
) -> RateMeasurement:
    interval = None if forecast is None else ForecastValue(forecast, forecast - 5, forecast + 5)
    values = {"moved": False, "emitted": rate * acked} | given
    return RateMeasurement(rate, 0.1, acked, **values, forecast=interval)


def test_a_forecast_rate_is_held_against_the_most_that_came_through_of_an_overload() -> None:
    # 0.7 of 80 tuples/s are 56, 0.5 of 120 are 60.
    found = list(
        compare_rates(
            [search(measured(40.0, forecast=68.0), measured(80.0, 0.7, 70.0), measured(120.0, 0.5))]
        )
    )
    assert [(it.what, it.made_at, it.load) for it in found] == [
        ("rate", 40.0, 120.0),
        ("rate", 80.0, 120.0),
    ]
    assert [(it.forecast, it.least, it.greatest) for it in found] == [(68, 63, 73), (70, 65, 75)]
    assert [it.measured for it in found] == [60.0, 60.0]
    # Up to 15 % of 60: 69.
    assert [it.is_met for it in found] == [True, False]
    assert "1 of 2 of the largest rate" in describe_forecasts(found)


def test_a_forecast_rate_is_not_compared_with_another_placement_or_one_that_carried_all() -> None:
    carried = search(measured(40.0, forecast=68.0), measured(60.0, 0.98, 68.0))
    moved = search(
        measured(40.0, forecast=68.0), measured(80.0, 0.7, moves=1), measured(80.0, 0.9, moved=True)
    )
    assert list(compare_rates([carried, moved])) == []


def test_an_overload_is_a_rate_above_all_that_the_same_placement_carried() -> None:
    # 84 failed once, when code was cold, and was carried later, as 100 was: nothing is known.
    cold = measured(84.0, 0.9, 105.0)
    found = search(cold, measured(84.0), measured(100.0, forecast=105.0))
    assert list(compare_rates([found])) == []
    beyond = replace(found, measurements=(*found.measurements, measured(120.0, 0.9)))
    assert [it.measured for it in compare_rates([beyond])] == [108.0, 108.0]


def test_what_older_files_forecast_in_an_overload_is_left_out() -> None:
    older = measured(80.0, 0.7, 98.0, emitted=None)
    found = search(measured(40.0, forecast=60.0, emitted=None), older)
    assert [it.made_at for it in compare_rates([found])] == [40.0]


def test_rates_have_a_scatter_plot_of_their_own(tmp_path: Path) -> None:
    found = list(compare_rates([search(measured(40.0, forecast=68.0), measured(80.0, 0.7))]))
    assert draw_forecasts(found, tmp_path / "rates.svg")
    drawn = (tmp_path / "rates.svg").read_text()
    assert "largest rate" in drawn
    assert "share of a host's cores" not in drawn
