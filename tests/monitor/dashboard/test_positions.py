"""Where hosts are drawn."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from eyewall_contracts.latency import Coordinate
from eyewall_monitor.dashboard.views.positions import Position, from_coordinates, from_delays

FLAT = {"a": (0.0, 0.0), "b": (0.03, 0.0), "c": (0.0, 0.04), "d": (0.03, 0.04), "e": (0.2, 0.01)}


def apart(places: dict[str, Position], one: str, other: str) -> float:
    a, b = places[one], places[other]
    return math.hypot(a.x - b.x, a.y - b.y)


def in_space(turn: float = 0.0, noise: float = 0.0) -> dict[str, Coordinate]:
    """The flat map, turned, in a space of four dimensions."""
    found = {}
    for number, (name, (x, y)) in enumerate(FLAT.items()):
        at = x + noise * (number % 3 - 1)
        one = at * math.cos(turn) - y * math.sin(turn)
        other = at * math.sin(turn) + y * math.cos(turn)
        found[name] = Coordinate((5.0, one, other, -1.0), 0.002)
    return found


def test_hosts_on_a_plane_keep_their_distances() -> None:
    places = from_coordinates(in_space(turn=1.0), {})
    assert apart(places, "a", "b") == pytest.approx(0.03, abs=1e-5)
    assert apart(places, "b", "c") == pytest.approx(0.05, abs=1e-5)
    assert places["a"].height == 0.002
    assert {it.source for it in places.values()} == {"coordinates"}


@pytest.mark.parametrize("turn", [0.1, math.pi / 2, math.pi, 4.0])
def test_a_turned_space_leaves_the_map_unchanged(turn: float) -> None:
    before = from_coordinates(in_space(), {})
    after = from_coordinates(in_space(turn), before)
    for name, place in before.items():
        assert after[name].x == pytest.approx(place.x, abs=1e-5)
        assert after[name].y == pytest.approx(place.y, abs=1e-5)


def test_the_map_does_not_turn_when_another_axis_becomes_the_longest() -> None:
    def cross(wide: float, high: float) -> dict[str, Coordinate]:
        ends = {"w": (-wide, 0.0), "e": (wide, 0.0), "n": (0.001, high), "s": (0.0, -high)}
        return {name: Coordinate(place, 0.0) for name, place in ends.items()}

    before = from_coordinates(cross(0.031, 0.030), {})
    after = from_coordinates(cross(0.030, 0.031), before)
    for name, place in before.items():
        assert after[name].x == pytest.approx(place.x, abs=0.002)
        assert after[name].y == pytest.approx(place.y, abs=0.002)


def test_adding_or_removing_a_host_hardly_moves_others() -> None:
    before = from_coordinates(in_space(), {})
    fewer = in_space(noise=0.0005)
    del fewer["d"]
    after = from_coordinates(fewer, before)
    # The middle of the others is another one; they are as near to each other as they were.
    assert apart(after, "a", "c") == pytest.approx(apart(before, "a", "c"), abs=0.002)
    turned = math.atan2(after["e"].y - after["a"].y, after["e"].x - after["a"].x)
    was = math.atan2(before["e"].y - before["a"].y, before["e"].x - before["a"].x)
    assert turned == pytest.approx(was, abs=0.05)


def test_the_first_map_depends_on_the_coordinates_alone() -> None:
    assert from_coordinates(in_space(), {}) == from_coordinates(in_space(), {})


def test_hosts_with_other_dimensions_are_left_out() -> None:
    mixed = in_space() | {"odd": Coordinate((1.0, 2.0), 0.0)}
    assert "odd" not in from_coordinates(mixed, {})
    assert from_coordinates({}, {}) == {}


@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_hosts_have_positions(count: int) -> None:
    some = dict(list(in_space().items())[:count])
    places = from_coordinates(some, {})
    assert len(places) == count
    if count == 2:
        assert apart(places, "a", "b") == pytest.approx(0.03, abs=1e-5)


def test_the_distances_of_a_map_by_delays_are_round_trips() -> None:
    delays = {(a, b): math.dist(FLAT[a], FLAT[b]) / 2 for a, b in permutations(FLAT, 2)}
    places = from_delays(list(FLAT), delays, {})
    assert apart(places, "a", "e") == pytest.approx(math.dist(FLAT["a"], FLAT["e"]), abs=1e-5)
    assert apart(places, "b", "c") == pytest.approx(0.05, abs=1e-5)
    assert {it.source for it in places.values()} == {"delays"}


def test_without_every_delay_there_is_no_map() -> None:
    delays = {(a, b): math.dist(FLAT[a], FLAT[b]) for a, b in permutations(FLAT, 2)}
    del delays["c", "a"]
    assert from_delays(list(FLAT), delays, {}) == {}


def test_a_map_by_delays_does_not_follow_one_by_coordinates() -> None:
    before = from_coordinates(in_space(), {})
    delays = {(a, b): math.dist(FLAT[a], FLAT[b]) / 2 for a, b in permutations(FLAT, 2)}
    assert from_delays(list(FLAT), delays, before) == from_delays(list(FLAT), delays, {})
