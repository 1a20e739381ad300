"""Up- and downlinks: in order, steady without deviation, log-normal around the mean with one."""

from __future__ import annotations

from math import exp, log
from random import Random
from statistics import fmean, pstdev

import pytest
from eyewall_deploy.wan.link import SMALLEST_QUEUE, Shaper, VaryingRate, Wire
from hypothesis import given
from hypothesis import strategies as st

MEAN = 100_000.0
STRETCH = 0.010

packets = st.lists(st.tuples(st.floats(0, 0.1), st.integers(20, 65_536)), max_size=60)
"""(seconds since the packet before, bytes)"""
rates = st.builds(
    VaryingRate, st.floats(1e3, 1e8), st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.just(STRETCH)
)


def passed(rate: VaryingRate, gaps: list[tuple[float, int]]) -> list[tuple[float, float | None]]:
    """Time in and time through of each packet; None for one that is dropped."""
    shaper, now, out = Shaper(rate, Random(0)), 0.0, []
    for gap, size in gaps:
        now += gap
        out.append((now, shaper.accept(size, now)))
    return out


@given(rates, packets)
def test_packets_are_through_after_they_came_and_in_their_order(
    rate: VaryingRate, gaps: list[tuple[float, int]]
) -> None:
    through = [(now, due) for now, due in passed(rate, gaps) if due is not None]
    assert all(due > now for now, due in through)
    assert [due for _, due in through] == sorted(due for _, due in through)


@given(st.floats(1e3, 1e8), packets)
def test_without_deviation_it_is_a_wire_of_that_bandwidth_and_no_delay(
    mean: float, gaps: list[tuple[float, int]]
) -> None:
    wire, now = Wire(Random(0), bandwidth=mean), 0.0
    for (gap, size), (_, due) in zip(
        gaps, passed(VaryingRate(mean, 0.0, STRETCH), gaps), strict=True
    ):
        now += gap
        expected = wire.accept(size, now)
        assert (due is None) == (expected is None)
        if due is not None:
            assert due == pytest.approx(expected)


@given(rates, packets)
def test_a_packet_that_would_wait_too_long_is_dropped_and_no_other(
    rate: VaryingRate, gaps: list[tuple[float, int]]
) -> None:
    last = 0.0
    for now, due in passed(rate, gaps):
        assert (due is None) == (last - now > rate.longest_wait)
        last = due if due is not None else last


def test_the_queue_holds_at_least_256_kb() -> None:
    # 256 KB at 100 KB/s are 2.62 s, longer than the 0.2 s that fast links queue for.
    slow = VaryingRate(MEAN, 1.0, STRETCH)
    assert slow.longest_wait == pytest.approx(SMALLEST_QUEUE / MEAN)
    assert VaryingRate(1e9, 1.0, STRETCH).longest_wait == pytest.approx(0.2)


def rates_of_stretches(count: int) -> list[float]:
    """Bytes that pass in each of so many stretches while there is always something to send."""
    shaper, sent, at = Shaper(VaryingRate(MEAN, 1.0, STRETCH), Random(4)), 0.0, 0.0
    rates: list[float] = []
    edge = STRETCH
    while len(rates) < count:
        due = shaper.accept(10, at)
        assert due is not None
        if due >= edge:
            rates.append(sent / STRETCH)
            sent, edge = 0.0, edge + STRETCH
        sent += 10
        at = due
    return rates


def test_the_log2_ratio_to_the_mean_is_normal_and_drawn_again_each_10_ms() -> None:
    # Paper 004, section 6.1: mean 0 and σ = 1, 95 % between a fourth and four times the mean.
    # 4,000 draws: σ/√4000 = 0.016 is the mean's standard error, 0.011 that of σ. A packet of 10
    # bytes rounds a rate of 1,000 bytes in 10 ms by 1 %.
    drawn = [log(rate / MEAN, 2) for rate in rates_of_stretches(4_000) if rate]
    assert fmean(drawn) == pytest.approx(0.0, abs=0.06)
    assert pstdev(drawn) == pytest.approx(1.0, abs=0.05)
    assert fmean(-2 <= it <= 2 for it in drawn) == pytest.approx(0.95, abs=0.015)


def test_a_long_packet_passes_at_the_rates_of_all_the_stretches_that_it_takes() -> None:
    # E[2^N(0, 1)] = exp((ln 2)²/2) = 1.27: 100 MB in stretches of 1,000 bytes on average are some
    # 79,000 of them, whose mean is within 1 % (σ of 2^N is 1.0; 1.0/√79000 = 0.4 %).
    due = Shaper(VaryingRate(MEAN, 1.0, STRETCH), Random(1)).accept(100_000_000, 0.0)
    assert due is not None
    assert 100_000_000 / due / MEAN == pytest.approx(exp(log(2) ** 2 / 2), rel=0.015)


def test_an_idle_link_draws_nothing() -> None:
    rng = Random(7)
    shaper = Shaper(VaryingRate(MEAN, 1.0, STRETCH), rng)
    shaper.accept(10, 0.001)
    before = rng.getstate()
    shaper.accept(10, 0.009)  # the same stretch
    assert rng.getstate() == before
    shaper.accept(10, 60.0)  # 6,000 stretches later: one draw (gauss makes two at a time)
    expected = Random(7)
    expected.gauss(0, 1)
    expected.gauss(0, 1)
    assert rng.getstate() == expected.getstate()
