"""The composition root of `eyewall-monitor dashboard`, and its server."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from eyewall_contracts.redis_url import server_of
from eyewall_contracts.znodes import Znodes

from eyewall_monitor.addresses import ListenError, split_address
from eyewall_monitor.dashboard.commands import Commands
from eyewall_monitor.dashboard.prometheus import collect
from eyewall_monitor.dashboard.readers.forecast_reader import ForecastReader
from eyewall_monitor.dashboard.readers.history_reader import HistoryReader
from eyewall_monitor.dashboard.readers.latency_reader import LatencyReader
from eyewall_monitor.dashboard.readers.reader import RepeatingThread
from eyewall_monitor.dashboard.readers.sidecar_reader import SidecarReader
from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperReader
from eyewall_monitor.dashboard.sidecar_client import SidecarClient
from eyewall_monitor.dashboard.snapshot import RedisSnapshot, Snapshot, ZookeeperSnapshot
from eyewall_monitor.dashboard.totals import RunningTotals
from eyewall_monitor.dashboard.view_cache import ViewCache
from eyewall_monitor.dashboard.web.app import make_app
from eyewall_monitor.dashboard.web.events import Events
from eyewall_monitor.dashboard.web.middleware import Guard, Head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from prometheus_client.metrics_core import Metric

    from eyewall_monitor.dashboard.config import DashboardConfig

REFRESH_SECONDS: Final = 0.5
"""Between two checks whether something that is shown has changed."""
FIRST_SECONDS: Final = 3.0
"""For the sidecar's first answer before any request is served: browsers that reconnect to a
restarted dashboard would otherwise see that everything is unknown."""
SHUTDOWN_SECONDS: Final = 2
"""For pending responses when the dashboard ends."""
BACKLOG: Final = 128


class Dashboard:
    """Everything but the server."""

    def __init__(self, config: DashboardConfig) -> None:
        steady = time.monotonic
        self._client = SidecarClient(config.sidecar.address)
        self._sidecar = SidecarReader(self._client, steady)
        store, redis = config.zookeeper, config.redis
        self._zookeeper = (
            None if store.servers is None else ZookeeperReader(store.servers, Znodes(store.root))
        )
        self._forecasts = ForecastReader(self._client, self._running)
        self._totals = RunningTotals(steady)
        self._latency: LatencyReader | None = None
        self._history: HistoryReader | None = None
        if redis.url is not None:
            self._latency = LatencyReader(redis.url, redis.prefix, self._shown_pairs)
            self._history = HistoryReader(redis.url, redis.prefix, self._totals.add)
        self.events = Events()
        self._views = ViewCache(self._read, steady)
        self._refresher = RepeatingThread("the views", self._refresh, lambda _: None)
        commands = Commands(
            self._views, self._client, self._sidecar, self._zookeeper, self._refresher.hurry
        )
        self.api = make_app(self._views, commands, self.events, self._collect)
        access = config.access
        self.app = Guard(Head(self.api), access.allowed_hosts, read_only=access.read_only)

    def start(self) -> None:
        """Begin to read; return once the sidecar has answered, or after some seconds."""
        for it in self._readers():
            it.start()
        self._sidecar.wait_for_first(FIRST_SECONDS)
        self._refresher.start()
        self._refresher.wait_for_first(FIRST_SECONDS)

    def close(self) -> None:
        """Read no more."""
        self._refresher.close()
        for it in self._readers():
            it.close()
        self._client.close()

    def _readers(self) -> list[Any]:
        readers = (
            self._sidecar,
            self._zookeeper,
            self._latency,
            self._history,
            self._forecasts,
        )
        return [it for it in readers if it is not None]

    def _refresh(self) -> float:
        change = self._views.refresh()
        store = self._views.snapshot.zookeeper
        self._totals.add_decisions(store)
        if self._history is None:  # then there are only the latest reports
            for report in store.samples.values():
                self._totals.add(report)
        if change is not None:
            self.events.publish(change)
        return REFRESH_SECONDS

    def _collect(self) -> Iterator[Metric]:
        return collect(self._read(), self._totals.read(), self.events.pages)

    def _read(self) -> Snapshot:
        redis, history = RedisSnapshot(), self._history
        if self._latency is not None and history is not None:
            redis = self._latency.read()
            redis = replace(
                redis,
                flow=history.flow,
                history_age=history.age,
                remarks=(*redis.remarks, *history.remarks),
            )
        return Snapshot(
            now=time.time(),
            sidecar=self._sidecar.read(),
            zookeeper=ZookeeperSnapshot() if self._zookeeper is None else self._zookeeper.read(),
            redis=redis,
            forecasts=self._forecasts.history,
        )

    def _running(self) -> list[str]:
        """Return Storm's ids of the topologies that run."""
        status = self._sidecar.read().status
        return [it.topology_id for it in status.topologies] if status is not None else []

    def _shown_pairs(self) -> list[tuple[str, str]]:
        """Return the pairs of hosts whose links are shown."""
        status = self._sidecar.read().status
        links = status.delays.links if status is not None else ()
        return [(it.source, it.target) for it in links]


class DashboardServer(uvicorn.Server):
    """Reports when it is ready, and ends event streams before it waits for pending responses."""

    def __init__(self, dashboard: Dashboard, ready: Callable[[], None]) -> None:
        config = uvicorn.Config(
            dashboard.app,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        super().__init__(config)
        self._dashboard = dashboard
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._dashboard.events.close()
        await super().shutdown(sockets)


def serve(config: DashboardConfig, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; call `say` with one line when ready.

    Raises ListenError if the address cannot be listened on. A store or a sidecar that does not
    answer does not keep it from starting.
    """
    listening = listen(config.listen)
    host, port = listening.getsockname()[:2]
    where = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    dashboard = Dashboard(config)
    dashboard.start()
    try:
        server = DashboardServer(
            dashboard, lambda: say(f"eyewall dashboard ready on {where} ({_sources(config)})")
        )
        server.run([listening])
    finally:
        dashboard.close()


def listen(address: str) -> socket.socket:
    """Listen on HOST:PORT, or raise ListenError."""
    host, port = split_address(address) or ("", 0)
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(where[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        known = error.errno is not None and error.errno > 0
        reason = os.strerror(error.errno) if known and error.errno else error.strerror or str(error)
        raise ListenError(f"cannot listen on {address}: {reason}") from None
    # asyncio sets this only for sockets that it makes itself. Without it every small response takes
    # 40 ms: its body waits for the acknowledgement of its head, which the client delays.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _sources(config: DashboardConfig) -> str:
    store, redis = config.zookeeper.servers, config.redis.url
    parts = [
        f"sidecar {config.sidecar.address}",
        f"ZooKeeper {store}" if store is not None else "no ZooKeeper",
        f"Redis {server_of(redis)}" if redis is not None else "no Redis",
    ]
    return ", ".join(parts)
