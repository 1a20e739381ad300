from math import e
from random import Random

import pytest
from eyewall_contracts.latency import Coordinate
from eyewall_latency.paper_relaxation import PaperRelaxation, relax_by_paper
from eyewall_latency.relaxation import Relaxation, Spring, relax

EXACT = Relaxation(least_movement_ms=0.0, max_iterations=100, overshoot=1.0, work_per_round=10**6)
BETWEEN = [Spring((0.0, 0.0), 0.0, 0.030, 1.0), Spring((0.1, 0.0), 0.0, 0.070, 1.0)]
"""Balance is at (30 ms, 0): 30 ms from the one, 70 ms from the other, 100 ms apart."""


def settled(
    springs: list[Spring],
    start: Coordinate | None = None,
    settings: Relaxation = EXACT,
    *,
    height: bool = False,
) -> Coordinate:
    start = start or Coordinate((0.050, 0.020), 0.0)
    return relax(start, springs, settings, error=0.0, height=height, rng=Random(0))


def distances(found: Coordinate) -> list[float]:
    return [found.distance(Coordinate(spring.position, 0.0)) for spring in BETWEEN]


def test_a_host_comes_to_rest_where_its_springs_balance() -> None:
    assert distances(settled(BETWEEN)) == pytest.approx([0.030, 0.070], rel=0.02)


def test_the_papers_force_comes_to_rest_there_too() -> None:
    found = relax_by_paper(
        Coordinate((0.050, 0.020), 0.0), BETWEEN, PaperRelaxation(), rng=Random(0)
    )
    assert distances(found) == pytest.approx([0.030, 0.070], rel=0.03)


def test_the_paper_ends_by_the_length_of_the_movement() -> None:
    # The peer is 50 ms away and its RTT an e-th of that: the force is 1, so the step is k, 10 ms,
    # 6 and 8 ms of it along the axes. 12 ms is more than its length and less than their sum.
    springs = [Spring((0.03, 0.04), 0.0, 0.05 / e, 1.0)]
    settings = PaperRelaxation(k_ms=10.0, least_movement_ms=12.0)
    found = relax_by_paper(Coordinate((0.0, 0.0), 0.0), springs, settings, rng=Random(0))
    assert found.position == pytest.approx((0.006, 0.008))


def test_one_rtt_that_fits_no_space_does_not_displace_the_host() -> None:
    # Four corners say: the middle, 50 ms away. A fifth, at a corner too, says 100 ms; by the least
    # squares that would be worth 3 ms.
    corners = [(-0.03, -0.04), (0.03, -0.04), (-0.03, 0.04), (0.03, 0.04)]
    springs = [Spring(corner, 0.0, 0.050, 1.0) for corner in corners]
    lie = Spring((0.03, 0.04), 0.0, 0.100, 1.0)
    found = settled([*springs, lie], Coordinate((0.010, 0.005), 0.0))
    assert found.position == pytest.approx((0.0, 0.0), abs=0.001)


def test_what_all_rtts_have_in_common_becomes_the_height() -> None:
    # In the middle of four hosts 50 ms away, and 70 ms to each: the last 20 ms are its own access.
    corners = [(-0.03, -0.04), (0.03, -0.04), (-0.03, 0.04), (0.03, 0.04)]
    found = settled([Spring(it, 0.0, 0.070, 1.0) for it in corners], height=True)
    assert found.height == pytest.approx(0.020, abs=0.001)
    assert settled([Spring(it, 0.0, 0.070, 1.0) for it in corners]).height == 0.0


def test_an_old_rtt_draws_less_than_a_new_one() -> None:
    # Towards (0, 0) by a new RTT of 50 ms, from it by a hundredfold weaker one of 60 ms.
    springs = [Spring((0.0, 0.0), 0.0, 0.050, 1.0), Spring((0.0, 0.0), 0.0, 0.060, 0.01)]
    found = settled(springs)
    assert found.distance(Coordinate((0.0, 0.0), 0.0)) == pytest.approx(0.050, abs=0.0005)


def test_zero_rtts_and_hosts_at_one_place_are_no_accident() -> None:
    here = Coordinate((0.010, 0.010), 0.0)
    at_once = settled([Spring(here.position, 0.0, 0.0, 1.0)], here)
    assert at_once.distance(here) < 0.001
    apart = settled([Spring(here.position, 0.0, 0.050, 1.0)] * 2, here)
    assert apart.distance(here) == pytest.approx(0.050, rel=0.05)


def test_without_springs_a_host_stays() -> None:
    here = Coordinate((0.010, 0.010), 0.001)
    assert settled([], here, height=True) == here
    assert relax_by_paper(here, [], PaperRelaxation(), rng=Random(0)) == here


def test_the_work_of_a_round_is_bounded() -> None:
    # 400 springs at most 100 steps would be 40,000; 1,200 allow 4 steps at least, far from balance.
    springs = BETWEEN * 200
    few = settled(springs, settings=Relaxation(work_per_round=10, overshoot=1.0))
    many = settled(springs)
    assert few.position != pytest.approx(many.position, abs=1e-6)
