"""The emulated network, real: namespaces, delays, TCP, ways in and out, and nothing left behind."""

from __future__ import annotations

import os
import socket
import sys
import time
from math import inf
from pathlib import Path

import psutil
import pytest
from emulated_room import Room, end_room, start_room
from eyewall_deploy.host.linux import NAMED
from eyewall_deploy.state import NetworkEmulator
from eyewall_deploy.wan.delay_file import set_delay
from eyewall_deploy.wan.emulator import check_namespaces
from free_ports import free_port

pytestmark = pytest.mark.namespaces

PROBES = 25
TOLERANCE = 0.2
"""On the ratio of two least round-trip times, less that of a link without delay."""


def added(room: Room, source: str, target: str) -> float:
    """Round-trip time that the link's delay adds."""
    return float(room.ask("rtt", source=source, target=target, count=PROBES)) - float(
        room.ask("rtt", source="control", target=target, count=PROBES)
    )


def require_ratio(
    room: Room, above: tuple[str, str], below: tuple[str, str] | float, expected: float
) -> None:
    """One link adds so many times what another does, or as many seconds.

    Of what was found least: on a busy machine all echoes of one look may be late.
    """
    end, least = time.monotonic() + 120, [inf, inf if isinstance(below, tuple) else below]
    while least[0] / least[1] != pytest.approx(expected, rel=TOLERANCE):
        assert time.monotonic() < end, least
        least[0] = min(least[0], added(room, *above))
        if isinstance(below, tuple):
            least[1] = min(least[1], added(room, *below))


def test_a_link_of_twice_the_delay_has_twice_the_round_trip_time(room: Room) -> None:
    # a–b: 10 ms one way, so 20 ms there and back; a–c: 20 ms, so 40.
    require_ratio(room, ("a", "c"), ("a", "b"), 2)


def test_no_answer_comes_before_the_delay_there_and_back(room: Room) -> None:
    # A limit from below, which no load on the machine can break: 2 · 10 ms and 2 · 20 ms.
    assert room.ask("rtt", source="a", target="b", count=PROBES) >= 0.0199
    assert room.ask("rtt", source="c", target="b", count=PROBES) >= 0.0399


def test_between_control_and_a_host_there_is_no_delay(room: Room) -> None:
    # Less than half of the 20 ms that the smallest link adds.
    until = time.monotonic() + 120
    while room.ask("rtt", source="control", target="a", count=PROBES) >= 0.01:
        assert time.monotonic() < until


def test_a_changed_delay_changes_the_round_trip_time_of_that_link_only(room: Room) -> None:
    delays = room.folder / "delays.json"
    set_delay(delays, room.cluster, "a", "b", 0.030, as_of=time.time())
    until = time.monotonic() + 120
    while added(room, "a", "b") < 0.04:
        assert time.monotonic() < until
    # 10 ms → 30 ms one way: 60 ms there and back instead of 20; b–c stays at 40.
    require_ratio(room, ("a", "b"), 0.02, 3)
    require_ratio(room, ("b", "c"), 0.04, 1)
    set_delay(delays, room.cluster, "a", "b", 0.010, as_of=time.time())


def test_20_megabytes_over_tcp_arrive_intact(room: Room) -> None:
    sent, arrived = room.ask("transfer", source="a", target="c", size=20_000_000)
    assert sent == arrived


def test_a_command_on_a_host_finds_the_others_by_name_and_has_the_hosts_name(
    room: Room,
) -> None:
    program = "import socket; print(socket.gethostname(), socket.gethostbyname('c'))"
    answer = room.ask("enter", host="b", command=[sys.executable, "-c", program], groups=[])
    assert answer == [0, "b 10.83.1.3\n"]


def test_a_command_that_does_not_exist_is_named(room: Room) -> None:
    code, output = room.ask("enter", host="b", command=["no-such-command"], groups=[])
    assert code == 127
    assert output == "enter b: no-such-command: No such file or directory\n"


def test_a_network_that_does_not_exist_is_named(room: Room) -> None:
    code, output = room.ask("enter", host="d", command=["true"], groups=[])
    assert code == 127
    assert output.startswith("enter d: ")
    assert "/run/netns/d" in output


def test_the_forwarder_leads_in_from_outside_and_out_from_inside(
    namespaces_allowed: None, tmp_path: Path
) -> None:
    inward = free_port()
    with socket.create_server(("127.0.0.1", 0)) as users_own:
        outward = users_own.getsockname()[1]
        room = start_room(
            tmp_path,
            NetworkEmulator.ROUTER,
            f"outer:127.0.0.1:{inward}=control:10.83.0.1:7",
            f"control:10.83.0.1:2181=outer:127.0.0.1:{outward}",
        )
        try:
            room.ask("serve_echo", host="control")
            with socket.create_connection(("127.0.0.1", inward), timeout=120) as connection:
                connection.sendall(b"hello inside")
                assert connection.recv(100) == b"hello inside"
            program = "import socket; socket.create_connection(('control', 2181)).sendall(b'out')"
            room.ask("enter", host="c", command=[sys.executable, "-c", program], groups=[])
            users_own.settimeout(120)
            connection, _ = users_own.accept()
            with connection:
                assert connection.recv(100) == b"out"
        finally:
            end_room(room)


def network_namespaces_in_use() -> set[int]:
    used = set()
    for process in psutil.pids():
        try:
            used.add(os.stat(f"/proc/{process}/ns/net").st_ino)  # noqa: PTH116
        except OSError:
            continue
    return used


def processes_with(text: str) -> list[int]:
    processes = psutil.process_iter(["cmdline"])
    return [p.pid for p in processes if any(text in part for part in p.info["cmdline"] or [])]


def named_and_mounted() -> tuple[list[str], str]:
    names = NAMED
    listed = sorted(entry.name for entry in names.iterdir()) if names.is_dir() else []
    return listed, Path("/proc/self/mountinfo").read_text(encoding="utf-8")


def test_nothing_is_left_behind_when_the_starter_is_killed(
    namespaces_allowed: None, tmp_path: Path
) -> None:
    before = named_and_mounted()
    room = start_room(tmp_path, NetworkEmulator.ROUTER)
    inside = room.ask("namespaces")
    assert sorted(inside) == ["a", "b", "c", "control"]
    assert named_and_mounted() == before  # while it runs, no one outside sees its names
    assert len(processes_with(str(tmp_path))) >= 3  # starter, process 1, router
    end_room(room)
    until = time.monotonic() + 120
    while processes_with(str(tmp_path)) and time.monotonic() < until:
        time.sleep(0.05)
    assert processes_with(str(tmp_path)) == []
    assert network_namespaces_in_use() & set(inside.values()) == set()
    assert named_and_mounted() == before


def test_a_refusal_says_why_and_how_to_allow_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    refusal = check_namespaces()
    assert refusal is not None
    assert "(the trial ended with 1); run as root" in refusal.reason
