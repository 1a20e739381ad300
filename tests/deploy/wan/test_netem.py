"""The same network by the kernel's netem, on machines whose kernel has it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from emulated_room import Room, end_room, start_room
from eyewall_deploy.state import NetworkEmulator
from eyewall_deploy.wan.delay_file import set_delay
from eyewall_deploy.wan.emulator import choose_emulator

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.namespaces


def added(room: Room, source: str, target: str) -> float:
    times = [
        float(room.ask("rtt", source=start, target=target, count=25))
        for start in (source, "control")
    ]
    return times[0] - times[1]


def test_netem_delays_packets_follows_the_file_and_carries_tcp_intact(
    namespaces_allowed: None, tmp_path: Path
) -> None:
    choice = choose_emulator(NetworkEmulator.NETEM)
    if choice.emulator is not NetworkEmulator.NETEM:
        pytest.skip(f"delays come from the router on this machine: {choice.reason}")
    room = start_room(tmp_path, NetworkEmulator.NETEM)
    try:
        # a–b: 10 ms one way, a–c: 20 ms.
        near = added(room, "a", "b")
        assert added(room, "a", "c") / near == pytest.approx(2, rel=0.2)
        set_delay(tmp_path / "delays.json", room.cluster, "a", "b", 0.030, as_of=time.time())
        until = time.monotonic() + 120
        while added(room, "a", "b") < 2 * near and time.monotonic() < until:
            pass
        assert added(room, "a", "b") / near == pytest.approx(3, rel=0.2)
        sent, arrived = room.ask("transfer", source="a", target="c", size=20_000_000)
        assert sent == arrived
    finally:
        end_room(room)


def test_the_router_is_used_where_it_is_requested() -> None:
    assert choose_emulator(NetworkEmulator.ROUTER).emulator is NetworkEmulator.ROUTER
