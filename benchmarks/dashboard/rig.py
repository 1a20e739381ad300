"""A dashboard and its surroundings as processes: Redis, ZooKeeper, sidecar, players."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from free_ports import free_port
from real_stores import HERE, Server, redis_server, zookeeper_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from benchmarks.dashboard.recording import ClusterSize

PATIENCE = 240.0
MONITOR = Path(sys.executable).with_name("eyewall-monitor")


@dataclass
class BenchmarkProgram:
    """A running program that talks over standard input and output."""

    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def line(self) -> str:
        """Return the next line of its output; end the benchmark if the program has ended."""
        out = self.process.stdout
        line = out.readline().strip() if out else ""
        if not line:
            raise SystemExit(f"{self.process.args!r}: ended, code {self.process.wait()}")
        return line

    def send(self, line: str) -> None:
        if self.process.stdin:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start_program(*command: str | Path) -> BenchmarkProgram:
    """Start a program; its standard error is that of the benchmark."""
    words = [str(it) for it in command]
    return BenchmarkProgram(
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    )


class Rig:
    """A recorded cluster of some size and a dashboard that shows it."""

    def __init__(
        self, size: ClusterSize, folder: Path, heap_megabytes: int = 256, mode: str = "steady"
    ) -> None:
        self.size = size
        self._mode = mode
        self._folder = folder
        self._stack = ExitStack()
        self.redis: Server = redis_server()
        self.zookeeper: Server = zookeeper_server(folder, heap_megabytes)

    def __enter__(self) -> Rig:
        with ExitStack() as stack:
            stack.enter_context(self.stores())
            stack.enter_context(self.programs())
            self._stack = stack.pop_all()
        return self

    @contextmanager
    def stores(self) -> Iterator[None]:
        """Redis and ZooKeeper alone."""
        with ExitStack() as stack:
            for store in (self.redis, self.zookeeper):
                store.start()
                stack.callback(store.stop)
            yield

    @contextmanager
    def programs(self) -> Iterator[None]:
        """Run the sidecar, the players and the dashboard; the stores are running."""
        with ExitStack() as stack:
            self._start(stack)
            self._wait()
            yield

    def _start(self, stack: ExitStack) -> None:
        def start(*command: str | Path) -> BenchmarkProgram:
            process = start_program(*command)
            stack.callback(process.end)
            return process

        url = f"redis://{self.redis.address}/0"
        self.sidecar = f"{HERE}:{free_port()}"
        settings = self._file(
            "sidecar.toml",
            f'listen = "{self.sidecar}"\n[delays]\nredis = "{url}"\n'
            f'[zookeeper]\nservers = "{self.zookeeper.address}"\n',
        )
        self.sidecar_process = start(sys.executable, "-m", "benchmarks.dashboard.sidecar", settings)
        self.sidecar_process.line()
        self.sidecar_ready_at = time.monotonic()
        sizes = [str(it) for it in astuple(self.size)]
        stores = (url, self.zookeeper.address)
        player = (sys.executable, "-m", "benchmarks.dashboard.players")
        self.players = start(*player, *sizes, *stores, self.sidecar, self._mode)
        self.players.line()
        config = self._file(
            "dashboard.toml",
            f'listen = "{HERE}:0"\n[sidecar]\naddress = "{self.sidecar}"\n'
            f'[zookeeper]\nservers = "{self.zookeeper.address}"\n[redis]\nurl = "{url}"\n',
        )
        self.dashboard = start(MONITOR, "dashboard", "--config", config)
        self.url = next(it for it in self.dashboard.line().split() if it.startswith("http"))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _file(self, name: str, text: str) -> Path:
        path = self._folder / name
        path.write_text(text)
        return path

    def _wait(self) -> None:
        """Wait until the dashboard shows the whole cluster."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            cluster = httpx.get(f"{self.url}/api/v1/cluster", timeout=30).json()
            reported = all(
                "missing" not in (it["report"]["state"], it["latency"]["state"])
                for it in cluster["supervisors"]
            )
            shown = len(cluster["topologies"]) == self.size.topologies
            if shown and reported and all(it["placed"] for it in cluster["topologies"]):
                self.topology: str = cluster["topologies"][-1]["id"]
                topology = httpx.get(
                    f"{self.url}/api/v1/topologies/{self.topology}", timeout=30
                ).json()
                self.executor: str = topology["components"][2]["executors"][0]["executor"]
                return
            time.sleep(0.5)
        raise SystemExit("the dashboard does not show the whole cluster")
