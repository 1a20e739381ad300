import math
from random import Random

import pytest
from eyewall_contracts.latency import Coordinate, HostCoordinate, RttRecord
from eyewall_latency.algorithms import EstimatorSettings, Space
from eyewall_latency.coordinate import apply_gravity
from eyewall_latency.estimator import Estimator
from eyewall_latency.leap import leap_to_near_peer
from eyewall_latency.registry import MemoryRegistry, RegistryView
from eyewall_latency.relaxation import Spring
from msgspec.structs import replace


def record(*position: float, at: float = 0.0) -> HostCoordinate:
    return HostCoordinate("10.0.0.1", 7078, position, at, error=0.1)


def in_two_dimensions() -> Estimator:
    return Estimator("me", EstimatorSettings(space=Space(dimensions=2, height=False)), Random(0))


def test_only_live_registered_hosts_are_probed_and_never_oneself() -> None:
    view = RegistryView(0.0, {"me": record(0.0, 0.0), "a": record(0.1, 0.0)})
    assert in_two_dimensions().next_peers(5, view) == ["a"]
    assert in_two_dimensions().next_peers(5, RegistryView()) == []


@pytest.mark.parametrize("hosts", [{}, {"me": record(0.0, 0.0)}])
def test_a_host_alone_stays_where_it_is(hosts: dict[str, HostCoordinate]) -> None:
    host = in_two_dimensions()
    before = host.coordinate
    host.settle(RegistryView(0.0, hosts))
    assert host.coordinate.distance(before) < 1e-6
    assert host.error == 1.0


def test_a_report_of_a_host_that_is_not_registered_moves_nobody() -> None:
    host = in_two_dimensions()
    before = host.coordinate
    host.settle(RegistryView(0.0, {}, {"stranger": RttRecord(0.5, 0.0, 0.0)}))
    assert host.coordinate.distance(before) < 1e-6


def test_hosts_of_another_space_are_left_alone() -> None:
    host = in_two_dimensions()
    view = RegistryView(0.0, {"a": record(0.1, 0.0, 0.0)})
    assert host.next_peers(1, view) == []


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -0.001, 60.5])
def test_an_rtt_that_cannot_be_is_counted_and_forgotten(seconds: float) -> None:
    host = in_two_dimensions()
    assert not host.observe("a", seconds, now=0.0)
    assert host.refused == 1
    assert host.unreported() == {}


def test_an_rtt_of_zero_is_taken() -> None:
    host = in_two_dimensions()
    assert host.observe("a", 0.0, now=0.0)
    host.settle(RegistryView(0.0, {"a": record(0.1, 0.0)}))
    assert host.unreported() == {"a": RttRecord(0.0, 0.0, 0.0)}
    assert host.resets == 0
    assert all(map(math.isfinite, host.coordinate.position))


def test_an_unsound_coordinate_is_reset_and_counted() -> None:
    host = in_two_dimensions()
    host.coordinate = Coordinate((math.nan, 0.0), 0.0)
    host.observe("a", 0.010, now=0.0)
    host.settle(RegistryView(0.0, {"a": record(0.1, 0.0)}))
    assert host.resets == 1
    assert host.error == 1.0
    assert math.dist(host.coordinate.position, (0.0, 0.0)) < 0.1
    assert host.record("10.0.0.1", 1, 0.0).resets == 1


def test_both_ends_use_what_one_has_measured() -> None:
    # a measured 50 ms to me; I measured nothing and still come to be 50 ms from it.
    host = in_two_dimensions()
    view = RegistryView(0.0, {"a": record(0.0, 0.0)}, {"a": RttRecord(0.050, 0.0, 0.0)})
    for _ in range(10):
        host.settle(view)
    assert math.dist(host.coordinate.position, (0.0, 0.0)) == pytest.approx(0.050, rel=0.02)


def test_what_the_registry_did_not_take_is_said_again_newest_first() -> None:
    host = in_two_dimensions()
    view = RegistryView(0.0, {"a": record(0.1, 0.0)})
    for seconds in (0.010, 0.010, 0.080, 0.080):
        host.observe("a", seconds, now=1.0)
    host.settle(view)
    assert host.unreported()["a"].seconds == 0.080
    host.mark_reported(host.unreported())
    assert host.unreported() == {}


def test_what_is_kept_for_an_absent_registry_is_bounded_by_the_hosts_alive() -> None:
    host = in_two_dimensions()
    for index in range(1_000):
        host.observe(f"h{index}", 0.010, now=0.0)
    host.settle(RegistryView(0.0, {"h1": record(0.1, 0.0)}))
    assert list(host.unreported()) == ["h1"]
    assert host._unreported == {"h1"}


def test_the_error_tells_how_far_the_rtts_are_missed() -> None:
    # One RTT alone proves little: its own miss and 1/2 for being alone.
    host = in_two_dimensions()
    assert host.error == 1.0
    view = RegistryView(0.0, {"a": record(0.0, 0.0)}, {"a": RttRecord(0.050, 0.0, 0.0)})
    for _ in range(10):
        host.settle(view)
    assert host.error == pytest.approx(0.5, abs=0.02)


def test_gravity_brings_home_what_drifted_and_leaves_the_rest_alone() -> None:
    near = Coordinate((0.1, 0.0), 0.001)
    # (0.1 / 6)² of 100 ms: 28 µs.
    assert apply_gravity(near, 6.0).position[0] == pytest.approx(0.1 * (1 - (0.1 / 6) ** 2))
    far = Coordinate((300.0, 0.0), 0.001)
    assert apply_gravity(far, 6.0).position[0] == 150.0
    for _ in range(2_000):
        far = apply_gravity(far, 6.0)
    assert far.position[0] < 0.1 * 6.0
    assert far.height == 0.001


def test_a_host_on_the_wrong_side_leaps_next_to_its_nearest_peer() -> None:
    # Its site is at (-40, 0), 1 ms around; it sits at (40, 0), as far from the third one at 0 as it
    # should be, and 80 ms from its own.
    springs = [Spring((-0.040, 0.0), 0.0, 0.001, 1.0)] * 3 + [
        Spring((0.0, 0.0), 0.0, 0.040, 1.0)
    ] * 4
    there = leap_to_near_peer(Coordinate((0.040, 0.0), 0.0), springs, 0.15, rng=Random(0))
    assert math.dist(there.position, (-0.040, 0.0)) < 0.005
    stays = Coordinate((-0.0395, 0.0), 0.0)
    assert leap_to_near_peer(stays, springs, 0.15, rng=Random(1)).distance(stays) < 0.005


def test_a_dead_host_is_gone_after_the_expiry() -> None:
    registry = MemoryRegistry(expiry_seconds=60.0)
    registry.write("a", record(0.0, at=0.0), {"b": RttRecord(0.01, 0.0, 0.0)})
    registry.write("b", record(0.0, at=0.0), {})
    registry.now = 60.0
    assert set(registry.read("b").hosts) == {"a", "b"}
    assert set(registry.read("b").reports) == {"a"}
    registry.write("b", replace(record(0.0), at=60.0), {})
    registry.now = 61.0
    assert set(registry.read("b").hosts) == {"b"}
    assert registry.read("b").reports == {}
