from math import sqrt

import numpy as np
import pytest
from eyewall_papers.cost_space.weber_point import (
    check_dead_points,
    local_usage,
    manhattan_weber_point,
    weber_point,
)
from eyewall_sidecar.model.array_types import Floats
from numpy.random import default_rng


def at(*positions: tuple[float, ...]) -> Floats:
    return np.array(positions, dtype=np.float64)


def rates(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


def test_three_equal_links_meet_at_120_degrees() -> None:
    # From (0, 0) and (4, 0) the links rise by 30°: they meet at height 2 · tan 30° = 2/√3. Usage:
    # 2 · 4/√3 + (3 − 2/√3) = 3 + 6/√3.
    anchors = at((0, 0), (4, 0), (2, 3))
    point = weber_point(anchors, rates(1, 1, 1), 1e-12)
    assert point == pytest.approx([2, 2 / sqrt(3)], abs=1e-4)
    assert local_usage(anchors, rates(1, 1, 1), point) == pytest.approx(3 + 6 / sqrt(3))


def test_the_network_usage_of_links_is_rate_times_distance() -> None:
    # From (0, 0): 2/s · 5 to (3, 4), and 10/s · 1 to (0, 1).
    assert local_usage(at((3, 4), (0, 1)), rates(2, 10), at((0, 0))[0]) == 20


def test_a_neighbour_that_outweighs_all_others_is_met_to_the_last_bit() -> None:
    # 3 > 1 + 1: no pull of the two others moves the operator away from (0.1, 0.7).
    anchors = at((0.9, 0.3), (0.1, 0.7), (0.5, 0.2))
    assert weber_point(anchors, rates(1, 3, 1), 1e-6).tolist() == [0.1, 0.7]


def test_an_equal_neighbour_at_a_wide_angle_holds_the_operator() -> None:
    # At (0, 0) the two others pull with 2 · 0.1/√1.01 = 0.199 upwards, less than its own 1.
    anchors = at((1, 0.1), (0, 0), (-1, 0.1))
    assert weber_point(anchors, rates(1, 1, 1), 1e-6).tolist() == [0, 0]


def test_a_dead_point_where_the_others_pull_harder_is_left() -> None:
    # Four equal links to the corners of a square and a fifth, weaker one to a corner-near point:
    # the best neighbour is no minimum, since the other four pull with more than its 0.1.
    anchors = at((0, 0), (1, 0), (0, 1), (1, 1), (0.4, 0.5))
    pulls = rates(1, 1, 1, 1, 0.1)
    point = weber_point(anchors, pulls, 1e-12)
    usage = local_usage(anchors, pulls, point)
    assert usage < min(local_usage(anchors, pulls, anchor) for anchor in anchors) - 1e-3


def test_the_start_is_the_weighted_median_of_each_axis() -> None:
    # Half of 5 is 2.5. Rates up to and at x = 0, 1, 9: 1, 2, 5; up to and at y = 0, 1: 1, 4.
    assert manhattan_weber_point(at((0, 5), (1, 0), (9, 1)), rates(1, 1, 3)).tolist() == [9, 1]


def test_a_neighbour_that_is_as_good_as_the_start_is_taken_for_it() -> None:
    # Anywhere between two equal links is as good: 1 · 1 + 1 · 1 = 1 · 2.
    assert check_dead_points(at((0,), (2,)), rates(1, 1), at((1,))[0]).tolist() == [0]


def test_a_start_better_than_every_neighbour_is_kept() -> None:
    # (2, 1): √5 + √5 + 2 = 6.47; the neighbours: 4 + 3.61 or 3.61 + 3.61.
    start = at((2, 1))[0]
    assert check_dead_points(at((0, 0), (4, 0), (2, 3)), rates(1, 1, 1), start).tolist() == [2, 1]


def test_neighbours_at_one_position_are_met_there() -> None:
    assert weber_point(at((1, 2, 3), (1, 2, 3)), rates(1, 5), 1e-6).tolist() == [1, 2, 3]


def test_the_descent_finds_what_weiszfelds_iteration_finds() -> None:
    rng = default_rng(0)
    for _ in range(40):
        anchors = rng.random((int(rng.integers(1, 8)), 3))
        pulls = rng.uniform(1, 100, len(anchors))
        found = local_usage(anchors, pulls, weber_point(anchors, pulls, 1e-9))
        assert found <= weiszfeld(anchors, pulls) * (1 + 1e-5)


def weiszfeld(anchors: Floats, pulls: Floats) -> float:
    """Return the usage after many reweighted averages, or that of the best anchor."""
    point = np.average(anchors, axis=0, weights=pulls)
    for _ in range(400):
        nearness = pulls / np.maximum(np.linalg.norm(anchors - point, axis=1), 1e-12)
        point = np.average(anchors, axis=0, weights=nearness)
    return min(local_usage(anchors, pulls, it) for it in (point, *anchors))
