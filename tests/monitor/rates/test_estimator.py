from __future__ import annotations

from random import Random

import pytest
from eyewall_contracts.rates import Estimate
from eyewall_monitor.rates.estimator import NoisyReading, estimate, percentile
from hypothesis import given
from hypothesis import strategies as st

PERIOD = 5.0
STEP = 20
"""Of Storm's counters, at the default topology.stats.sample.rate."""


def series(*values: float, noise: float = 0.0) -> list[NoisyReading]:
    return [NoisyReading((i + 1) * PERIOD, PERIOD, value, noise) for i, value in enumerate(values)]


def sampled(*rates: float) -> list[NoisyReading]:
    """What a counter that steps by STEP shows of a source with these rates."""
    total, shown, found = 0.0, 0, []
    for i, rate in enumerate(rates):
        total += rate * PERIOD
        raised, shown = int(total) // STEP * STEP - shown, int(total) // STEP * STEP
        noise = STEP * (1 / 6) ** 0.5 / PERIOD
        found.append(NoisyReading((i + 1) * PERIOD, PERIOD, raised / PERIOD, noise))
    return found


def value(readings: list[NoisyReading]) -> float:
    found = estimate(readings)
    assert found is not None
    return found.value


def test_of_nothing_nothing_is_known_rather_than_zero() -> None:
    assert estimate([]) is None


def test_a_steady_rate_is_what_it_is() -> None:
    found = estimate(series(100, 100, 100, 100))
    assert found is not None
    assert found == Estimate(100, 0, 100, 0, 100, 0, 4, 20.0, 1.0)


def test_mean_spread_and_percentile_are_of_the_window() -> None:
    # Mean of 10, 20, 30, 40 is 25; deviations 15, 5, 5, 15: variance 125. The 95 % quantile is
    # 0.95 · 3 = 2.85 places above the least: 30 + 0.85 · 10.
    found = estimate(series(10, 20, 30, 40))
    assert found is not None
    assert found.mean == pytest.approx(25)
    assert found.spread == pytest.approx(125**0.5)
    assert found.p95 == pytest.approx(38.5)


def test_a_longer_sample_weighs_more_in_the_mean() -> None:
    # 10/s for 15 s and 50/s for 5 s: 400 tuples in 20 s.
    found = estimate([NoisyReading(15, 15, 10, 0), NoisyReading(20, 5, 50, 0)])
    assert found is not None
    assert found.mean == pytest.approx(20)


@given(
    before=st.floats(50, 5000),
    times=st.sampled_from([0.1, 0.3, 0.5, 2.0, 3.0, 10.0]),
    calm=st.integers(4, 9),
)
def test_a_step_is_in_the_estimate_with_the_second_sample_that_shows_it(
    before: float, times: float, calm: int
) -> None:
    readings = sampled(*[before] * calm, *[before * times] * 2)
    # A difference below the counter's step is no step: three deviations of STEP · √(1/6) / 5 s.
    if abs(before - before * times) < 3 * readings[0].noise * 1.5:
        return
    # Whatever is left is one step of the counter in 5 s: 4 tuples/s.
    assert value(readings) == pytest.approx(before * times, abs=STEP / PERIOD + 0.1)


@given(before=st.floats(100, 5000), part=st.floats(0, 1), calm=st.integers(4, 9))
def test_a_step_in_the_midst_of_a_sample_is_in_the_estimate_at_most_three_samples_later(
    before: float, part: float, calm: int
) -> None:
    # The first sample shows a part of a step to tenfold. If it is less than ALIKE (15 %, and what
    # one step of the counter makes of it: 20 of at least 4500 tuples), the step began in the last
    # 0.8 s of that sample: the third sample after it ends at most 10.8 s later.
    mixed = before * (1 + 9 * part)
    if part < 0.16:
        readings = sampled(*[before] * calm, mixed, *[before * 10] * 2)
    else:
        readings = sampled(*[before] * calm, mixed, before * 10)
    assert value(readings) == pytest.approx(before * 10, rel=0.1)


