from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from eyewall_deploy.measure.load_samples import LoadSecond
from eyewall_deploy.trial.figures import summarise_rates
from eyewall_deploy.trial.records import ForecastValue, RateMeasurement, SustainableRate
from eyewall_deploy.trial.sustainable import (
    Outcome,
    RateFile,
    find_rate,
    first_undisturbed,
    hold_seconds,
    is_sustained,
    last_measured,
    window_measurement,
)


def sustained_if(holds: bool) -> Outcome:
    return Outcome.SUSTAINED if holds else Outcome.MISSED


@pytest.mark.parametrize("limit", [3.0, 40.0, 57.0, 100.0, 900.0])
def test_the_rate_is_found_within_the_resolution_from_above_and_below(limit: float) -> None:
    found = find_rate(lambda rate: sustained_if(rate <= limit), first=40.0, resolution=0.1)
    assert found is not None
    assert found <= limit < found * 1.1


def test_a_rate_that_fails_does_not_hide_a_higher_one_that_holds() -> None:
    # From 40 by factors of 1.41; between 80 and 113 the middles by ratio are 95 and 104.
    asked: list[float] = []

    def outcome(rate: float) -> Outcome:
        asked.append(round(rate))
        return sustained_if(rate < 50 or 80 <= rate < 110)

    found = find_rate(outcome, first=40.0, resolution=0.1)
    assert asked == [40, 57, 80, 113, 160, 95, 104]
    assert found == pytest.approx(104, rel=0.01)


def test_beyond_what_is_carried_nothing_higher_is_asked() -> None:
    # 57 is beyond; the middles by ratio between 40 and 57 are 48 and 43.6.
    asked: list[float] = []

    def outcome(rate: float) -> Outcome:
        asked.append(round(rate))
        return Outcome.SUSTAINED if rate < 42 else Outcome.BEYOND

    assert find_rate(outcome, first=40.0, resolution=0.1) == 40
    assert asked == [40, 57, 48, 44]


def test_rates_that_were_missed_are_asked_for_again_once_what_runs_has_moved() -> None:
    # 57 and 80 are missed, and at 80 it moves: then both hold, and 113, 160 and 95 do not.
    asked: list[float] = []

    def outcome(rate: float) -> Outcome:
        asked.append(round(rate))
        return sustained_if(rate < 50 or (asked.count(80) + asked.count(57) > 2 and rate < 90))

    found = find_rate(outcome, 40.0, 0.2, moves=lambda: int(80 in asked))
    assert asked == [40, 57, 80, 57, 80, 113, 160, 95]
    assert found == pytest.approx(80)


def test_rates_that_were_missed_by_what_runs_now_are_not_asked_for_again() -> None:
    # It moves at 57, before that is missed; 80 is missed by the same placement.
    asked: list[float] = []

    def outcome(rate: float) -> Outcome:
        asked.append(round(rate))
        return sustained_if(rate < 45)

    assert find_rate(outcome, 40.0, 0.2, moves=lambda: int(57 in asked)) == 40
    assert asked == [40, 57, 80, 48]


def test_where_it_moves_on_and_on_rates_are_asked_for_twice() -> None:
    asked: list[float] = []

    def outcome(rate: float) -> Outcome:
        asked.append(round(rate))
        return sustained_if(rate < 45)

    assert find_rate(outcome, 40.0, 0.2, moves=lambda: len(asked)) == 40
    assert asked == [40, 57, 80, 57, 80, 48]


def test_no_rate_is_found_where_none_holds() -> None:
    assert find_rate(lambda _rate: Outcome.MISSED, first=40.0, resolution=0.1) is None


def test_rates_that_give_too_few_tuples_are_not_asked_for() -> None:
    # From 40 by factors of 1.41: 28, 20 and 14 are at least 10, and so is 10 itself.
    asked: list[float] = []

    def outcome(rate: float) -> Outcome:
        asked.append(round(rate))
        return Outcome.MISSED

    assert find_rate(outcome, first=40.0, resolution=0.1, least=9.9) is None
    assert asked == [40, 28, 20, 14, 10]


def test_the_search_ends_where_every_rate_holds() -> None:
    # 20 rungs of the square root of two are a factor of 2¹⁰.
    found = find_rate(lambda _rate: Outcome.SUSTAINED, first=1.0, resolution=0.1)
    assert found == pytest.approx(1024)


def measured(p99: float | None, acked: float = 1.0) -> RateMeasurement:
    return RateMeasurement(10.0, p99, acked, moved=False)


def test_a_rate_is_sustained_below_twice_the_latency_at_half_of_it() -> None:
    assert is_sustained(measured(0.1), measured(0.199))
    assert not is_sustained(measured(0.1), measured(0.2))
    assert not is_sustained(measured(0.1), measured(0.1, acked=0.96))
    assert not is_sustained(measured(None), measured(0.1))
    assert not is_sustained(measured(0.1), measured(None))


def test_with_a_limit_a_rate_is_sustained_within_it_whatever_the_latency_at_half_of_it() -> None:
    assert is_sustained(None, measured(0.5), 0.5)
    assert is_sustained(measured(0.1), measured(0.5), 0.5)
    assert not is_sustained(measured(0.4), measured(0.501), 0.5)
    assert not is_sustained(None, measured(0.1, acked=0.96), 0.5)
    assert not is_sustained(None, measured(None), 0.5)


