"""What a task delivers over a public network that varies each 10 ms (paper 004, section 6.1)."""

from math import sqrt
from statistics import fmean, stdev

import pytest
from eyewall_papers.bimodal.variability import (
    WindowMean,
    draw_by_window,
    draw_each_step,
    step_moments,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

BOTH = pytest.mark.parametrize("draw", [draw_each_step, draw_by_window])
RATIOS = st.lists(st.floats(0.05, 1.0), min_size=1, max_size=11).map(tuple)


def test_one_public_hop_delivers_81_percent_of_the_target() -> None:
    # E min(1, 2^N) = P(N > 0) + E[2^N; N < 0] = 1/2 + exp(ln²2 / 2)·Φ(−ln 2)
    # = 0.5 + 1.27155·0.24411 = 0.81040.
    mean, _ = step_moments((1.0,))
    assert mean == pytest.approx(0.81040, abs=2e-5)


def test_a_hop_with_half_of_its_target_delivers_55_percent() -> None:
    # E min(1, 2^N / 2) = P(N > 1) + exp(ln²2 / 2)·Φ(1 − ln 2) / 2
    # = 0.15866 + 1.27155·0.62053 / 2 = 0.55318.
    mean, _ = step_moments((0.5,))
    assert mean == pytest.approx(0.55318, abs=2e-5)


def test_ten_public_hops_take_more_than_twice_as_long_again() -> None:
    # With ten independent hops the slowest has a median of 2^(−1.499) = 0.354: P(N > −1.499)^10 =
    # 0.93307^10 = 0.50. The mean lies a little above: X is skewed to the right.
    mean, deviation = step_moments((1.0,) * 10)
    assert 0.35 < mean < 0.39
    assert 0.0 < deviation < mean


@BOTH
def test_a_task_on_dedicated_links_alone_delivers_its_target(draw: WindowMean) -> None:
    assert draw((), 1000, default_rng(0)) == 1.0


@BOTH
def test_a_hop_that_was_allocated_nothing_delivers_nothing(draw: WindowMean) -> None:
    assert draw((1.0, 0.0), 1000, default_rng(0)) == 0.0


@pytest.mark.parametrize("ratios", [(1.0,), (1.0, 1.0, 0.5), (1.0,) * 10])
def test_steps_drawn_one_by_one_and_means_of_windows_agree(ratios: tuple[float, ...]) -> None:
    # 400 windows of 1000 steps: the standard error of a mean is its deviation over 20, that of a
    # deviation a fraction 1/√800 of it. Four of each are allowed.
    rng = default_rng(4)
    exact = [draw_each_step(ratios, 1000, rng) for _ in range(400)]
    mean, deviation = step_moments(ratios)
    assert fmean(exact) == pytest.approx(mean, abs=4 * deviation / sqrt(1000) / 20)
    assert stdev(exact) == pytest.approx(deviation / sqrt(1000), rel=4 / sqrt(800))
    windows = [draw_by_window(ratios, 1000, rng) for _ in range(400)]
    assert fmean(windows) == pytest.approx(mean, abs=4 * deviation / sqrt(1000) / 20)
    assert stdev(windows) == pytest.approx(deviation / sqrt(1000), rel=4 / sqrt(800))


@given(ratios=RATIOS, other=st.floats(0.05, 1.0))
def test_a_further_hop_never_delivers_more(ratios: tuple[float, ...], other: float) -> None:
    assert step_moments((*ratios, other))[0] <= step_moments(ratios)[0] + 1e-12


@settings(max_examples=200)
@given(ratios=RATIOS, steps=st.integers(1, 10), seed=st.integers(0, 99))
def test_no_window_delivers_more_than_the_target(
    ratios: tuple[float, ...], steps: int, seed: int
) -> None:
    for draw in (draw_each_step, draw_by_window):
        assert 0.0 <= draw(ratios, steps, default_rng(seed)) <= 1.0