@given(
    rate=st.floats(0, 5000),
    spike=st.floats(0, 50_000),
    calm=st.integers(3, 9),
    after=st.integers(0, 3),
)
def test_a_spike_of_one_sample_moves_the_estimate_by_less_than_a_third_of_itself(
    rate: float, spike: float, calm: int, after: int
) -> None:
    plain = series(*[rate] * (calm + 1 + after), noise=1.0)
    spiked = series(*[rate] * calm, spike, *[rate] * after, noise=1.0)
    assert abs(value(spiked) - value(plain)) <= abs(spike - rate) / 3 + 1e-9


@given(rate=st.floats(1, 200), count=st.integers(6, 12))
def test_what_a_sampled_counter_shows_is_within_the_error_that_is_said(
    rate: float, count: int
) -> None:
    # 25 tuples in 5 s show as 20 or 40. The interval is of 95 %: twice its half-width holds all.
    found = estimate(sampled(*[rate] * count))
    assert found is not None
    assert found.error > 0
    assert abs(found.value - rate) <= 2 * found.error + STEP / PERIOD


def test_a_slope_is_reported_as_trend() -> None:
    # 100, 105, 110 …: 5 tuples/s more every 5 s.
    found = estimate(series(*[100 + 5 * i for i in range(60)]))
    assert found is not None
    assert found.trend == pytest.approx(1.0, rel=0.1)
    assert found.value == pytest.approx(100 + 5 * 59, rel=0.01)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=12), st.randoms())
def test_the_order_in_which_samples_arrive_does_not_matter(
    values: list[float], random: object
) -> None:
    readings = series(*values)
    shuffled = list(readings)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert estimate(shuffled) == estimate(readings)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_whatever_was_measured_the_estimate_is_a_rate(values: list[float]) -> None:
    found = estimate(series(*values))
    assert found is not None
    assert 0 <= found.value <= 2 * max(values) + 1e-9
    assert 0 <= found.confidence <= 1
    assert min(values) <= found.p95 <= max(values)


def test_few_samples_give_little_confidence_and_age_takes_the_rest() -> None:
    one, many = estimate(series(100)), estimate(series(*[100] * 10))
    assert one is not None
    assert many is not None
    assert one.confidence == pytest.approx(1 / 3)
    assert many.confidence == 1
    # Fresh for 15 s, then half of it is gone every 30 s.
    assert many.confidence_at(many.until + 15) == 1
    assert many.confidence_at(many.until + 75) == pytest.approx(0.25)
    assert many.confidence_at(many.until - 9) == 1


def test_a_silent_stream_that_was_watched_is_known_to_be_silent() -> None:
    # 12 samples of nothing: the counter could hide 1.96 · 20 · √(1/6) / 5 / 12 = 0.27 tuples/s.
    found = estimate(sampled(*[0.0] * 12))
    assert found is not None
    assert found.value == 0
    assert found.error == pytest.approx(0.267, abs=0.001)
    assert found.confidence == pytest.approx(1 / 1.267, abs=0.001)


def test_percentiles_lie_between_the_two_nearest() -> None:
    assert percentile([1, 2, 3, 4, 5], 0.5) == 3
    assert percentile([1, 2], 0.25) == 1.25
    assert percentile([7], 0.95) == 7


def random_readings(
    rate: float, readings: int, seconds: float, chance: Random
) -> list[NoisyReading]:
    """What two alike tasks report at a steady rate: of each 20 tuples of a task one, as 20."""
    counts = [0] * readings
    for _ in range(2):
        due, tuples, picked = chance.random() / (rate / 2), 0, 0
        while due < readings * seconds:
            if tuples % 20 == 0:
                picked = tuples + chance.randrange(20)
            if tuples == picked:
                counts[int(due / seconds)] += 20
            tuples += 1
            due += 1 / (rate / 2)
    noise = 2**0.5 * 20 * (1 / 6) ** 0.5 / seconds
    return [
        NoisyReading(seconds * (n + 1), seconds, count / seconds, noise)
        for n, count in enumerate(counts)
    ]


@pytest.mark.parametrize("rate", [2.7, 5.0, 20.0])
def test_the_truth_of_a_slow_stream_is_within_the_error_in_nine_windows_of_ten(rate: float) -> None:
    chance = Random(1)
    found = [estimate(random_readings(rate, 12, 5.0, chance)) for _ in range(400)]
    hits = sum(abs(it.value - rate) <= it.error for it in found if it is not None)
    assert hits >= 0.9 * 400
