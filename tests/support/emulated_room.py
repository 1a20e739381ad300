"""A real emulated network of four namespaces, in a private room that a test talks to."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyewall_deploy.cluster_file import Cluster, load

if TYPE_CHECKING:
    from eyewall_deploy.state import NetworkEmulator

ROOM = Path(__file__).with_name("room_program.py")
CLUSTER = """
version = 1
name = "room"
sites = [{name = "near"}, {name = "far"}]
delays = [
    {between = ["near", "near"], one_way_ms = 10.0},
    {between = ["near", "far"], one_way_ms = 20.0},
]
[[hosts]]
name = "a"
site = "near"
slots = 1
cpu = 0.2
memory_mb = 64
[[hosts]]
name = "b"
site = "near"
slots = 1
cpu = 0.2
speed = 0.5
[[hosts]]
name = "c"
site = "far"
slots = 1
"""


@dataclass(frozen=True, slots=True)
class Room:
    """A running room, and where its files are."""

    process: subprocess.Popen[str]
    folder: Path
    cluster: Cluster

    def ask(self, do: str, **arguments: object) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


TWO_KINDS = (
    CLUSTER.replace("slots = 1", "slots = 1\nuplink_mbit = 8.0\ndownlink_mbit = 80.0")
    + """
[[dedicated]]
between = ["a", "b"]
one_way_ms = 1.0
bandwidth_mbit = 40.0
[[dedicated]]
between = ["b", "c"]
one_way_ms = 2.0
bandwidth_mbit = 40.0
"""
)
"""The same with leased lines a–b–c; the public network lets 1 MB/s out of each host."""


def start_room(folder: Path, kind: NetworkEmulator, *forwards: str, cluster: str = CLUSTER) -> Room:
    (folder / "cluster.toml").write_text(cluster, encoding="utf-8")
    options = [part for forward in forwards for part in ("--forward", forward)]
    process = subprocess.Popen(
        [sys.executable, str(ROOM), str(folder / "cluster.toml"), str(folder), kind, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    room = Room(process, folder, load(folder / "cluster.toml"))
    assert room.answer() == "ready"
    return room


def end_room(room: Room) -> None:
    room.process.kill()
    room.process.communicate()
