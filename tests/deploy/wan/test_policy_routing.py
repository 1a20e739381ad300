"""Marks: which rules put them in force, and a real connection that they move while it is open."""

from __future__ import annotations

import json
import time
from math import inf
from typing import TYPE_CHECKING, Any

import pytest
from emulated_room import TWO_KINDS, Room, end_room, start_room
from eyewall_deploy.state import NetworkEmulator
from eyewall_deploy.wan import link_file
from eyewall_deploy.wan.link_file import Mark
from eyewall_deploy.wan.policy_routing import RoutingRule, rules_by_host

if TYPE_CHECKING:
    from collections.abc import Iterator

PORT = 6700
SMALL = 1_000


def test_a_mark_is_a_rule_for_the_way_there_and_one_for_the_answers() -> None:
    # a is 10.83.1.1, c is 10.83.1.3; the host in the middle of the route needs no rule.
    rules = rules_by_host([Mark("a", "c", PORT, ("a", "b", "c"))], ["a", "b", "c"])
    assert rules == {
        "a": {RoutingRule("10.83.1.3", PORT, "dport")},
        "b": set(),
        "c": {RoutingRule("10.83.1.1", PORT, "sport")},
    }


@pytest.fixture(scope="module")
def two_kinds(namespaces_allowed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    started = start_room(
        tmp_path_factory.mktemp("two-kinds"), NetworkEmulator.ROUTER, cluster=TWO_KINDS
    )
    yield started
    end_room(started)


def put(room: Room, *marks: Mark) -> None:
    """Put marks in force and wait until both programs that read them have them."""
    link_file.write_marks(room.folder / "marks.json", marks)
    expected = {host: sorted(map(list, rules)) for host, rules in expected_rules(marks).items()}
    until = time.monotonic() + 120
    while any(room.ask("rules", host=host) != expected[host] for host in "abc"):
        assert time.monotonic() < until, "marks were not put in force"
    time.sleep(0.3)  # the router looks as often as the program of the rules does


def expected_rules(marks: tuple[Mark, ...]) -> dict[str, set[tuple[str, int, str]]]:
    rules = rules_by_host(marks, ["a", "b", "c"])
    return {host: {(it.to, it.port, it.side) for it in found} for host, found in rules.items()}


def least_round_trip(room: Room, below: float = inf) -> float:
    """Of ten; of more, for as long as a busy machine keeps all of them above what is expected."""
    least, end = inf, time.monotonic() + 120
    while least >= below or least == inf:
        assert time.monotonic() < end, least
        least = min(least, *(float(room.ask("exchange", size=SMALL)) for _ in range(10)))
    return least


def arrived(room: Room) -> dict[str, int]:
    """Bytes that reached c's port from a, by kind, as the router has counted them until now."""
    asked = time.time()
    until = time.monotonic() + 120
    while time.monotonic() < until:
        traffic: dict[str, Any] = json.loads((room.folder / "traffic.json").read_text())
        if traffic["as_of"] > asked:
            rows = [row for row in traffic["connections"] if row["port"] == PORT]
            assert {(row["source"], row["target"]) for row in rows} <= {("a", "c")}
            return {row["kind"]: row["bytes"] for row in rows}
        time.sleep(0.05)
    raise AssertionError("the router writes no traffic file")


@pytest.mark.namespaces
def test_an_open_connection_is_moved_there_and_back_and_its_bytes_with_it(
    two_kinds: Room,
) -> None:
    room = two_kinds
    room.ask("connect", source="a", target="c", port=PORT)
    # Public: 20 ms each way. Dedicated over b: 1 + 2 ms each way, 6 ms there and back.
    assert least_round_trip(room) >= 0.0399
    assert set(arrived(room)) == {"public"}

    put(room, Mark("a", "c", PORT, ("a", "b", "c")))
    assert least_round_trip(room, below=0.02) >= 0.0059
    before = arrived(room)
    room.ask("exchange", size=500_000)
    after = arrived(room)
    assert after["public"] == before["public"]
    assert after["dedicated"] - before["dedicated"] >= 500_000

    put(room)
    assert least_round_trip(room) >= 0.0399
    assert arrived(room)["dedicated"] == after["dedicated"]


@pytest.mark.namespaces
def test_the_dedicated_link_carries_what_the_link_file_says_at_this_moment(
    two_kinds: Room,
) -> None:
    room = two_kinds
    room.ask("connect", source="a", target="b", port=PORT + 1)
    put(room, Mark("a", "b", PORT + 1, ("a", "b")))
    # 1 MB/s of public uplink needs 2 s for 2 MB, 5 MB/s of the line 0.4 s, and a busy machine more.
    until = time.monotonic() + 120
    while room.ask("exchange", size=2_000_000) >= 1.9:
        assert time.monotonic() < until
    link_file.set_bandwidth(room.folder / "links.json", "a", "b", 500_000, as_of=time.time())
    time.sleep(0.3)
    # 0.5 MB/s need 2 s for 1 MB, but for what the sockets and the queue (256 KB) hold.
    assert room.ask("exchange", size=1_000_000) >= 1.4
    link_file.set_bandwidth(room.folder / "links.json", "a", "b", 5_000_000, as_of=time.time())


@pytest.mark.namespaces
def test_marks_leave_other_ports_and_datagrams_on_the_public_network(two_kinds: Room) -> None:
    room = two_kinds
    put(room, Mark("a", "c", PORT, ("a", "b", "c")))
    room.ask("connect", source="a", target="c", port=PORT + 2)
    assert least_round_trip(room) >= 0.0399
    assert room.ask("rtt", source="a", target="c", count=5) >= 0.0399
    put(room)
