"""Deviation from the target rate, out of the times at which tuples arrived."""

import pytest
from eyewall_papers.experiments.paper_004.live import LinkTurn, RateWindow, deviation_of, windows_of

OFF = LinkTurn(reallocates=False, begin=100.0, end=130.0)
ON = LinkTurn(reallocates=True, begin=132.0, end=162.0)


def test_a_turn_is_cut_into_whole_windows_after_what_it_takes_to_settle() -> None:
    # 30 s less 8 s are four windows of 5 s, 108 to 128; what arrives before and after is not seen.
    seen = [101.0, 108.0, 112.9, 113.0, 127.9, 128.5, 131.0, 140.0]
    found = windows_of("t", seen, [OFF, ON], settle=8.0, length=5.0)
    assert [it.begin for it in found] == [108, 113, 118, 123, 140, 145, 150, 155]
    assert [it.rate * 5.0 for it in found] == [2, 1, 0, 1, 1, 0, 0, 0]
    assert [it.turn for it in found] == [0] * 4 + [1] * 4
    assert [it.reallocates for it in found] == [False] * 4 + [True] * 4


def test_a_window_above_the_rate_does_not_make_up_for_one_below() -> None:
    # Of 20 per second: 25 % and 50 % behind, and 75 % ahead.
    windows = [
        RateWindow("t", 0, reallocates=True, begin=0.0, rate=rate) for rate in (15.0, 10.0, 35.0)
    ]
    deviation = deviation_of(windows, target=20.0)
    assert deviation.mean == pytest.approx((0.25 + 0.5 + 0) / 3)
    assert deviation.plain == pytest.approx(0.0)
    assert (deviation.worst, deviation.windows) == (0.5, 3)
