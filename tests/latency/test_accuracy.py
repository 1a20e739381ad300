"""Bounds on matrices whose geometry is known; the agents' own code, by the simulator.

The bounds leave about half again of what is reached; each is far below what random places give.
"""

import math

import pytest
from delay_shapes import at_random, drawn_in_a_cube, grid, line, two_lans
from eyewall_contracts.latency import Coordinate
from eyewall_latency.accuracy import Accuracy, accuracy, quantile
from eyewall_latency.algorithms import EstimatorSettings, Space
from eyewall_latency.estimator import Estimator
from eyewall_latency.matrix import RttMatrix
from eyewall_latency.pace import Pace
from eyewall_latency.phantom import Phantoms, SimulationPlan, simulate

PAPER = EstimatorSettings(space=Space(algorithm="paper"))


def after(
    probes: int,
    *slices: RttMatrix,
    settings: EstimatorSettings | None = None,
    held_out: float = 0.0,
    seed: int = 1,
) -> Accuracy:
    plan = SimulationPlan(probes, seed=seed, held_out=held_out)
    return simulate(slices, plan, settings or EstimatorSettings(), Pace())[-1]


def relative(found: Accuracy) -> tuple[float, float]:
    """Median and p90 of never-probed pairs."""
    median, p90 = found.unprobed.median_relative_error, found.unprobed.p90_relative_error
    assert median is not None
    assert p90 is not None
    return median, p90


@pytest.mark.parametrize(
    ("matrix", "median", "p90"),
    [(line(), 0.06, 0.25), (grid(), 0.02, 0.10), (drawn_in_a_cube(3), 0.03, 0.15)],
    ids=["line", "grid", "cube"],
)
def test_what_lies_in_a_space_is_found_from_a_part_of_its_pairs(
    matrix: RttMatrix, median: float, p90: float
) -> None:
    found = relative(after(20, matrix, held_out=0.3))
    assert found[0] <= median
    assert found[1] <= p90


@pytest.mark.parametrize("seed", [0, 1, 2, 7])
def test_lans_far_apart_and_the_wan_between_them_get_different_distances(seed: int) -> None:
    # 0.5 ms within, 40 ms between: never-probed pairs of both kinds. A host on the wrong side
    # would be off by eighty times.
    found = relative(after(40, two_lans(), held_out=0.2, seed=seed))
    assert found[0] <= 0.05
    assert found[1] <= 0.8


def test_a_site_whose_delay_changes_is_followed() -> None:
    # From 40 to 10 ms: ten hosts that hold each other at 0.5 ms have to move together.
    found = relative(after(60, two_lans(0.5, 40.0), two_lans(0.5, 10.0), held_out=0.2))
    assert found[0] <= 0.05
    assert found[1] <= 0.8


def test_rtts_that_fit_no_space_are_not_made_worse_than_a_constant() -> None:
    # Uniform from 10 to 100 ms: the best constant, about 45 ms, is off by 40 % in the median.
    found = after(24, at_random(5))
    assert found.all.median_relative_error is not None
    assert found.all.median_relative_error <= 0.40


def test_the_papers_algorithm_finds_a_line_too() -> None:
    assert relative(after(100, line(), settings=PAPER, held_out=0.3))[0] <= 0.10


def test_when_the_world_changes_old_rtts_fade() -> None:
    # Every host moves elsewhere; 15 minutes later an RTT of before weighs an eighth of a new one.
    before, then = drawn_in_a_cube(3), drawn_in_a_cube(4)
    found = relative(after(60, before, then, held_out=0.2))
    assert found[0] <= 0.10


def test_the_hosts_do_not_drift_away_together() -> None:
    # Each is pushed 3 s aside; their distances are right, and gravity brings them home.
    phantoms = Phantoms(20, SimulationPlan(300, seed=1), EstimatorSettings(), Pace())
    for host in phantoms._hosts:
        pushed = tuple(axis + 3.0 for axis in host.coordinate.position)
        host.coordinate = Coordinate(pushed, host.coordinate.height)
    phantoms.live_through(two_lans(5.0, 40.0), lambda _: None)
    assert max(math.hypot(*it.position) for it in phantoms.coordinates()) < 1.5


def test_the_same_seed_gives_the_same_coordinates() -> None:
    assert after(5, grid()) == after(5, grid())


def test_the_simulator_runs_the_agents_estimator() -> None:
    assert all(
        isinstance(it, Estimator)
        for it in Phantoms(3, SimulationPlan(1), EstimatorSettings(), Pace())._hosts
    )


@pytest.mark.parametrize("settings", [EstimatorSettings(), PAPER], ids=["springs", "paper"])
def test_no_host_probes_more_than_it_may_and_none_what_is_held_out(
    settings: EstimatorSettings,
) -> None:
    phantoms = Phantoms(20, SimulationPlan(13, seed=2, held_out=0.5), settings, Pace())
    sent: list[int] = []
    phantoms.live_through(two_lans(), sent.append)
    assert sum(sent) == 20 * 13
    ordered = {(min(pair), max(pair)) for pair in phantoms.probed}
    assert phantoms._forbidden
    assert not ordered & phantoms._forbidden


def test_errors_are_of_the_pairs_that_neither_end_probed() -> None:
    # Three hosts on a line at 0, 10 and 30 ms. True: 10, 20 and 40 ms. Pair (0, 1) was probed by 1.
    # Off: 0 of 10, 0 of 20, 10 of 40. Never probed: 0 and 0.25, in both directions.
    places = [Coordinate((it,), 0.0) for it in (0.0, 0.010, 0.030)]
    rtts = ((None, 0.010, 0.040), (0.010, None, 0.020), (0.040, 0.020, None))
    found = accuracy(RttMatrix(rtts, 0), places, {(1, 0)}, 1)
    assert found.share_of_pairs_probed == pytest.approx(1 / 3)
    assert found.unprobed.median_relative_error == pytest.approx(0.125)
    assert found.unprobed.p90_relative_error == pytest.approx(0.25)
    assert found.unprobed.median_absolute_error_ms == pytest.approx(5.0)
    assert found.all.median_relative_error == pytest.approx(0.0)


def test_without_such_pairs_their_errors_are_unknown_not_zero() -> None:
    found = after(30, two_lans())
    assert found.share_of_pairs_probed == 1.0
    assert found.unprobed.median_relative_error is None


def test_a_quantile_lies_between_its_neighbours() -> None:
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert quantile([1.0], 0.9) == 1.0
