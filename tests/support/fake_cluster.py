"""A cluster of two hosts whose Storm daemons are light fakes; all else is real."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from eyewall_deploy.lifecycle.down import processes_of
from eyewall_deploy.run_dir import RunDir

if TYPE_CHECKING:
    from collections.abc import Callable

CLUSTER = """
version = 1
name = "pair"
executors_per_slot = 4
cpu_scale = 1.0
sites = [{name = "west"}, {name = "east"}]
delays = [{between = ["west", "east"], one_way_ms = 5.0}]

[[hosts]]
name = "h1"
site = "west"
slots = 1
cpu = 1.0
memory_mb = 512
labels = ["camera"]
availability = 1.0
speed = 1.0

[[hosts]]
name = "h2"
site = "east"
slots = 1
cpu = 1.0
memory_mb = 512
labels = []
availability = 0.99
speed = 0.5
"""


@dataclass
class FakeCluster:
    """Runs `eyewall-deploy` on a cluster of two hosts whose Storm daemons are light fakes."""

    folder: Path
    mode: str
    ports: list[int]
    environment: dict[str, str] = field(default_factory=dict)
    agents: bool = False
    dashboard: bool = False

    @property
    def run(self) -> RunDir:
        return RunDir(self.folder / "run")

    def command(self, name: str, *arguments: str) -> list[str]:
        run_dir = f"--run-dir={self.run.path}"
        return [sys.executable, "-m", "eyewall_deploy.cli", name, run_dir, *arguments]

    def up_command(self, *more: str) -> list[str]:
        names = ("nimbus", "ui", "sidecar", "zookeeper", "redis", "dashboard")
        ports = [f"--{name}-port={port}" for name, port in zip(names, self.ports, strict=False)]
        return self.command(
            "up",
            str(self.folder / "pair.toml"),
            "--scheduler=ras",
            *(("--without-rates",) if self.agents else ("--without-agents",)),
            *(() if self.dashboard else ("--without-dashboard",)),
            f"--storm-home={self.folder / 'storm'}",
            f"--mode={self.mode}",
            f"--host-ports={self.ports[-1]}",
            *ports,
            *more,
        )

    def start(self, *command: str) -> subprocess.Popen[str]:
        # Whoever runs the tests in the background may ignore Ctrl-C, which children inherit.
        return subprocess.Popen(
            ("env", "--default-signal=INT", *command),
            env=os.environ | {"JAVA_HOME": str(self.folder / "jre")} | self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run_command(self, *arguments: str, up: bool = False) -> subprocess.CompletedProcess[str]:
        command = self.up_command(*arguments) if up else self.command(*arguments)
        process = self.start(*command)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def try_up(self, *more: str) -> subprocess.CompletedProcess[str]:
        return self.run_command(*more, up=True)

    def up(self) -> None:
        done = self.try_up()
        assert done.returncode == 0, done.stderr

    def status(self) -> dict[str, Any]:
        shown = self.run_command("status", "--json")
        assert shown.returncode == 0, shown.stderr
        seen: dict[str, Any] = json.loads(shown.stdout)
        return seen

    def program(self, name: str) -> dict[str, Any]:
        return next(p for p in self.status()["programs"] if p["name"] == name)

    def wait_for_fake(self, name: str) -> None:
        """Until the daemon of that name has been started."""
        self.until(lambda: any(f"-Ddaemon.name={name}" in line for line in self.command_lines()))

    def command_lines(self) -> list[list[str]]:
        lines = []
        for process in self.processes():
            try:
                lines.append(process.cmdline())
            except psutil.Error:
                continue
        return lines

    def processes(self) -> list[psutil.Process]:
        """Found by their environment and, apart from that, by the run dir in what they run."""
        found = {process.pid: process for process in processes_of(self.run)}
        for process in psutil.process_iter():
            try:
                if f"{self.run.path}/" in " ".join(process.cmdline()):
                    found[process.pid] = process
            except psutil.Error:
                continue
        return list(found.values())

    def groups(self) -> list[Path]:
        return list(Path("/sys/fs/cgroup").glob(f"**/eyewall-{self.run.path.name}-{self.run.tag}"))

    def keeper(self) -> psutil.Process:
        pid = self.run.keeper()
        assert pid is not None
        return psutil.Process(pid)

    @staticmethod
    def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not come about in time"
            time.sleep(0.05)

    def assert_nothing_left(self) -> None:
        self.until(lambda: not self.processes() and self.run.keeper() is None)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _block_of_ports() -> int:
    """First of six ports in a row that are free: two supervisors with a slot and an agent each."""
    # Processes that run tests at the same time begin ten blocks apart.
    for first in range(21_000 + os.getpid() * 60 % 9_000, 32_000, 6):
        try:
            for port in range(first, first + 6):
                with socket.socket() as trial:
                    trial.bind(("0.0.0.0", port))
        except OSError:
            continue
        return first
    raise AssertionError("no six free ports in a row")


def make_cluster(folder: Path, mode: str) -> FakeCluster:
    (folder / "pair.toml").write_text(CLUSTER)
    for jar in ("lib/storm-server-2.8.3.jar", "lib-worker/storm-client-2.8.3.jar"):
        path = folder / "storm" / jar
        path.parent.mkdir(parents=True)
        path.touch()
    java = folder / "jre" / "bin" / "java"
    java.parent.mkdir(parents=True)
    fake = Path(__file__).with_name("fake_java.py")
    java.write_text(f'#!/bin/sh\nexec {sys.executable} {fake} "$@"\n')
    java.chmod(0o755)
    return FakeCluster(folder, mode, [*_free_ports(6), _block_of_ports()])
