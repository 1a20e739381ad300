"""A cluster of two hosts whose Storm daemons are light fakes; all else is real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from commands_here import run_here
from eyewall_deploy.cli import app
from eyewall_deploy.lifecycle.down import cluster_processes
from eyewall_deploy.processes.control import Control
from eyewall_deploy.run_dir import RunDir
from free_ports import free_ports

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eyewall_deploy.processes.control import ProgramState

PATIENCE = 300.0
"""Seconds that anything may take on a machine that others use."""
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
    """Runs `eyewall-deploy` on a cluster of two hosts whose Storm daemons are light fakes.

    Parameters
    ----------
    ports
        One for each of six servers, then the hosts': two supervisors with a slot and an agent each.
    """

    folder: Path
    mode: str
    ports: Sequence[int]
    environment: dict[str, str] = field(default_factory=dict)
    agents: bool = False
    dashboard: bool = False
    started: list[subprocess.Popen[str]] = field(default_factory=list)

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
            f"--host-ports={self.ports[6]}",
            *ports,
            *more,
        )

    @property
    def _folders(self) -> dict[str, str]:
        of = {"JAVA_HOME": "jre", "XDG_CACHE_HOME": "cache"}
        return {name: str(self.folder / folder) for name, folder in of.items()}

    def start(self, *command: str) -> subprocess.Popen[str]:
        # Where tests run in the background Ctrl-C may be ignored, which children inherit.
        process = subprocess.Popen(
            ("env", "--default-signal=INT", *command),
            env=os.environ | self._folders | self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def run_command(self, *arguments: str, up: bool = False) -> subprocess.CompletedProcess[str]:
        command = self.up_command(*arguments) if up else self.command(*arguments)
        process = self.start(*command)
        out, err = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def ask(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        _, _, _, *command = self.command(name, *arguments)
        return run_here(app, *command)

    def try_up(self, *more: str) -> subprocess.CompletedProcess[str]:
        return self.run_command(*more, up=True)

    def up(self) -> None:
        done = self.try_up()
        assert done.returncode == 0, done.stderr

    def status(self) -> dict[str, Any]:
        shown = self.ask("status", "--json")
        assert shown.returncode == 0, shown.stderr
        seen: dict[str, Any] = json.loads(shown.stdout)
        return seen

    def program(self, name: str) -> dict[str, Any]:
        return next(p for p in self.status()["programs"] if p["name"] == name)

    def state(self, name: str) -> ProgramState:
        """What supervisord says at once: a command takes a second or more to start."""
        return Control(self.run.socket).state(name)

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
        found = {process.pid: process for process in cluster_processes(self.run)}
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
    def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not come about in time"
            time.sleep(0.05)

    def assert_nothing_left(self) -> None:
        self.until(lambda: not self.processes() and self.run.keeper() is None)

    def end(self) -> None:
        """End what a test has left, a failed one too, so that no other test hears of it."""
        if self.run.keeper() is not None or self.processes() or self.groups():
            self.ask("down")
        for process in self.processes():
            process.kill()
        for started in self.started:
            started.kill()
            started.communicate()


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
    return FakeCluster(folder, mode, free_ports(12))
