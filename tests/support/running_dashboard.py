"""A dashboard as its command runs it, with a real server on a port of its own."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import httpx
from eyewall_monitor.dashboard.serve import Dashboard, DashboardServer, listen

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_monitor.dashboard.config import DashboardConfig

PATIENCE = 120.0


class RunningDashboard:
    """Starts in a thread; `get` and the like ask it."""

    def __init__(self, config: DashboardConfig) -> None:
        self._socket = listen(config.listen)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.dashboard = Dashboard(config)
        self._ready = threading.Event()
        self._server = DashboardServer(self.dashboard, self._ready.set)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],))
        self.http = httpx.Client(base_url=self.url, timeout=PATIENCE)

    def __enter__(self) -> RunningDashboard:
        self.dashboard.start()
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self.dashboard.close()

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.http.get(f"/api/v1/{path}", **more)

    def put(self, path: str, content: Any, **more: Any) -> httpx.Response:
        return self.http.put(f"/api/v1/{path}", json=content, **more)

    def post(self, path: str, content: Any = None, **more: Any) -> httpx.Response:
        return self.http.post(f"/api/v1/{path}", json=content, **more)

    def until(self, path: str, holds: Callable[[Any], Any]) -> Any:
        """Ask until an answer is as it should be, and return it."""
        end = time.monotonic() + PATIENCE
        while True:
            response = self.get(path)
            content = response.json()
            if response.status_code == 200 and holds(content):
                return content
            assert time.monotonic() < end, json.dumps(content, indent=1)[:4000]
            time.sleep(0.05)