def test_a_rate_is_measured_again_where_something_moved_or_other_guests_had_much() -> None:
    whole = RateMeasurement(10.0, 0.1, 1.0, moved=False, stolen=0.1)
    moved, stolen = replace(whole, moved=True), replace(whole, stolen=0.11)
    tries = iter([moved, stolen, whole, whole])
    assert first_undisturbed(tries) is whole
    assert list(tries) == [whole]  # the last was not needed
    assert first_undisturbed([moved, stolen]) is stolen
    unknown = replace(whole, stolen=None)
    assert first_undisturbed([unknown, whole]) is unknown


def test_what_was_measured_of_another_placement_does_not_count() -> None:
    before, after = (RateMeasurement(10.0, 0.1, 1.0, moved=False, moves=it) for it in (0, 1))
    assert not is_sustained(before, after)
    assert last_measured((after, before), 10.1, moves=0) == before
    assert last_measured((before, after), 10.1, moves=0) is None
    assert last_measured((before,), 20.0, moves=0) is None
    disturbed = RateMeasurement(10.0, 0.1, 1.0, moved=True, moves=1)
    assert last_measured((after, disturbed), 10.0, moves=1) is None


def test_the_profile_that_sources_follow_keeps_what_was(tmp_path: Path) -> None:
    rates = RateFile(tmp_path / "rate", 10)
    rates.change(20, seconds=5.0)
    rates.change(5, seconds=9.5)
    assert rates.path.read_text() == "0:10,6.000:10,6.000:20,10.500:20,10.500:5"


def test_searches_are_summed_up_by_scheduler() -> None:
    def found(scheduler: str, rate: float | None) -> SustainableRate:
        return SustainableRate(scheduler, 1, "f", rate, 0.1, ())

    rates = summarise_rates([found("ras", 40), found("eyewall", None), found("ras", 60)])
    assert (rates["ras"].least, rates["ras"].median, rates["ras"].most) == (40, 50, 60)
    assert rates["eyewall"].median is None


def test_what_sources_emit_at_a_rate_may_be_less_than_is_due() -> None:
    # Of two topologies of 10 tuples/s each, 40 are due in two seconds: 24 are acked, and 26
    # emitted, 2 of them again: 6.5 tuples/s each. The second before and the one after do not count.
    outside = LoadSecond(emitted=99, latency=Counter([1] * 99))
    one = {
        999: outside,
        1000: LoadSecond(emitted=8, latency=Counter([1] * 6)),
        1001: LoadSecond(emitted=4, replayed=2, latency=Counter([1] * 6)),
        1002: outside,
    }
    other = {1000 + at: LoadSecond(emitted=6, latency=Counter([1] * 6)) for at in range(2)}
    found = window_measurement([one, other], 10.0, 1000.2, 2.0, moved=False)
    assert (found.acked, found.emitted) == (0.6, 6.5)


def test_a_rate_is_measured_until_600_tuples_were_due_within_limits() -> None:
    assert [hold_seconds(rate) for rate in (5, 20, 31, 1000)] == [40, 30, 20, 15]


def test_the_latency_at_the_rate_is_that_which_was_measured_last() -> None:
    tries = (measured(0.4), RateMeasurement(20.0, 0.3, 1.0, moved=False), measured(0.1))
    assert SustainableRate("ras", 1, "f", 10.0, 0.1, tries).p99 == 0.1
    assert SustainableRate("ras", 1, "f", None, 0.1, tries).p99 is None


def test_the_largest_rate_within_a_limit_is_by_what_was_measured_last_and_acked() -> None:
    def at(rate: float, p99: float | None, acked: float = 1.0) -> RateMeasurement:
        return RateMeasurement(rate, p99, acked, moved=False)

    # 30 tuples/s were too slow at last, 40 not all acked, 50 not measured.
    tries = (at(10, 0.1), at(20, 0.3), at(20, 0.2), at(30, 0.1), at(30, 0.3))
    more = (at(40, 0.1, acked=0.96), at(50, None))
    assert SustainableRate("ras", 1, "f", 10.0, 0.1, (*tries, *more)).within(0.2) == 20
    assert SustainableRate("ras", 1, "f", 10.0, 0.1, tries).within(0.05) is None


FORECAST = ForecastValue(21.0, 18.0, 24.0)
LATER = ForecastValue(30.0, 25.0, 35.0)


def at(rate: float, forecast: ForecastValue | None, moves: int = 0) -> RateMeasurement:
    return RateMeasurement(rate, 0.1, 1.0, moved=False, moves=moves, forecast=forecast)


@pytest.mark.parametrize(
    ("tries", "forecast"),
    [
        # 10.1 is half of 20, as rates that differ by less than 2 % count as one; 14 is not.
        ((at(10.1, FORECAST), at(20.0, LATER)), FORECAST),
        ((at(14.0, FORECAST), at(20.0, LATER)), None),
        # Of two at half the later one counts, and one for a placement that moved since does not.
        ((at(10.0, LATER), at(20.0, None), at(10.0, FORECAST), at(20.0, None)), FORECAST),
        ((at(10.0, FORECAST), at(20.0, None, moves=1)), None),
        # Storm's own schedulers forecast nothing.
        ((at(10.0, None), at(20.0, None)), None),
    ],
)
def test_a_rate_is_held_against_what_was_forecast_for_it_at_half_of_it(
    tries: tuple[RateMeasurement, ...], forecast: ForecastValue | None
) -> None:
    assert SustainableRate("eyewall", 1, "f", 20.0, 0.1, tries).forecast == forecast
    assert SustainableRate("eyewall", 1, "f", None, 0.1, tries).forecast is None
