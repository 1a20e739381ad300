import pytest
from eyewall_latency.rtt_filter import RttFilter


def after(*samples: float) -> RttFilter:
    it = RttFilter(samples[0], at=0.0)
    for at, sample in enumerate(samples[1:], 1):
        it.add(sample, float(at))
    return it


def test_samples_of_long_ago_outvote_nothing() -> None:
    it = after(0.010, 0.010, 0.010)
    it.add(0.080, at=303.0)
    assert it.seconds == 0.080


def test_one_spike_is_outvoted() -> None:
    assert after(0.010, 0.010, 5.0).seconds == pytest.approx(0.010)


def test_a_change_is_believed_whole_once_two_samples_agree() -> None:
    assert after(0.010, 0.010, 0.010, 0.080).seconds == pytest.approx(0.010)
    assert after(0.010, 0.010, 0.010, 0.080, 0.080).seconds == 0.080
    assert after(0.080, 0.080, 0.010, 0.010).seconds == 0.010


def test_jitter_is_averaged() -> None:
    # Medians of three: 10, 10, 11 ms; the last moves the mean by a quarter of 1 ms.
    assert after(0.010, 0.010, 0.011, 0.011).seconds == pytest.approx(0.01025)


def test_with_two_samples_the_lower_one_counts_as_noise_only_adds() -> None:
    assert after(0.500, 0.010).seconds == 0.010


def test_zero_is_an_rtt() -> None:
    assert after(0.0, 0.0, 0.0).seconds == 0.0


def test_the_spread_is_the_median_distance_of_the_samples() -> None:
    # Smoothed 10 ms; samples 10, 10 and 500 ms are 0, 0 and 490 ms off.
    assert after(0.010, 0.010, 0.500).spread == 0.0
    assert after(0.010, 0.500).spread == pytest.approx(0.245)
